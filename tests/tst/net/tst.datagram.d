/* What is sent is received: the same packet, whose header lies in kernel memory. */
udp:::send
/pid == $1/
{
	self->packet = args[0]->pkt_addr;
	self->header = args[4]->udp_hdr;
}

udp:::receive
/self->packet && args[0]->pkt_addr == self->packet/
{
	exit(args[4]->udp_dport == 5300 && args[4]->udp_length == 8 + 5 &&
	    ntohs(self->header->uha_dst_port) == 5300 && args[2]->ip_daddr == "127.0.0.1" ? 0 : 1);
}

tick-1sec { exit(2); }
