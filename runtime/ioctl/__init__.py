"""The device as kernels have it: the ioctls of <sys/dtrace.h> on /dev/dtrace/dtrace.

Requests of a program in the machine become requests at the border (runtime.border), and our own consumer's
become requests of the operating system under it.

Read in this order:

requests    numbers and arguments of the requests, of illumos' kernel and of FreeBSD's
devicefile  the device for programs of the machine
hostdevice  the same requests, made of an operating system
hostsymbols names of addresses, from what the system shows in /proc
hostsystem  what else a consumer needs of that system: processes, symbols, time
"""
