int level;
syscall:::entry /pid == 100/ { level++; depth[tid] = level; }
syscall:::return /pid == 100 && level > 0/ { level--; @deepest = max(depth[tid]); depth[tid] = 0; }
