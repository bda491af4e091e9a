/*
 * TCP: the connection and the header that the tcp provider hands out as
 * args[3] to args[5].
 */
inline int TH_FIN = 0x01;
inline int TH_SYN = 0x02;
inline int TH_RST = 0x04;
inline int TH_PUSH = 0x08;
inline int TH_ACK = 0x10;
inline int TH_URG = 0x20;
inline int TH_ECE = 0x40;
inline int TH_CWR = 0x80;

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

inline string tcp_state_string[int32_t state] = state == TCP_STATE_CLOSED ? "state-closed" :
    state == TCP_STATE_IDLE ? "state-idle" : state == TCP_STATE_BOUND ? "state-bound" :
    state == TCP_STATE_LISTEN ? "state-listen" : state == TCP_STATE_SYN_SENT ? "state-syn-sent" :
    state == TCP_STATE_SYN_RECEIVED ? "state-syn-received" :
    state == TCP_STATE_ESTABLISHED ? "state-established" :
    state == TCP_STATE_CLOSE_WAIT ? "state-close-wait" :
    state == TCP_STATE_FIN_WAIT_1 ? "state-fin-wait-1" : state == TCP_STATE_CLOSING ? "state-closing" :
    state == TCP_STATE_LAST_ACK ? "state-last-ack" : state == TCP_STATE_FIN_WAIT_2 ? "state-fin-wait-2" :
    state == TCP_STATE_TIME_WAIT ? "state-time-wait" : "<unknown>";

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

translator tcpinfo_t < tcph_t *T > {
	tcp_sport = T == NULL ? 0 : ntohs(*(uint16_t *)T->th_lport);
	tcp_dport = T == NULL ? 0 : ntohs(*(uint16_t *)T->th_fport);
	tcp_seq = T == NULL ? 0 : ntohl(*(uint32_t *)T->th_seq);
	tcp_ack = T == NULL ? 0 : ntohl(*(uint32_t *)T->th_ack);
	tcp_offset = T == NULL ? 0 : (T->th_offset_and_rsrvd[0] & 0xf0) >> 2;
	tcp_flags = T == NULL ? 0 : T->th_flags[0];
	tcp_window = T == NULL ? 0 : ntohs(*(uint16_t *)T->th_win);
	tcp_checksum = T == NULL ? 0 : ntohs(*(uint16_t *)T->th_sum);
	tcp_urgent = T == NULL ? 0 : ntohs(*(uint16_t *)T->th_urp);
	tcp_hdr = T;
};

translator tcpsinfo_t < tcp_t *T > {
	tcps_addr = (uintptr_t)T;
	tcps_local = T != NULL;
	tcps_active = T == NULL ? 0 : T->tcp_active_open;
	tcps_lport = T == NULL ? 0 : ntohs(T->tcp_connp->u_port.connu_ports.connu_lport);
	tcps_rport = T == NULL ? 0 : ntohs(T->tcp_connp->u_port.connu_ports.connu_fport);
	tcps_laddr = T == NULL ? "<unknown>" : T->tcp_connp->conn_ipversion == 4 ?
	    inet_ntoa((ipaddr_t *)&T->tcp_connp->connua_v6addr.connua_laddr._S6_un._S6_u32[3]) :
	    inet_ntoa6(&T->tcp_connp->connua_v6addr.connua_laddr);
	tcps_raddr = T == NULL ? "<unknown>" : T->tcp_connp->conn_ipversion == 4 ?
	    inet_ntoa((ipaddr_t *)&T->tcp_connp->connua_v6addr.connua_faddr._S6_un._S6_u32[3]) :
	    inet_ntoa6(&T->tcp_connp->connua_v6addr.connua_faddr);
	tcps_state = T == NULL ? TCP_STATE_CLOSED : T->tcp_state;
	tcps_iss = T == NULL ? 0 : T->tcp_iss;
	tcps_suna = T == NULL ? 0 : T->tcp_suna;
	tcps_snxt = T == NULL ? 0 : T->tcp_snxt;
	tcps_rack = T == NULL ? 0 : T->tcp_rack;
	tcps_rnxt = T == NULL ? 0 : T->tcp_rnxt;
	tcps_swnd = T == NULL ? 0 : T->tcp_swnd;
	tcps_snd_ws = 0;
	tcps_rwnd = T == NULL ? 0 : T->tcp_rwnd;
	tcps_rcv_ws = 0;
	tcps_cwnd = T == NULL ? 0 : T->tcp_swnd;
	tcps_cwnd_ssthresh = 0;
	tcps_sack_fack = 0;
	tcps_sack_snxt = 0;
	tcps_rto = 0;
	tcps_mss = T == NULL ? 0 : T->tcp_mss;
	tcps_retransmit = 0;
};

translator tcplsinfo_t < int64_t I > {
	tcps_state = (int32_t)I;
};
