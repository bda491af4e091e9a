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

translator psinfo_t < proc_t *P > {
	pr_nlwp = P->p_lwpcnt;
	pr_pid = P->p_pidp->pid_id;
	pr_ppid = P->p_ppid;
	pr_pgid = P->p_pgidp->pid_id;
	pr_sid = P->p_sessp->s_sidp->pid_id;
	pr_uid = P->p_cred->cr_ruid;
	pr_euid = P->p_cred->cr_uid;
	pr_gid = P->p_cred->cr_rgid;
	pr_egid = P->p_cred->cr_gid;
	pr_addr = (uintptr_t)P;
	pr_ttydev = P->p_sessp->s_vp == NULL ? (dev_t)-1 : P->p_sessp->s_dev;
	pr_start = P->p_user.u_start;
	pr_fname = P->p_user.u_comm;
	pr_psargs = P->p_user.u_psargs;
	pr_argc = P->p_user.u_argc;
	pr_argv = P->p_user.u_argv;
	pr_envp = P->p_user.u_envp;
	pr_dmodel = P->p_model;
	pr_taskid = P->p_task->tk_tkid;
	pr_projid = P->p_task->tk_proj->kpj_id;
	pr_nzomb = P->p_zombcnt;
	pr_poolid = P->p_pool->pool_id;
	pr_zoneid = P->p_zone->zone_id;
	pr_contract = P->p_ct_process == NULL ? 0 : P->p_ct_process->conp_contract.ct_id;
};

translator psinfo_t < kthread_t *T > {
	pr_nlwp = T->t_procp->p_lwpcnt;
	pr_pid = T->t_procp->p_pidp->pid_id;
	pr_ppid = T->t_procp->p_ppid;
	pr_pgid = T->t_procp->p_pgidp->pid_id;
	pr_sid = T->t_procp->p_sessp->s_sidp->pid_id;
	pr_uid = T->t_procp->p_cred->cr_ruid;
	pr_euid = T->t_procp->p_cred->cr_uid;
	pr_gid = T->t_procp->p_cred->cr_rgid;
	pr_egid = T->t_procp->p_cred->cr_gid;
	pr_addr = (uintptr_t)T->t_procp;
	pr_ttydev = T->t_procp->p_sessp->s_vp == NULL ? (dev_t)-1 : T->t_procp->p_sessp->s_dev;
	pr_start = T->t_procp->p_user.u_start;
	pr_fname = T->t_procp->p_user.u_comm;
	pr_psargs = T->t_procp->p_user.u_psargs;
	pr_argc = T->t_procp->p_user.u_argc;
	pr_argv = T->t_procp->p_user.u_argv;
	pr_envp = T->t_procp->p_user.u_envp;
	pr_dmodel = T->t_procp->p_model;
	pr_taskid = T->t_procp->p_task->tk_tkid;
	pr_projid = T->t_procp->p_task->tk_proj->kpj_id;
	pr_nzomb = T->t_procp->p_zombcnt;
	pr_poolid = T->t_procp->p_pool->pool_id;
	pr_zoneid = T->t_procp->p_zone->zone_id;
	pr_contract = T->t_procp->p_ct_process == NULL ? 0 :
	    T->t_procp->p_ct_process->conp_contract.ct_id;
};

#pragma D attributes Stable/Private/Common curproc
inline proc_t *curproc = curthread->t_procp;

#pragma D attributes Stable/Stable/Common curpsinfo
inline psinfo_t *curpsinfo = xlate < psinfo_t * > (curthread->t_procp);

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

translator lwpsinfo_t < kthread_t *T > {
	pr_flag = (T->t_state == 0x10 ? PR_STOPPED : 0) | (T->t_state == 0x01 ? PR_ASLEEP : 0) |
	    (T->t_procp->p_as == NULL ? PR_ISSYS : 0) | (T == T->t_cpu->cpu_idle_thread ? PR_IDLE : 0);
	pr_lwpid = T->t_tid;
	pr_addr = (uintptr_t)T;
	pr_wchan = (uintptr_t)T->t_lwpchan.lc_wchan;
	pr_stype = T->t_sobj_ops == NULL ? 0 : T->t_sobj_ops->sobj_type;
	pr_state = T->t_state == 0x01 ? SSLEEP : T->t_state == 0x02 ? SRUN :
	    T->t_state == 0x04 ? SONPROC : T->t_state == 0x08 ? SZOMB :
	    T->t_state == 0x10 ? SSTOP : T->t_state == 0x20 ? SWAIT : 0;
	pr_sname = T->t_state == 0x01 ? 'S' : T->t_state == 0x02 ? 'R' :
	    T->t_state == 0x04 ? 'O' : T->t_state == 0x08 ? 'Z' :
	    T->t_state == 0x10 ? 'T' : T->t_state == 0x20 ? 'W' : '?';
	pr_syscall = T->t_sysnum;
	pr_pri = T->t_pri;
	pr_clname = T->t_procp->p_as == NULL ? "SYS" : "TS";
	pr_onpro = T->t_cpu->cpu_id;
	pr_bindpro = T->t_bind_cpu;
	pr_bindpset = T->t_bind_pset;
	pr_lgrp = T->t_cpu->cpu_lpl->lpl_lgrpid;
	pr_name = T->t_name == NULL ? "" : stringof(T->t_name);
};

#pragma D attributes Stable/Stable/Common curlwpsinfo
inline lwpsinfo_t *curlwpsinfo = xlate < lwpsinfo_t * > (curthread);

#pragma D attributes Stable/Stable/Common cwd
inline string cwd = curthread->t_procp->p_user.u_cdir == NULL ? "<unknown>" :
    curthread->t_procp->p_user.u_cdir->v_path == NULL ? "<unknown>" :
    stringof(curthread->t_procp->p_user.u_cdir->v_path);

#pragma D attributes Stable/Stable/Common root
inline string root = curthread->t_procp->p_user.u_rdir == NULL ? "/" :
    curthread->t_procp->p_user.u_rdir->v_path == NULL ? "<unknown>" :
    stringof(curthread->t_procp->p_user.u_rdir->v_path);
