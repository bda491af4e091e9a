syscall::read:entry { trace(fds[arg0].fi_pathname); trace(fds[arg0].fi_offset); }
