"""Sockets within the machine: UNIX domain sockets, and TCP and UDP over the loopback.

In come connections, bytes and datagrams of sockets; out come bytes at the other socket, and, for those who
watch, the packets that a real network would have carried.  Nothing leaves the machine.

Read in this order: address (socket addresses), loopback (packets and the states of TCP), interface (what
ioctls tell of it), socket (sockets, the names they use, and their open files), netlink (questions about the
network), listings (the files of /proc/net).
"""
