/*
 * TCP: args[3] to args[5] of the tcp provider are the connection, the header of
 * the segment, and the state before a change.
 */
typedef struct tcpinfo {
	uint16_t tcp_sport;
	uint16_t tcp_dport;
	uint32_t tcp_seq;
	uint32_t tcp_ack;
	uint8_t tcp_offset;		/* bytes of the header */
	uint8_t tcp_flags;		/* TH_* */
	uint16_t tcp_window;
	uint16_t tcp_checksum;
	uint16_t tcp_urgent;
	tcph_t *tcp_hdr;
} tcpinfo_t;

typedef struct tcpsinfo {
	uintptr_t tcps_addr;		/* of its tcp_t */
	int tcps_local;			/* the other end is in this machine */
	int tcps_active;		/* it was this end that connected */
	uint16_t tcps_lport;
	uint16_t tcps_rport;
	string tcps_laddr;
	string tcps_raddr;
	int32_t tcps_state;		/* TCP_STATE_* */
	uint32_t tcps_iss;		/* first sequence number sent */
	uint32_t tcps_suna;		/* first one not acknowledged */
	uint32_t tcps_snxt;		/* next one to send */
	uint32_t tcps_rack;		/* up to where the other end's are acknowledged */
	uint32_t tcps_rnxt;		/* next one expected */
	uint32_t tcps_swnd;
	int32_t tcps_snd_ws;
	uint32_t tcps_rwnd;
	int32_t tcps_rcv_ws;
	uint32_t tcps_cwnd;		/* the loopback is never congested: what the other end takes */
	uint32_t tcps_cwnd_ssthresh;
	uint32_t tcps_sack_fack;
	uint32_t tcps_sack_snxt;
	uint32_t tcps_rto;		/* milliseconds */
	uint32_t tcps_mss;
	int tcps_retransmit;
} tcpsinfo_t;

typedef struct tcplsinfo {
	int32_t tcps_state;		/* before the change */
} tcplsinfo_t;

/* The eight control bits of a header (RFC 9293, 3.1). */
inline int TH_FIN = 0x01;
inline int TH_SYN = 0x02;
inline int TH_RST = 0x04;
inline int TH_PUSH = 0x08;
inline int TH_ACK = 0x10;
inline int TH_URG = 0x20;
inline int TH_ECE = 0x40;
inline int TH_CWR = 0x80;

/* States of a connection: below 0 those before it is there, above 0 those of its end. */
inline int32_t TCP_STATE_CLOSED = -6;
inline int32_t TCP_STATE_IDLE = -5;
inline int32_t TCP_STATE_BOUND = -4;
inline int32_t TCP_STATE_LISTEN = -3;
inline int32_t TCP_STATE_SYN_SENT = -2;
inline int32_t TCP_STATE_SYN_RECEIVED = -1;
inline int32_t TCP_STATE_ESTABLISHED = 0;
inline int32_t TCP_STATE_CLOSE_WAIT = 1;
inline int32_t TCP_STATE_FIN_WAIT_1 = 2;
inline int32_t TCP_STATE_CLOSING = 3;
inline int32_t TCP_STATE_LAST_ACK = 4;
inline int32_t TCP_STATE_FIN_WAIT_2 = 5;
inline int32_t TCP_STATE_TIME_WAIT = 6;

inline string tcp_state_string[int32_t number] = number > TCP_STATE_ESTABLISHED ?
	(number == TCP_STATE_FIN_WAIT_1 ? "state-fin-wait-1" :
	number == TCP_STATE_FIN_WAIT_2 ? "state-fin-wait-2" :
	number == TCP_STATE_CLOSING ? "state-closing" :
	number == TCP_STATE_TIME_WAIT ? "state-time-wait" :
	number == TCP_STATE_CLOSE_WAIT ? "state-close-wait" :
	number == TCP_STATE_LAST_ACK ? "state-last-ack" : "<unknown>") :
	number == TCP_STATE_ESTABLISHED ? "state-established" :
	(number == TCP_STATE_SYN_RECEIVED ? "state-syn-received" :
	number == TCP_STATE_SYN_SENT ? "state-syn-sent" :
	number == TCP_STATE_LISTEN ? "state-listen" :
	number == TCP_STATE_BOUND ? "state-bound" :
	number == TCP_STATE_IDLE ? "state-idle" :
	number == TCP_STATE_CLOSED ? "state-closed" : "<unknown>");

/* The data offset is the upper four bits of its byte, in words of four bytes: >> 4, and then times 4. */
translator tcpinfo_t < tcph_t *header > {
	tcp_hdr = header;
	tcp_sport = header ? ntohs(*(uint16_t *)header->th_lport) : 0;
	tcp_dport = header ? ntohs(*(uint16_t *)header->th_fport) : 0;
	tcp_seq = header ? ntohl(*(uint32_t *)header->th_seq) : 0;
	tcp_ack = header ? ntohl(*(uint32_t *)header->th_ack) : 0;
	tcp_offset = header ? 4 * (*header->th_offset_and_rsrvd >> 4) : 0;
	tcp_flags = header ? *header->th_flags : 0;
	tcp_window = header ? ntohs(*(uint16_t *)header->th_win) : 0;
	tcp_checksum = header ? ntohs(*(uint16_t *)header->th_sum) : 0;
	tcp_urgent = header ? ntohs(*(uint16_t *)header->th_urp) : 0;
};

/*
 * Every connection is over the loopback, which loses nothing and is never
 * congested: it needs no window scaling, selective acknowledgement or timeout,
 * and may send as much as the other end takes.
 */
translator tcpsinfo_t < tcp_t *tcp > {
	tcps_addr = (uintptr_t)tcp;
	tcps_local = tcp != NULL;
	tcps_active = tcp ? tcp->tcp_active_open : 0;
	tcps_state = tcp ? tcp->tcp_state : TCP_STATE_CLOSED;
	tcps_laddr = tcp ? xlate <conninfo_t *> (tcp->tcp_connp)->ci_local : "<unknown>";
	tcps_lport = tcp ? ntohs(tcp->tcp_connp->u_port.connu_ports.connu_lport) : 0;
	tcps_raddr = tcp ? xlate <conninfo_t *> (tcp->tcp_connp)->ci_remote : "<unknown>";
	tcps_rport = tcp ? ntohs(tcp->tcp_connp->u_port.connu_ports.connu_fport) : 0;
	tcps_iss = tcp ? tcp->tcp_iss : 0;
	tcps_suna = tcp ? tcp->tcp_suna : 0;
	tcps_snxt = tcp ? tcp->tcp_snxt : 0;
	tcps_swnd = tcp ? tcp->tcp_swnd : 0;
	tcps_cwnd = tcp ? tcp->tcp_swnd : 0;
	tcps_rnxt = tcp ? tcp->tcp_rnxt : 0;
	tcps_rack = tcp ? tcp->tcp_rack : 0;
	tcps_rwnd = tcp ? tcp->tcp_rwnd : 0;
	tcps_mss = tcp ? tcp->tcp_mss : 0;
	tcps_snd_ws = 0;
	tcps_rcv_ws = 0;
	tcps_cwnd_ssthresh = 0;
	tcps_sack_fack = 0;
	tcps_sack_snxt = 0;
	tcps_rto = 0;
	tcps_retransmit = 0;
};

translator tcplsinfo_t < int64_t state > {
	tcps_state = (int32_t)state;
};
