/*
 * Error numbers that every system has in common.
 */
inline int EPERM = 1;
inline int ENOENT = 2;
inline int ESRCH = 3;
inline int EINTR = 4;
inline int EIO = 5;
inline int ENXIO = 6;
inline int E2BIG = 7;
inline int ENOEXEC = 8;
inline int EBADF = 9;
inline int ECHILD = 10;
inline int ENOMEM = 12;
inline int EACCES = 13;
inline int EFAULT = 14;
inline int ENOTBLK = 15;
inline int EBUSY = 16;
inline int EEXIST = 17;
inline int EXDEV = 18;
inline int ENODEV = 19;
inline int ENOTDIR = 20;
inline int EISDIR = 21;
inline int EINVAL = 22;
inline int ENFILE = 23;
inline int EMFILE = 24;
inline int ENOTTY = 25;
inline int ETXTBSY = 26;
inline int EFBIG = 27;
inline int ENOSPC = 28;
inline int ESPIPE = 29;
inline int EROFS = 30;
inline int EMLINK = 31;
inline int EPIPE = 32;
inline int EDOM = 33;
inline int ERANGE = 34;
