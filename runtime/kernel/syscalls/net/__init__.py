"""System calls on sockets.

In come descriptors, and addresses and messages in user memory; out come bytes, descriptors and addresses.
The work is done by `runtime.kernel.net`.

sockaddr      addresses and control messages as structures
packetinfo    what a datagram tells its receiver, if that asks
socket        the calls
"""
