BEGIN { trace(ENOENT); trace(SIGKILL); trace(O_RDONLY); trace(PROT_READ); trace(DTRACEFLT_BADADDR); }
