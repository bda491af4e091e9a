"""Memory: of the machine, of programs, and of the kernel.

In come mappings, faults, loads and stores by address; out come bytes, page tables that a processor walks, or
MemoryFault.  Addresses are unsigned integers, sizes bytes.

Read in this order:

physical    frames of 4096 bytes, which all address spaces share; cached pages of mapped files
addrspace   a program's memory: areas, page tables, copies on write
kmem        the kernel's memory, which no program sees: regions whose bytes may be made when they are read
placement   the kernel addresses of processes, threads, files and all other objects, by kind
allocator   kmem_cache_alloc, kmem_alloc and their like: when such objects come and go
"""
