/* The disk is told of a transfer within fsync, on whose stack fsync stands. */
fbt::fop_fsync:entry /pid == $1/ { self->vnode = args[0]; }
fbt::bdev_strategy:entry /self->vnode && args[0]->b_vp == self->vnode/ { self->depth = stackdepth; }
fbt::fop_fsync:return /self->depth/ { exit(self->depth > stackdepth && args[1] == 0 ? 0 : 1); }
tick-1sec { exit(2); }
