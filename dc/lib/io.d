/*
 * What moves to and from disks, and what files are open: bufinfo_t, devinfo_t
 * and fileinfo_t are args[0], args[1] and args[2] of the io provider; fds[] has
 * a fileinfo_t for each descriptor of the current process.
 */
typedef struct bufinfo {
	int b_flags;			/* B_* */
	size_t b_bcount;		/* bytes to move */
	caddr_t b_addr;			/* from or to this address */
	uint64_t b_lblkno;
	uint64_t b_blkno;
	size_t b_resid;			/* bytes that did not move */
	size_t b_bufsize;
	caddr_t b_iodone;
	int b_error;			/* errno of a transfer that failed */
	dev_t b_edev;
} bufinfo_t;

typedef struct devinfo {
	major_t dev_major;
	minor_t dev_minor;
	int dev_instance;
	string dev_name;
	string dev_statname;		/* name and instance: sd0 */
	string dev_pathname;
} devinfo_t;

typedef struct fileinfo {
	string fi_name;			/* last component of the path */
	string fi_dirname;		/* the path without it */
	string fi_pathname;
	offset_t fi_offset;
	string fi_fs;			/* kind of file system */
	string fi_mount;		/* where it is mounted */
	int fi_oflags;			/* O_*, as open(2) takes them */
} fileinfo_t;

/* Bits of b_flags. */
inline int B_BUSY = 0x000001;
inline int B_DONE = 0x000002;
inline int B_ERROR = 0x000004;
inline int B_PAGEIO = 0x000010;
inline int B_PHYS = 0x000020;
inline int B_READ = 0x000040;
inline int B_WRITE = 0x000100;
inline int B_ASYNC = 0x000400;

/* The access mode in fi_oflags.  The other O_* differ between systems. */
inline int O_RDONLY = 0;
inline int O_WRONLY = 1;
inline int O_RDWR = 2;

translator bufinfo_t < buf_t *buf > {
	b_edev = buf->b_edev;
	b_lblkno = buf->b_lblkno;
	b_blkno = buf->b_lblkno;	/* the kernel keeps one number */
	b_addr = buf->b_un.b_addr;
	b_bufsize = buf->b_bufsize;
	b_bcount = buf->b_bcount;
	b_resid = buf->b_resid;
	b_flags = buf->b_flags;
	b_error = buf->b_error;
	b_iodone = (caddr_t)buf->b_iodone;
};

translator devinfo_t < buf_t *buf > {
	dev_name = stringof(buf->b_dip->devi_node_name);
	dev_instance = buf->b_dip->devi_instance;
	dev_statname = strjoin(buf->b_dip->devi_node_name, lltostr(buf->b_dip->devi_instance));
	dev_pathname = ddi_pathname(buf->b_dip, getminor(buf->b_edev));
	dev_major = getmajor(buf->b_edev);
	dev_minor = getminor(buf->b_edev);
};

/*
 * A vnode says whose data it is: it is neither open nor at an offset.  Its path
 * is the whole machine's; cleanpath() makes it that of the tracer's zone.
 */
translator fileinfo_t < vnode_t *node > {
	fi_pathname = node && node->v_path ? cleanpath(node->v_path) : node ? "<unknown>" : "<none>";
	fi_dirname = node && node->v_path ? dirname(cleanpath(node->v_path)) : node ? "<unknown>" : "<none>";
	fi_name = node && node->v_path ? basename(cleanpath(node->v_path)) : node ? "<unknown>" : "<none>";
	fi_mount = node && node->v_vfsp && node->v_vfsp->vfs_mntpt ?
	    stringof(node->v_vfsp->vfs_mntpt) : "<none>";
	fi_fs = node ? stringof(node->v_op->vnop_name) : "<none>";
	fi_offset = 0;
	fi_oflags = 0;
};

/* A transfer has the names of its file, and an offset of its own. */
translator fileinfo_t < buf_t *buf > {
	fi_pathname = xlate <fileinfo_t *> (buf->b_file)->fi_pathname;
	fi_dirname = xlate <fileinfo_t *> (buf->b_file)->fi_dirname;
	fi_name = xlate <fileinfo_t *> (buf->b_file)->fi_name;
	fi_mount = xlate <fileinfo_t *> (buf->b_file)->fi_mount;
	fi_fs = xlate <fileinfo_t *> (buf->b_file)->fi_fs;
	fi_offset = buf->b_offset;
	fi_oflags = 0;
};

/*
 * An open file: NULL stands for a descriptor that is closed.  f_flag has a bit
 * for reading (1) and one for writing (2), where O_RDONLY, O_WRONLY and O_RDWR
 * count from 0.  The rest of its bits have the numbers of illumos' <sys/file.h>.
 */
translator fileinfo_t < file_t *open > {
	fi_pathname = xlate <fileinfo_t *> (open ? open->f_vnode : (vnode_t *)0)->fi_pathname;
	fi_dirname = xlate <fileinfo_t *> (open ? open->f_vnode : (vnode_t *)0)->fi_dirname;
	fi_name = xlate <fileinfo_t *> (open ? open->f_vnode : (vnode_t *)0)->fi_name;
	fi_mount = xlate <fileinfo_t *> (open ? open->f_vnode : (vnode_t *)0)->fi_mount;
	fi_fs = xlate <fileinfo_t *> (open ? open->f_vnode : (vnode_t *)0)->fi_fs;
	fi_offset = open ? open->f_offset : 0;
	fi_oflags = !open ? 0 : (open->f_flag & 0x03) - 1 |
	    (open->f_flag & 0x08 ? O_APPEND : 0) |
	    (open->f_flag & 0x10 ? O_SYNC : 0) |
	    (open->f_flag & 0x40 ? O_DSYNC : 0) |
	    (open->f_flag & 0x80 ? O_NONBLOCK : 0);
};

/* getf() opens the file, its path and the name of its operations to a tracer without kernel privileges. */
#pragma D attributes Stable/Stable/Common fds
inline fileinfo_t fds[int fd] = xlate <fileinfo_t> (getf(fd));
