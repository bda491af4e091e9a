/* dc: -x target=freebsd */
BEGIN { printm(16, memref((void *)arg0, 16)); }
