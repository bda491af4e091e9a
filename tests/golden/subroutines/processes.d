BEGIN /progenyof(1)/ { trace(progenyof(pid)); }
