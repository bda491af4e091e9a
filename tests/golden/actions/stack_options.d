#pragma D option stackframes=4
#pragma D option ustackframes=6
#pragma D option jstackframes=8
#pragma D option jstackstrsize=256
BEGIN { stack(); ustack(); jstack(); }
