"""The providers: each knows one kind of event of the machine, and makes it probes.

In come the kernel's hooks, traps and timers; out go calls of `probe.fire` with arguments.  installation.py
lists all providers and says when each is loaded: start there.  dtrace.py and profile.py are the simplest.
Those made of a table of points (proc, sched, io, ip, tcp, udp, sysinfo, vminfo, mib, sdt) share hooked.py;
syscall.py listens to system calls, fbt.py and fsinfo.py to kernel functions.  fasttrap/ puts traps into user
programs: pid probes and USDT.

To add a provider of the kernel: a module with `install(provider, boot)`, and a row in installation.py.
"""
