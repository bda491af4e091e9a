/*
 * Constants of FreeBSD: those of which other systems have other numbers,
 * or none.
 */

/* Errors: <sys/errno.h>. */
inline int EDEADLK = 11;
inline int EAGAIN = 35;
inline int EWOULDBLOCK = 35;
inline int EINPROGRESS = 36;
inline int EALREADY = 37;
inline int ENOTSOCK = 38;
inline int EDESTADDRREQ = 39;
inline int EMSGSIZE = 40;
inline int EPROTOTYPE = 41;
inline int ENOPROTOOPT = 42;
inline int EPROTONOSUPPORT = 43;
inline int ESOCKTNOSUPPORT = 44;
inline int EOPNOTSUPP = 45;
inline int ENOTSUP = 45;
inline int EPFNOSUPPORT = 46;
inline int EAFNOSUPPORT = 47;
inline int EADDRINUSE = 48;
inline int EADDRNOTAVAIL = 49;
inline int ENETDOWN = 50;
inline int ENETUNREACH = 51;
inline int ENETRESET = 52;
inline int ECONNABORTED = 53;
inline int ECONNRESET = 54;
inline int ENOBUFS = 55;
inline int EISCONN = 56;
inline int ENOTCONN = 57;
inline int ESHUTDOWN = 58;
inline int ETOOMANYREFS = 59;
inline int ETIMEDOUT = 60;
inline int ECONNREFUSED = 61;
inline int ELOOP = 62;
inline int ENAMETOOLONG = 63;
inline int EHOSTDOWN = 64;
inline int EHOSTUNREACH = 65;
inline int ENOTEMPTY = 66;
inline int EPROCLIM = 67;
inline int EUSERS = 68;
inline int EDQUOT = 69;
inline int ESTALE = 70;
inline int EREMOTE = 71;
inline int EBADRPC = 72;
inline int ERPCMISMATCH = 73;
inline int EPROGUNAVAIL = 74;
inline int EPROGMISMATCH = 75;
inline int EPROCUNAVAIL = 76;
inline int ENOLCK = 77;
inline int ENOSYS = 78;
inline int EFTYPE = 79;
inline int EAUTH = 80;
inline int ENEEDAUTH = 81;
inline int EIDRM = 82;
inline int ENOMSG = 83;
inline int EOVERFLOW = 84;
inline int ECANCELED = 85;
inline int EILSEQ = 86;
inline int ENOATTR = 87;
inline int EDOOFUS = 88;
inline int EBADMSG = 89;
inline int EMULTIHOP = 90;
inline int ENOLINK = 91;
inline int EPROTO = 92;
inline int ENOTCAPABLE = 93;
inline int ECAPMODE = 94;
inline int ENOTRECOVERABLE = 95;
inline int EOWNERDEAD = 96;
inline int EINTEGRITY = 97;

/* Only inside of its kernel. */
inline int ERESTART = -1;
inline int EJUSTRETURN = -2;
inline int ENOIOCTL = -3;
inline int EDIRIOCTL = -4;

/* Signals, and reasons for them (si_code): <sys/signal.h>. */
inline int SIGEMT = 7;
inline int SIGBUS = 10;
inline int SIGSYS = 12;
inline int SIGURG = 16;
inline int SIGSTOP = 17;
inline int SIGTSTP = 18;
inline int SIGCONT = 19;
inline int SIGCHLD = 20;
inline int SIGTTIN = 21;
inline int SIGTTOU = 22;
inline int SIGIO = 23;
inline int SIGXCPU = 24;
inline int SIGXFSZ = 25;
inline int SIGVTALRM = 26;
inline int SIGPROF = 27;
inline int SIGWINCH = 28;
inline int SIGINFO = 29;
inline int SIGUSR1 = 30;
inline int SIGUSR2 = 31;
inline int SIGTHR = 32;
inline int SIGLWP = 32;
inline int SIGLIBRT = 33;
inline int SIGRTMIN = 65;
inline int SIGRTMAX = 126;

inline int SI_NOINFO = 0;
inline int SI_UNDEFINED = 0;
inline int SI_USER = 0x10001;
inline int SI_QUEUE = 0x10002;
inline int SI_TIMER = 0x10003;
inline int SI_ASYNCIO = 0x10004;
inline int SI_MESGQ = 0x10005;
inline int SI_KERNEL = 0x10006;
inline int SI_LWP = 0x10007;
inline int FPE_INTOVF = 1;
inline int FPE_INTDIV = 2;
inline int SEGV_PKUERR = 100;
inline int BUS_OOMERR = 100;
inline int TRAP_DTRACE = 3;
inline int TRAP_CAP = 4;

/* Flags of open(2): <sys/fcntl.h>. */
inline int O_ACCMODE = 0x0003;
inline int O_NONBLOCK = 0x0004;
inline int O_NDELAY = 0x0004;
inline int O_APPEND = 0x0008;
inline int O_SHLOCK = 0x0010;
inline int O_EXLOCK = 0x0020;
inline int O_ASYNC = 0x0040;
inline int O_FSYNC = 0x0080;
inline int O_SYNC = 0x0080;
inline int O_NOFOLLOW = 0x0100;
inline int O_CREAT = 0x0200;
inline int O_TRUNC = 0x0400;
inline int O_EXCL = 0x0800;
inline int O_NOCTTY = 0x8000;
inline int O_DIRECT = 0x10000;
inline int O_DIRECTORY = 0x20000;
inline int O_EXEC = 0x40000;
inline int O_SEARCH = 0x40000;
inline int O_TTY_INIT = 0x80000;
inline int O_CLOEXEC = 0x100000;
inline int O_VERIFY = 0x200000;
inline int O_PATH = 0x400000;
inline int O_RESOLVE_BENEATH = 0x800000;
inline int O_DSYNC = 0x1000000;
inline int O_EMPTY_PATH = 0x2000000;

/* Flags of mmap(2): <sys/mman.h>. */
inline int MAP_FILE = 0;
inline int MAP_HASSEMAPHORE = 0x0200;
inline int MAP_STACK = 0x0400;
inline int MAP_NOSYNC = 0x0800;
inline int MAP_ANON = 0x1000;
inline int MAP_ANONYMOUS = 0x1000;
inline int MAP_GUARD = 0x2000;
inline int MAP_EXCL = 0x4000;
inline int MAP_NOCORE = 0x20000;
inline int MAP_PREFAULT_READ = 0x40000;
inline int MAP_32BIT = 0x80000;

/* Address families and types of sockets: <sys/socket.h>. */
inline int AF_ROUTE = 17;
inline int AF_LINK = 18;
inline int AF_INET6 = 28;
inline int AF_NETGRAPH = 32;
inline int AF_BLUETOOTH = 36;
inline int AF_NETLINK = 38;
inline int AF_INET_SDP = 40;
inline int AF_INET6_SDP = 42;
inline int AF_HYPERV = 43;

inline int SOCK_STREAM = 1;
inline int SOCK_DGRAM = 2;
inline int SOCK_RAW = 3;
inline int SOCK_RDM = 4;
inline int SOCK_SEQPACKET = 5;

/* What waitid(2) waits for: <sys/wait.h>. */
inline int P_PID = 0;
inline int P_PPID = 1;
inline int P_PGID = 2;
inline int P_SID = 3;
inline int P_CID = 4;
inline int P_UID = 5;
inline int P_GID = 6;
inline int P_ALL = 7;
inline int P_LWPID = 8;
inline int P_TASKID = 9;
inline int P_PROJID = 10;
inline int P_POOLID = 11;
inline int P_JAILID = 12;
inline int P_CTID = 13;
inline int P_CPUID = 14;
inline int P_PSETID = 15;
