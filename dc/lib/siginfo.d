/*
 * Signals: siginfo_t, which probes of the proc provider have among their args[].
 */
typedef struct siginfo {
	int si_signo;
	int si_errno;
	int si_code;
	pid_t si_pid;
	uid_t si_uid;
	int si_status;
	caddr_t si_addr;
} siginfo_t;

translator siginfo_t < k_siginfo_t *S > {
	si_signo = S->si_signo;
	si_errno = S->si_errno;
	si_code = S->si_code;
	si_pid = S->si_pid;
	si_uid = S->si_uid;
	si_status = S->si_status;
	si_addr = S->si_addr;
};
