/* A system call is a function too: entered after its probe, left before it. */
syscall::ioctl:entry /pid == $1/ { self->step = 1; }
fbt:genunix:ioctl:entry /self->step == 1 && args[1] == 0x541b/ { self->step = 2; }
fbt::fop_ioctl:entry /self->step == 2 && args[2] != 0/ { self->step = 3; }
fbt:genunix:ioctl:return /self->step == 3 && arg0 > 0/ { self->step = 4; self->result = arg1; }
syscall::ioctl:return /self->step == 4/ { exit(self->result == arg1 ? 0 : 1); }
tick-1sec { exit(2); }
