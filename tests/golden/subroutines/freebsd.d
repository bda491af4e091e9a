/* dc: -x target=freebsd */
BEGIN { trace(memref((void *)arg0, 8)); trace(memstr((void *)arg0, ' ', 16)); trace(jid); trace(execname); }
