struct operations { int (*open)(char *, int); void (*close)(void); } *ops;
BEGIN { trace((uintptr_t)ops->open); trace(ops->close == 0); }
