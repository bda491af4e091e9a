sched:::on-cpu { self->on = timestamp; }
sched:::off-cpu /self->on/ { @[args[1]->pr_fname] = sum(timestamp - self->on); self->on = 0; }
