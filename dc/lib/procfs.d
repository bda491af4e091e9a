/*
 * Processes and threads as proc(5) describes them: psinfo_t, lwpsinfo_t, and
 * the inlines curpsinfo and curlwpsinfo for the current thread.
 */
typedef struct psinfo {
	int pr_nlwp;			/* threads */
	pid_t pr_pid;
	pid_t pr_ppid;
	pid_t pr_pgid;
	pid_t pr_sid;
	uid_t pr_uid;
	uid_t pr_euid;
	gid_t pr_gid;
	gid_t pr_egid;
	uintptr_t pr_addr;		/* of its proc_t */
	size_t pr_size;			/* of its address space, kilobytes */
	dev_t pr_ttydev;
	timestruc_t pr_start;
	char pr_fname[16];
	char pr_psargs[80];
	int pr_argc;
	uintptr_t pr_argv;
	uintptr_t pr_envp;
	char pr_dmodel;
	taskid_t pr_taskid;
	projid_t pr_projid;
	int pr_nzomb;
	poolid_t pr_poolid;
	zoneid_t pr_zoneid;
	id_t pr_contract;
} psinfo_t;

inline char PR_MODEL_ILP32 = 1;
inline char PR_MODEL_LP64 = 2;
inline char PR_MODEL_UNKNOWN = 0;

typedef struct lwpsinfo {
	int pr_flag;
	id_t pr_lwpid;
	uintptr_t pr_addr;		/* of its kthread_t */
	uintptr_t pr_wchan;		/* what it sleeps on */
	char pr_stype;			/* SOBJ_*, of what it sleeps on */
	char pr_state;			/* SSLEEP ... SWAIT */
	char pr_sname;			/* the state as a letter */
	short pr_syscall;
	int pr_pri;
	string pr_clname;		/* scheduling class: the kernel's own SYS, all others TS */
	processorid_t pr_onpro;
	processorid_t pr_bindpro;
	psetid_t pr_bindpset;
	int pr_lgrp;
	string pr_name;
} lwpsinfo_t;

inline int PR_STOPPED = 0x00000001;
inline int PR_ISTOP = 0x00000002;
inline int PR_DSTOP = 0x00000004;
inline int PR_STEP = 0x00000008;
inline int PR_ASLEEP = 0x00000010;
inline int PR_PCINVAL = 0x00000020;
inline int PR_ASLWP = 0x00000040;
inline int PR_AGENT = 0x00000080;
inline int PR_DETACH = 0x00000100;
inline int PR_DAEMON = 0x00000200;
inline int PR_ISSYS = 0x00001000;
inline int PR_VFORKP = 0x00002000;
inline int PR_ORPHAN = 0x00004000;
inline int PR_NOSIGCHLD = 0x00008000;
inline int PR_WAITPID = 0x00010000;
inline int PR_FORK = 0x00100000;
inline int PR_RLC = 0x00200000;
inline int PR_KLC = 0x00400000;
inline int PR_ASYNC = 0x00800000;
inline int PR_MSACCT = 0x01000000;
inline int PR_BPTADJ = 0x02000000;
inline int PR_PTRACE = 0x04000000;
inline int PR_MSFORK = 0x08000000;
inline int PR_IDLE = 0x10000000;

inline char SSLEEP = 1;
inline char SRUN = 2;
inline char SZOMB = 3;
inline char SSTOP = 4;
inline char SIDL = 5;
inline char SONPROC = 6;
inline char SWAIT = 7;

/* p_cred has the effective IDs as cr_uid and cr_gid, and the real ones as cr_ruid and cr_rgid. */
translator psinfo_t < proc_t *process > {
	pr_addr = (uintptr_t)process;
	pr_pid = process->p_pidp->pid_id;
	pr_ppid = process->p_ppid;
	pr_pgid = process->p_pgidp->pid_id;
	pr_sid = process->p_sessp->s_sidp->pid_id;
	pr_taskid = process->p_task->tk_tkid;
	pr_projid = process->p_task->tk_proj->kpj_id;
	pr_zoneid = process->p_zone->zone_id;
	pr_poolid = process->p_pool->pool_id;
	pr_contract = process->p_ct_process ? process->p_ct_process->conp_contract.ct_id : 0;
	pr_egid = process->p_cred->cr_gid;
	pr_euid = process->p_cred->cr_uid;
	pr_gid = process->p_cred->cr_rgid;
	pr_uid = process->p_cred->cr_ruid;
	pr_fname = process->p_user.u_comm;
	pr_psargs = process->p_user.u_psargs;
	pr_argc = process->p_user.u_argc;
	pr_argv = process->p_user.u_argv;
	pr_envp = process->p_user.u_envp;
	pr_start = process->p_user.u_start;
	pr_dmodel = process->p_model;
	pr_nlwp = process->p_lwpcnt;
	pr_nzomb = process->p_zombcnt;
	pr_ttydev = process->p_sessp->s_vp ? process->p_sessp->s_dev : (dev_t)-1;	/* no terminal: -1 */
};

/* A thread's process: each member is that of its proc_t. */
translator psinfo_t < kthread_t *thread > {
	pr_addr = xlate <psinfo_t *> (thread->t_procp)->pr_addr;
	pr_pid = xlate <psinfo_t *> (thread->t_procp)->pr_pid;
	pr_ppid = xlate <psinfo_t *> (thread->t_procp)->pr_ppid;
	pr_pgid = xlate <psinfo_t *> (thread->t_procp)->pr_pgid;
	pr_sid = xlate <psinfo_t *> (thread->t_procp)->pr_sid;
	pr_taskid = xlate <psinfo_t *> (thread->t_procp)->pr_taskid;
	pr_projid = xlate <psinfo_t *> (thread->t_procp)->pr_projid;
	pr_zoneid = xlate <psinfo_t *> (thread->t_procp)->pr_zoneid;
	pr_poolid = xlate <psinfo_t *> (thread->t_procp)->pr_poolid;
	pr_contract = xlate <psinfo_t *> (thread->t_procp)->pr_contract;
	pr_egid = xlate <psinfo_t *> (thread->t_procp)->pr_egid;
	pr_euid = xlate <psinfo_t *> (thread->t_procp)->pr_euid;
	pr_gid = xlate <psinfo_t *> (thread->t_procp)->pr_gid;
	pr_uid = xlate <psinfo_t *> (thread->t_procp)->pr_uid;
	pr_fname = xlate <psinfo_t *> (thread->t_procp)->pr_fname;
	pr_psargs = xlate <psinfo_t *> (thread->t_procp)->pr_psargs;
	pr_argc = xlate <psinfo_t *> (thread->t_procp)->pr_argc;
	pr_argv = xlate <psinfo_t *> (thread->t_procp)->pr_argv;
	pr_envp = xlate <psinfo_t *> (thread->t_procp)->pr_envp;
	pr_start = xlate <psinfo_t *> (thread->t_procp)->pr_start;
	pr_dmodel = xlate <psinfo_t *> (thread->t_procp)->pr_dmodel;
	pr_nlwp = xlate <psinfo_t *> (thread->t_procp)->pr_nlwp;
	pr_nzomb = xlate <psinfo_t *> (thread->t_procp)->pr_nzomb;
	pr_ttydev = xlate <psinfo_t *> (thread->t_procp)->pr_ttydev;
};

/*
 * t_state has one bit for each state, in the order asleep, ready to run, on a
 * processor, zombie, stopped, waiting; pr_state and pr_sname say the same by
 * number and by letter.  A process without an address space is the kernel's own.
 */
translator lwpsinfo_t < kthread_t *thread > {
	pr_addr = (uintptr_t)thread;
	pr_lwpid = thread->t_tid;
	pr_name = thread->t_name ? stringof(thread->t_name) : "";
	pr_state = thread->t_state == 0x04 ? SONPROC :
	    thread->t_state == 0x02 ? SRUN :
	    thread->t_state == 0x01 ? SSLEEP :
	    thread->t_state == 0x20 ? SWAIT :
	    thread->t_state == 0x10 ? SSTOP :
	    thread->t_state == 0x08 ? SZOMB : 0;
	pr_sname = thread->t_state == 0x04 ? 'O' :
	    thread->t_state == 0x02 ? 'R' :
	    thread->t_state == 0x01 ? 'S' :
	    thread->t_state == 0x20 ? 'W' :
	    thread->t_state == 0x10 ? 'T' :
	    thread->t_state == 0x08 ? 'Z' : '?';
	pr_flag = (thread->t_procp->p_as ? 0 : PR_ISSYS) |
	    (thread->t_cpu->cpu_idle_thread == thread ? PR_IDLE : 0) |
	    (thread->t_state == 0x01 ? PR_ASLEEP : 0) |
	    (thread->t_state == 0x10 ? PR_STOPPED : 0);
	pr_stype = thread->t_sobj_ops ? thread->t_sobj_ops->sobj_type : 0;
	pr_wchan = (uintptr_t)thread->t_lwpchan.lc_wchan;
	pr_clname = thread->t_procp->p_as ? "TS" : "SYS";
	pr_pri = thread->t_pri;
	pr_syscall = thread->t_sysnum;
	pr_bindpro = thread->t_bind_cpu;
	pr_bindpset = thread->t_bind_pset;
	pr_lgrp = thread->t_cpu->cpu_lpl->lpl_lgrpid;
	pr_onpro = thread->t_cpu->cpu_id;
};

#pragma D attributes Stable/Private/Common curproc
inline proc_t *curproc = curthread->t_procp;

#pragma D attributes Stable/Stable/Common curpsinfo
inline psinfo_t *curpsinfo = xlate <psinfo_t *> (curthread->t_procp);

#pragma D attributes Stable/Stable/Common curlwpsinfo
inline lwpsinfo_t *curlwpsinfo = xlate <lwpsinfo_t *> (curthread);

/* The current process's working directory and, where chroot(2) gave it one of its own, its root. */
#pragma D attributes Stable/Stable/Common cwd
inline string cwd = curthread->t_procp->p_user.u_cdir && curthread->t_procp->p_user.u_cdir->v_path ?
    stringof(curthread->t_procp->p_user.u_cdir->v_path) : "<unknown>";

#pragma D attributes Stable/Stable/Common root
inline string root = !curthread->t_procp->p_user.u_rdir ? "/" :
    curthread->t_procp->p_user.u_rdir->v_path ? stringof(curthread->t_procp->p_user.u_rdir->v_path) :
    "<unknown>";
