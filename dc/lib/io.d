/*
 * Input and output: bufinfo_t, devinfo_t and fileinfo_t, which the io provider
 * hands out as args[], and fds[], the current process's open files.
 */
typedef struct bufinfo {
	int b_flags;			/* B_* */
	size_t b_bcount;		/* bytes */
	caddr_t b_addr;
	uint64_t b_lblkno;
	uint64_t b_blkno;
	size_t b_resid;
	size_t b_bufsize;
	caddr_t b_iodone;
	int b_error;
	dev_t b_edev;
} bufinfo_t;

inline int B_READ = 0x000040;
inline int B_WRITE = 0x000100;
inline int B_ASYNC = 0x000400;
inline int B_PHYS = 0x000020;
inline int B_PAGEIO = 0x000010;
inline int B_DONE = 0x000002;
inline int B_ERROR = 0x000004;
inline int B_BUSY = 0x000001;

translator bufinfo_t < buf_t *B > {
	b_flags = B->b_flags;
	b_bcount = B->b_bcount;
	b_addr = B->b_un.b_addr;
	b_lblkno = B->b_lblkno;
	b_blkno = B->b_lblkno;
	b_resid = B->b_resid;
	b_bufsize = B->b_bufsize;
	b_iodone = (caddr_t)B->b_iodone;
	b_error = B->b_error;
	b_edev = B->b_edev;
};

typedef struct devinfo {
	major_t dev_major;
	minor_t dev_minor;
	int dev_instance;
	string dev_name;
	string dev_statname;
	string dev_pathname;
} devinfo_t;

translator devinfo_t < buf_t *B > {
	dev_major = getmajor(B->b_edev);
	dev_minor = getminor(B->b_edev);
	dev_instance = B->b_dip == NULL ? 0 : B->b_dip->devi_instance;
	dev_name = B->b_dip == NULL ? "nfs" : stringof(B->b_dip->devi_node_name);
	dev_statname = B->b_dip == NULL ? "nfs" :
	    strjoin(stringof(B->b_dip->devi_node_name), lltostr(B->b_dip->devi_instance));
	dev_pathname = B->b_dip == NULL ? "<nfs>" : ddi_pathname(B->b_dip, getminor(B->b_edev));
};

typedef struct fileinfo {
	string fi_name;			/* last component of the path */
	string fi_dirname;
	string fi_pathname;
	offset_t fi_offset;
	string fi_fs;
	string fi_mount;
	int fi_oflags;			/* O_* */
} fileinfo_t;

translator fileinfo_t < vnode_t *V > {
	fi_name = V == NULL ? "<none>" : V->v_path == NULL ? "<unknown>" : basename(stringof(V->v_path));
	fi_dirname = V == NULL ? "<none>" : V->v_path == NULL ? "<unknown>" : dirname(stringof(V->v_path));
	fi_pathname = V == NULL ? "<none>" : V->v_path == NULL ? "<unknown>" : stringof(V->v_path);
	fi_offset = 0;
	fi_fs = V == NULL ? "<none>" : stringof(V->v_op->vnop_name);
	fi_mount = V == NULL || V->v_vfsp == NULL || V->v_vfsp->vfs_mntpt == NULL ? "<none>" :
	    stringof(V->v_vfsp->vfs_mntpt);
	fi_oflags = 0;
};

translator fileinfo_t < buf_t *B > {
	fi_name = B->b_file == NULL ? "<none>" : B->b_file->v_path == NULL ? "<unknown>" :
	    basename(stringof(B->b_file->v_path));
	fi_dirname = B->b_file == NULL ? "<none>" : B->b_file->v_path == NULL ? "<unknown>" :
	    dirname(stringof(B->b_file->v_path));
	fi_pathname = B->b_file == NULL ? "<none>" : B->b_file->v_path == NULL ? "<unknown>" :
	    stringof(B->b_file->v_path);
	fi_offset = B->b_offset;
	fi_fs = B->b_file == NULL ? "<none>" : stringof(B->b_file->v_op->vnop_name);
	fi_mount = B->b_file == NULL || B->b_file->v_vfsp == NULL || B->b_file->v_vfsp->vfs_mntpt == NULL ?
	    "<none>" : stringof(B->b_file->v_vfsp->vfs_mntpt);
	fi_oflags = 0;
};

translator fileinfo_t < file_t *F > {
	fi_name = F == NULL ? "<none>" : F->f_vnode->v_path == NULL ? "<unknown>" :
	    basename(stringof(F->f_vnode->v_path));
	fi_dirname = F == NULL ? "<none>" : F->f_vnode->v_path == NULL ? "<unknown>" :
	    dirname(stringof(F->f_vnode->v_path));
	fi_pathname = F == NULL ? "<none>" : F->f_vnode->v_path == NULL ? "<unknown>" :
	    stringof(F->f_vnode->v_path);
	fi_offset = F == NULL ? 0 : F->f_offset;
	fi_fs = F == NULL ? "<none>" : stringof(F->f_vnode->v_op->vnop_name);
	fi_mount = F == NULL || F->f_vnode->v_vfsp == NULL || F->f_vnode->v_vfsp->vfs_mntpt == NULL ?
	    "<none>" : stringof(F->f_vnode->v_vfsp->vfs_mntpt);
	fi_oflags = F == NULL ? 0 : (F->f_flag & 3) - 1 | (F->f_flag & 0x08 ? O_APPEND : 0) |
	    (F->f_flag & 0x10 ? O_SYNC : 0) | (F->f_flag & 0x40 ? O_DSYNC : 0) |
	    (F->f_flag & 0x80 ? O_NONBLOCK : 0);
};

#pragma D attributes Stable/Stable/Common fds
inline fileinfo_t fds[int fd] = xlate < fileinfo_t > (
    fd >= 0 && fd < curthread->t_procp->p_user.u_finfo.fi_nfiles ?
    curthread->t_procp->p_user.u_finfo.fi_list[fd].uf_file : (file_t *)NULL);

inline int O_RDONLY = 0;
inline int O_WRONLY = 1;
inline int O_RDWR = 2;
