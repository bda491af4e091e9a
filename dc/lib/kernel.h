/*
 * The types of the emulated kernel.
 *
 * This one header is read twice: by the D compiler, as the kernel's type
 * information, and by the kernel itself, which lays out its objects in memory
 * by it.  Names are those that illumos gives and that D scripts chase; a
 * member that the emulated kernel has no use for is left out rather than
 * filled with something untrue.  Plain C declarations only: no preprocessor.
 */

/* -- sys/types.h -------------------------------------------------------------------------------- */

typedef unsigned char uchar_t;
typedef unsigned short ushort_t;
typedef unsigned int uint_t;
typedef unsigned long ulong_t;
typedef long long longlong_t;
typedef unsigned long long u_longlong_t;

typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long int64_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long uint64_t;
typedef long intptr_t;
typedef unsigned long uintptr_t;
typedef long intmax_t;
typedef unsigned long uintmax_t;

typedef unsigned long size_t;
typedef long ssize_t;
typedef long ptrdiff_t;
typedef long off_t;
typedef long long offset_t;
typedef long long off64_t;
typedef unsigned long ino_t;
typedef unsigned long ino64_t;
typedef long blkcnt_t;
typedef long daddr_t;
typedef char *caddr_t;
typedef unsigned long dev_t;
typedef unsigned int major_t;
typedef unsigned int minor_t;
typedef unsigned int mode_t;
typedef unsigned int nlink_t;
typedef int pid_t;
typedef int id_t;
typedef unsigned int uid_t;
typedef unsigned int gid_t;
typedef int projid_t;
typedef int taskid_t;
typedef int zoneid_t;
typedef int poolid_t;
typedef int ctid_t;
typedef int psetid_t;
typedef int processorid_t;
typedef int chipid_t;
typedef long lgrp_id_t;
typedef long time_t;
typedef long clock_t;
typedef int clockid_t;
typedef long suseconds_t;
typedef long long hrtime_t;
typedef unsigned int k_tid_t;
typedef unsigned int thread_t;
typedef short pri_t;
typedef unsigned long pgcnt_t;
typedef unsigned long pfn_t;
typedef long key_t;
typedef int socklen_t;
typedef unsigned int zid_t;
typedef enum { B_FALSE, B_TRUE } boolean_t;

typedef struct timespec {
	time_t tv_sec;
	long tv_nsec;
} timespec_t;

typedef struct timespec timestruc_t;

typedef struct timeval {
	time_t tv_sec;
	suseconds_t tv_usec;
} timeval_t;

typedef struct iovec {
	caddr_t iov_base;
	size_t iov_len;
} iovec_t;

typedef enum uio_rw { UIO_READ, UIO_WRITE } uio_rw_t;
typedef enum uio_seg { UIO_USERSPACE, UIO_SYSSPACE, UIO_USERISPACE } uio_seg_t;

typedef union lloff {
	long long _f;
} lloff_t;

typedef struct uio {
	iovec_t *uio_iov;
	int uio_iovcnt;
	lloff_t _uio_offset;
	uio_seg_t uio_segflg;
	ushort_t uio_fmode;
	ssize_t uio_resid;
} uio_t;

typedef struct utsname {
	char sysname[65];
	char nodename[65];
	char release[65];
	char version[65];
	char machine[65];
} utsname_t;

/* -- locks ---------------------------------------------------------------------------------------- */

struct kthread;
struct proc;
struct cpu;
struct vnode;
struct vfs;
struct zone;

/* The kernel has none; these are what mutex_owned(), rw_iswriter() and the like are declared with. */
typedef struct kmutex kmutex_t;
typedef struct krwlock krwlock_t;

typedef enum {
	SOBJ_NONE, SOBJ_MUTEX, SOBJ_RWLOCK, SOBJ_CV, SOBJ_SEMA, SOBJ_USER, SOBJ_USER_PI, SOBJ_SHUTTLE
} syncobj_t;

typedef struct sobj_ops {
	syncobj_t sobj_type;
} sobj_ops_t;

/* -- credentials, zones, tasks ---------------------------------------------------------------------- */

typedef struct priv_set {
	uint_t pbits[3];
} priv_set_t;

/* Effective, inheritable and permitted set, and the limit. */
typedef struct cred_priv {
	priv_set_t crprivs[4];
} cred_priv_t;

typedef struct cred {
	uint_t cr_ref;
	uid_t cr_uid;
	gid_t cr_gid;
	uid_t cr_ruid;
	gid_t cr_rgid;
	uid_t cr_suid;
	gid_t cr_sgid;
	cred_priv_t cr_priv;
	struct zone *cr_zone;
	uint_t cr_ngroups;
	gid_t cr_groups[16];
} cred_t;

typedef struct zone {
	zoneid_t zone_id;
	uint_t zone_ref;
	uint_t zone_ntasks;
	char *zone_name;
	char *zone_rootpath;
	struct vnode *zone_rootvp;
	char *zone_nodename;
	struct priv_set *zone_privset;
	struct zone *zone_next;
} zone_t;

typedef struct kproject {
	projid_t kpj_id;
	uint_t kpj_count;
} kproject_t;

typedef struct task {
	taskid_t tk_tkid;
	uint_t tk_hold_count;
	struct kproject *tk_proj;
	struct zone *tk_zone;
} task_t;

typedef struct pool {
	poolid_t pool_id;
	uint_t pool_ref;
} pool_t;

typedef struct contract {
	ctid_t ct_id;
} contract_t;

typedef struct cont_process {
	contract_t conp_contract;
} cont_process_t;

/* -- files ------------------------------------------------------------------------------------------ */

typedef enum vtype {
	VNON, VREG, VDIR, VBLK, VCHR, VLNK, VFIFO, VDOOR, VPROC, VSOCK, VPORT, VBAD
} vtype_t;

typedef struct vnodeops {
	char *vnop_name;
} vnodeops_t;

typedef struct vfs {
	struct vfs *vfs_next;
	struct vnode *vfs_vnodecovered;
	uint_t vfs_bsize;
	char *vfs_mntpt;
	char *vfs_resource;
} vfs_t;

typedef struct vnode {
	uint_t v_count;
	vtype_t v_type;
	dev_t v_rdev;
	ino_t v_ino;
	offset_t v_size;
	struct vfs *v_vfsp;
	struct vnodeops *v_op;
	char *v_path;
} vnode_t;

typedef struct vattr {
	uint_t va_mask;
	vtype_t va_type;
	mode_t va_mode;
	uid_t va_uid;
	gid_t va_gid;
	dev_t va_fsid;
	ino_t va_nodeid;
	nlink_t va_nlink;
	offset_t va_size;
	timestruc_t va_atime;
	timestruc_t va_mtime;
	timestruc_t va_ctime;
	dev_t va_rdev;
	uint_t va_blksize;
	u_longlong_t va_nblocks;
} vattr_t;

struct pathname {
	char *pn_buf;
	char *pn_path;
	size_t pn_pathlen;
};

struct cell {			/* where a function finds a pointer that it was given the address of */
	void *c_pointer;
};

typedef struct file {
	ushort_t f_flag;
	struct vnode *f_vnode;
	offset_t f_offset;
	struct cred *f_cred;
	int f_count;
} file_t;

typedef struct uf_entry {
	struct file *uf_file;
	short uf_refcnt;
} uf_entry_t;

typedef struct uf_info {
	int fi_nfiles;
	uf_entry_t *fi_list;
} uf_info_t;

/* -- processes ---------------------------------------------------------------------------------------- */

struct pid {
	pid_t pid_id;
	uint_t pid_ref;
};

typedef struct sess {
	dev_t s_dev;
	struct vnode *s_vp;
	struct pid *s_sidp;
} sess_t;

typedef struct as {
	size_t a_size;
	size_t a_resvsize;
	caddr_t a_userlimit;
	uint_t a_nsegs;
} as_t;

typedef struct user {
	char u_comm[17];
	char u_psargs[80];
	int u_argc;
	uintptr_t u_argv;
	uintptr_t u_envp;
	timestruc_t u_start;
	clock_t u_ticks;
	struct vnode *u_cdir;
	struct vnode *u_rdir;
	mode_t u_cmask;
	uf_info_t u_finfo;
} user_t;

typedef struct k_sigset {
	uint_t __sigbits[2];
} k_sigset_t;

typedef struct proc {
	struct vnode *p_exec;
	struct as *p_as;
	struct cred *p_cred;
	char p_stat;
	int p_wdata;
	pid_t p_ppid;
	struct proc *p_parent;
	struct proc *p_child;
	struct proc *p_sibling;
	struct proc *p_next;
	struct proc *p_prev;
	struct pid *p_pidp;
	struct pid *p_pgidp;
	struct sess *p_sessp;
	uint_t p_flag;
	clock_t p_utime;
	clock_t p_stime;
	clock_t p_cutime;
	k_sigset_t p_sig;
	k_sigset_t p_ignore;
	caddr_t p_brkbase;
	size_t p_brksize;
	caddr_t p_usrstack;
	size_t p_stksize;
	uint_t p_lwpcnt;
	uint_t p_lwprcnt;
	uint_t p_zombcnt;
	struct kthread *p_tlist;
	struct task *p_task;
	struct pool *p_pool;
	struct zone *p_zone;
	struct cont_process *p_ct_process;
	hrtime_t p_mstart;
	char p_model;
	user_t p_user;
} proc_t;

typedef struct klwp {
	struct proc *lwp_procp;
	struct kthread *lwp_thread;
	short lwp_error;
	uchar_t lwp_state;
	uint64_t lwp_ru_nvcsw;
	uint64_t lwp_ru_nivcsw;
} klwp_t;

struct _lwpchan {
	caddr_t lc_wchan;
};

typedef struct kthread {
	uint_t t_flag;
	uint_t t_state;
	pri_t t_pri;
	pri_t t_epri;
	struct cpu *t_cpu;
	struct cpu *t_bound_cpu;
	processorid_t t_bind_cpu;
	psetid_t t_bind_pset;
	struct cpupart *t_cpupart;
	k_tid_t t_tid;
	struct _lwpchan t_lwpchan;
	sobj_ops_t *t_sobj_ops;
	struct klwp *t_lwp;
	struct proc *t_procp;
	struct kthread *t_forw;
	struct kthread *t_back;
	struct kthread *t_next;
	struct kthread *t_prev;
	struct cred *t_cred;
	short t_sysnum;
	k_sigset_t t_sig;
	k_sigset_t t_hold;
	hrtime_t t_dtrace_vtime;
	uint_t t_did;
	char *t_name;
} kthread_t;

/* -- memory ------------------------------------------------------------------------------------------- */

struct k_anoninfo {
	pgcnt_t ani_max;		/* swap: all of it */
	pgcnt_t ani_free;
	pgcnt_t ani_phys_resv;
	pgcnt_t ani_mem_resv;		/* memory reserved in its place */
	pgcnt_t ani_locked_swap;
};

/* -- cyclics ------------------------------------------------------------------------------------------- */

typedef void (*cyc_func_t)(void *);

/* -- processors ----------------------------------------------------------------------------------------- */

typedef struct processor_info {
	int pi_state;
	char pi_processor_type[16];
	char pi_fputypes[32];
	int pi_clock;
} processor_info_t;

typedef struct cpupart {
	psetid_t cp_id;
	int cp_ncpus;
} cpupart_t;

typedef struct lgrp_ld {
	lgrp_id_t lpl_lgrpid;
} lpl_t;

typedef struct disp {
	pri_t disp_npri;
	pri_t disp_maxrunpri;
	int disp_nrunnable;
	struct cpu *disp_cpu;
} disp_t;

typedef struct cpu_physid {
	chipid_t cpu_chipid;
	id_t cpu_coreid;
} cpu_physid_t;

typedef struct cpu {
	processorid_t cpu_id;
	ushort_t cpu_flags;
	struct kthread *cpu_thread;
	struct kthread *cpu_idle_thread;
	struct kthread *cpu_dispthread;
	struct klwp *cpu_lwp;
	struct cpu *cpu_next;
	struct cpu *cpu_next_onln;
	struct cpupart *cpu_part;
	struct lgrp_ld *cpu_lpl;
	struct disp *cpu_disp;
	cpu_physid_t *cpu_physid;
	pri_t cpu_dispatch_pri;
	processor_info_t cpu_type_info;
	uchar_t cpu_intr_actv;
} cpu_t;

/* -- block input and output --------------------------------------------------------------------------------- */

typedef struct dev_info {
	char *devi_node_name;
	char *devi_addr;
	int devi_instance;
	major_t devi_major;
	struct dev_info *devi_parent;
} dev_info_t;

struct devnames {
	char *dn_name;
};

typedef struct buf {
	int b_flags;
	dev_t b_dev;
	size_t b_bcount;
	union {
		caddr_t b_addr;
	} b_un;
	daddr_t b_lblkno;
	size_t b_resid;
	size_t b_bufsize;
	int (*b_iodone)(struct buf *);
	struct vnode *b_vp;
	struct proc *b_proc;
	dev_t b_edev;
	short b_error;
	offset_t b_offset;
	dev_info_t *b_dip;
	struct vnode *b_file;
} buf_t;

/* -- sockets ---------------------------------------------------------------------------------------------------- */

typedef uint32_t ipaddr_t;
typedef uint16_t in_port_t;
typedef ushort_t sa_family_t;

struct in_addr {
	ipaddr_t s_addr;
};

typedef struct in6_addr {
	union {
		uint8_t _S6_u8[16];
		uint32_t _S6_u32[4];
	} _S6_un;
} in6_addr_t;

struct sockaddr {
	sa_family_t sa_family;
	char sa_data[14];
};

struct sockaddr_in {
	sa_family_t sin_family;
	in_port_t sin_port;
	struct in_addr sin_addr;
	char sin_zero[8];
};

struct sockaddr_in6 {
	sa_family_t sin6_family;
	in_port_t sin6_port;
	uint32_t sin6_flowinfo;
	struct in6_addr sin6_addr;
	uint32_t sin6_scope_id;
	uint32_t __sin6_src_id;
};

struct sockaddr_un {
	sa_family_t sun_family;
	char sun_path[108];
};

typedef struct kmem_cache {
	char cache_name[32];
	size_t cache_bufsize;
} kmem_cache_t;

typedef struct datab {
	uchar_t db_type;
} dblk_t;

typedef struct msgb {
	struct msgb *b_cont;
	uchar_t *b_rptr;
	uchar_t *b_wptr;
	struct datab *b_datap;
} mblk_t;

typedef struct ipha {			/* an IPv4 header, numbers in network byte order */
	uint8_t ipha_version_and_hdr_length;
	uint8_t ipha_type_of_service;
	uint16_t ipha_length;
	uint16_t ipha_ident;
	uint16_t ipha_fragment_offset_and_flags;
	uint8_t ipha_ttl;
	uint8_t ipha_protocol;
	uint16_t ipha_hdr_checksum;
	ipaddr_t ipha_src;
	ipaddr_t ipha_dst;
} ipha_t;

typedef struct ip6_hdr {
	union {
		struct {
			uint32_t ip6_un1_flow;
			uint16_t ip6_un1_plen;
			uint8_t ip6_un1_nxt;
			uint8_t ip6_un1_hlim;
		} ip6_un1;
		uint8_t ip6_un2_vfc;
	} ip6_ctlun;
	in6_addr_t ip6_src;
	in6_addr_t ip6_dst;
} ip6_t;

typedef struct tcph {
	uint8_t th_lport[2];
	uint8_t th_fport[2];
	uint8_t th_seq[4];
	uint8_t th_ack[4];
	uint8_t th_offset_and_rsrvd[1];
	uint8_t th_flags[1];
	uint8_t th_win[2];
	uint8_t th_sum[2];
	uint8_t th_urp[2];
} tcph_t;

typedef struct udpha {
	in_port_t uha_src_port;
	in_port_t uha_dst_port;
	uint16_t uha_length;
	uint16_t uha_checksum;
} udpha_t;

typedef uintptr_t void_ip_t;		/* an IPv4 or an IPv6 header */

typedef struct conn_s {
	pid_t conn_cpid;
	zoneid_t conn_zoneid;
	uint8_t conn_ipversion;
	uint8_t conn_proto;
	struct {
		in6_addr_t connua_laddr;
		in6_addr_t connua_faddr;
	} connua_v6addr;
	union {
		struct {
			in_port_t connu_fport;
			in_port_t connu_lport;
		} connu_ports;
	} u_port;
} conn_t;

typedef struct tcp_s {
	conn_t *tcp_connp;
	int32_t tcp_state;
	uint_t tcp_active_open;
	uint32_t tcp_iss;
	uint32_t tcp_suna;
	uint32_t tcp_snxt;
	uint32_t tcp_rack;
	uint32_t tcp_rnxt;
	uint32_t tcp_swnd;
	uint32_t tcp_rwnd;
	uint32_t tcp_mss;
} tcp_t;

typedef struct udp_s {
	conn_t *udp_connp;
} udp_t;

typedef struct ill_s {
	char *ill_name;
	uint_t ill_mtu;
} ill_t;

/* -- signals as probes see them -------------------------------------------------------------------------------------- */

union sigval {
	int sival_int;
	void *sival_ptr;
};

typedef struct k_siginfo {
	int si_signo;
	int si_errno;
	int si_code;
	pid_t si_pid;
	uid_t si_uid;
	int si_status;
	caddr_t si_addr;
} k_siginfo_t;

/* -- counters of fsflush, the kernel's thread that writes what is newer in memory than on the disk -- */

typedef struct fsf_stat {
	ulong_t fsf_scan;
	ulong_t fsf_examined;
	ulong_t fsf_locked;
	ulong_t fsf_modified;
	ulong_t fsf_coalesce;
	ulong_t fsf_time;
	ulong_t fsf_releases;
} fsf_stat_t;

/* -- variables of the kernel ------------------------------------------------------------------------------------------------ */

extern proc_t *practive;
extern proc_t *kernproc;
extern proc_t p0;
extern proc_t *proc_init;
extern kthread_t t0;
extern zone_t *global_zone;
extern zone_t zone0;
extern vnode_t *rootdir;
extern vnode_t *rootvp;
extern cpu_t *cpu_list;
extern cpu_t *cpu[64];
extern cred_t *kcred;
extern int ncpus;
extern int ncpus_online;
extern int max_ncpus;
extern uint_t real_ncpus;
extern processorid_t max_cpuid;
extern int nr_cpu_ids;
extern int hz;
extern int nsec_per_tick;
extern int maxusers;
extern int max_nprocs;
extern int nproc;
extern pid_t maxpid;
extern int physmem_mib;
extern pgcnt_t physmem;
extern pgcnt_t freemem;
extern pgcnt_t physinstalled;
extern pgcnt_t total_pages;
extern pgcnt_t availrmem;
extern pgcnt_t availrmem_initial;
extern pgcnt_t pages_locked;
extern pgcnt_t swapfs_minfree;
extern pgcnt_t swapfs_reserve;
extern struct k_anoninfo k_anoninfo;
extern fsf_stat_t fsf_total;
extern fsf_stat_t fsf_recent;
extern ulong_t fsf_cycles;
extern int nswapped;
extern int nthread;
extern pfn_t max_pfn;
extern pfn_t physmax;
extern int avenrun[3];
extern int hp_avenrun[3];
extern vfs_t *rootvfs;
extern pid_t mpid;
extern clock_t lbolt;
extern int64_t lbolt64;
extern time_t boot_time;
extern timestruc_t hrestime;
extern uint32_t *apicadr;
extern uint32_t *hpet_base;
extern char hw_serial[11];
extern char *panicstr;
extern utsname_t utsname;
extern char ostype[65];
extern char architecture[5];
extern char platform[6];
extern struct devnames *devnamesp;
extern ulong_t pagesize;
extern ulong_t _pagesize;
extern ulong_t kernelbase;
extern ulong_t _kernelbase;
extern ulong_t _userlimit;
extern int kmem_flags;
extern const char dtrace_zero[256];
