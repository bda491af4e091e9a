/* A device's registers are never read: the load faults at its address. */
BEGIN { trace(*`apicadr); }
ERROR { exit(arg4 == 1 && arg5 == (uintptr_t)`apicadr ? 0 : 1); }
