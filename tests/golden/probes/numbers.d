fbt::fop_read:entry { self->ts = timestamp; }
fbt::fop_read:return /self->ts/ { @ = quantize(timestamp - self->ts); self->ts = 0; }
