"""Every system call of Linux on x86-64, i386 and AArch64.

Each has its name, its numbers, the C types of its arguments, and the module of its handler.  Numbers are those
of <asm/unistd_64.h>, <asm/unistd_32.h> and <asm-generic/unistd.h>, types those of the prototypes in section 2
of the manual.  Calls without a handler may have no types.
"""

# ruff: noqa: E501
# name | x86-64 number or - | i386 number or - | AArch64 number or - | argument types | module in runtime.kernel.syscalls with its handler
ROWS = """\
read|0|3|63|unsigned int, char *, size_t|files.transfers
write|1|4|64|unsigned int, const char *, size_t|files.transfers
open|2|5|-|const char *, int, umode_t|files.transfers
close|3|6|57|unsigned int|files.transfers
stat|4|106|-|const char *, struct stat *|files.attributes
fstat|5|108|80|unsigned int, struct stat *|files.attributes
lstat|6|107|-|const char *, struct stat *|files.attributes
poll|7|168|-|struct pollfd *, unsigned int, int|files.poll
lseek|8|19|62|unsigned int, off_t, unsigned int|files.transfers
mmap|9|90|222|void *, size_t, int, int, int, off_t|process.mapping
mprotect|10|125|226|void *, size_t, int|process.mapping
munmap|11|91|215|void *, size_t|process.mapping
brk|12|45|214|void *|process.mapping
rt_sigaction|13|174|134|int, const struct sigaction *, struct sigaction *, size_t|process.signals
rt_sigprocmask|14|175|135|int, sigset_t *, sigset_t *, size_t|process.signals
rt_sigreturn|15|173|139||process.signals
ioctl|16|54|29|unsigned int, unsigned int, unsigned long|files.descriptors
pread64|17|180|67|unsigned int, char *, size_t, loff_t|files.transfers
pwrite64|18|181|68|unsigned int, const char *, size_t, loff_t|files.transfers
readv|19|145|65|int, const struct iovec *, int|files.transfers
writev|20|146|66|int, const struct iovec *, int|files.transfers
access|21|33|-|const char *, int|files.attributes
pipe|22|42|-|int *|files.pipe
select|23|82|-|int, fd_set *, fd_set *, fd_set *, struct timeval *|files.poll
sched_yield|24|158|124||process.scheduler
mremap|25|163|216|void *, size_t, size_t, int, void *|process.mapping
msync|26|144|227|void *, size_t, int|process.mapping
mincore|27|218|232|void *, size_t, unsigned char *|process.mapping
madvise|28|219|233|void *, size_t, int|process.mapping
shmget|29|395|194|key_t, size_t, int|ipc.shm
shmat|30|397|196|int, char *, int|ipc.shm
shmctl|31|396|195|int, int, struct shmid_ds *|ipc.shm
dup|32|41|23|unsigned int|files.descriptors
dup2|33|63|-|unsigned int, unsigned int|files.descriptors
pause|34|29|-||process.signals
nanosleep|35|162|101|struct timespec *, struct timespec *|process.timers
getitimer|36|105|102|int, struct itimerval *|process.timers
alarm|37|27|-|unsigned int|process.timers
setitimer|38|104|103|int, struct itimerval *, struct itimerval *|process.timers
getpid|39|20|172||process.identity
sendfile|40|187|71|int, int, off_t *, size_t|files.transfers
socket|41|359|198|int, int, int|net.socket
connect|42|362|203|int, struct sockaddr *, int|net.socket
accept|43|-|202|int, struct sockaddr *, int *|net.socket
sendto|44|369|206|int, void *, size_t, unsigned int, struct sockaddr *, int|net.socket
recvfrom|45|371|207|int, void *, size_t, unsigned int, struct sockaddr *, int *|net.socket
sendmsg|46|370|211|int, struct msghdr *, unsigned int|net.socket
recvmsg|47|372|212|int, struct msghdr *, unsigned int|net.socket
shutdown|48|373|210|int, int|net.socket
bind|49|361|200|int, struct sockaddr *, int|net.socket
listen|50|363|201|int, int|net.socket
getsockname|51|367|204|int, struct sockaddr *, int *|net.socket
getpeername|52|368|205|int, struct sockaddr *, int *|net.socket
socketpair|53|360|199|int, int, int, int *|net.socket
setsockopt|54|366|208|int, int, int, char *, int|net.socket
getsockopt|55|365|209|int, int, int, char *, int *|net.socket
clone|56|120|220|unsigned long, void *, int *, int *, unsigned long|process.lifecycle
fork|57|2|-||process.lifecycle
vfork|58|190|-||process.lifecycle
execve|59|11|221|const char *, const char *const *, const char *const *|process.lifecycle
exit|60|1|93|int|process.lifecycle
wait4|61|114|260|pid_t, int *, int, struct rusage *|process.lifecycle
kill|62|37|129|pid_t, int|process.signals
uname|63|122|160|struct new_utsname *|system
semget|64|393|190|key_t, int, int|ipc.sem
semop|65|-|193|int, struct sembuf *, unsigned int|ipc.sem
semctl|66|394|191|int, int, int, unsigned long|ipc.sem
shmdt|67|398|197|char *|ipc.shm
msgget|68|399|186|key_t, int|ipc.msg
msgsnd|69|400|189|int, struct msgbuf *, size_t, int|ipc.msg
msgrcv|70|401|188|int, struct msgbuf *, size_t, long, int|ipc.msg
msgctl|71|402|187|int, int, struct msqid_ds *|ipc.msg
fcntl|72|55|25|unsigned int, unsigned int, unsigned long|files.descriptors
flock|73|143|32|unsigned int, unsigned int|files.descriptors
fsync|74|118|82|unsigned int|files.transfers
fdatasync|75|148|83|unsigned int|files.transfers
truncate|76|92|45|const char *, long|files.transfers
ftruncate|77|93|46|unsigned int, long|files.transfers
getdents|78|141|-|unsigned int, struct linux_dirent *, unsigned int|files.directories
getcwd|79|183|17|char *, unsigned long|files.directories
chdir|80|12|49|const char *|files.directories
fchdir|81|133|50|unsigned int|files.directories
rename|82|38|-|const char *, const char *|files.directories
mkdir|83|39|-|const char *, umode_t|files.directories
rmdir|84|40|-|const char *|files.directories
creat|85|8|-|const char *, umode_t|files.transfers
link|86|9|-|const char *, const char *|files.directories
unlink|87|10|-|const char *|files.directories
symlink|88|83|-|const char *, const char *|files.directories
readlink|89|85|-|const char *, char *, int|files.directories
chmod|90|15|-|const char *, umode_t|files.attributes
fchmod|91|94|52|unsigned int, umode_t|files.attributes
chown|92|182|-|const char *, uid_t, gid_t|files.attributes
fchown|93|95|55|unsigned int, uid_t, gid_t|files.attributes
lchown|94|16|-|const char *, uid_t, gid_t|files.attributes
umask|95|60|166|int|files.directories
gettimeofday|96|78|169|struct timeval *, struct timezone *|process.timers
getrlimit|97|76|163|unsigned int, struct rlimit *|process.identity
getrusage|98|77|165|int, struct rusage *|process.timers
sysinfo|99|116|179|struct sysinfo *|system
times|100|43|153|struct tms *|process.timers
ptrace|101|26|117|long, long, unsigned long, unsigned long|process.ptrace
getuid|102|24|174||process.identity
syslog|103|103|116|int, char *, int|
getgid|104|47|176||process.identity
setuid|105|23|146|uid_t|process.identity
setgid|106|46|144|gid_t|process.identity
geteuid|107|49|175||process.identity
getegid|108|50|177||process.identity
setpgid|109|57|154|pid_t, pid_t|process.identity
getppid|110|64|173||process.identity
getpgrp|111|65|-||process.identity
setsid|112|66|157||process.identity
setreuid|113|70|145|uid_t, uid_t|process.identity
setregid|114|71|143|gid_t, gid_t|process.identity
getgroups|115|80|158|int, gid_t *|process.identity
setgroups|116|81|159|int, gid_t *|process.identity
setresuid|117|164|147|uid_t, uid_t, uid_t|process.identity
getresuid|118|165|148|uid_t *, uid_t *, uid_t *|process.identity
setresgid|119|170|149|gid_t, gid_t, gid_t|process.identity
getresgid|120|171|150|gid_t *, gid_t *, gid_t *|process.identity
getpgid|121|132|155|pid_t|process.identity
setfsuid|122|138|151|uid_t|process.identity
setfsgid|123|139|152|gid_t|process.identity
getsid|124|147|156|pid_t|process.identity
capget|125|184|90|cap_user_header_t, cap_user_data_t|process.identity
capset|126|185|91|cap_user_header_t, const cap_user_data_t|process.identity
rt_sigpending|127|176|136|sigset_t *, size_t|process.signals
rt_sigtimedwait|128|177|137|const sigset_t *, struct siginfo *, const struct timespec *, size_t|process.signals
rt_sigqueueinfo|129|178|138|pid_t, int, struct siginfo *|process.signals
rt_sigsuspend|130|179|133|sigset_t *, size_t|process.signals
sigaltstack|131|186|132|const struct sigaltstack *, struct sigaltstack *|process.signals
utime|132|30|-|const char *, struct utimbuf *|files.attributes
mknod|133|14|-|const char *, umode_t, dev_t|files.directories
uselib|134|86|-|const char *|
personality|135|136|92|unsigned int|system
ustat|136|62|-|dev_t, struct ustat *|
statfs|137|99|43|const char *, struct statfs *|files.attributes
fstatfs|138|100|44|unsigned int, struct statfs *|files.attributes
sysfs|139|135|-|int, unsigned long, unsigned long|
getpriority|140|96|141|int, int|process.scheduler
setpriority|141|97|140|int, int, int|process.scheduler
sched_setparam|142|154|118|pid_t, struct sched_param *|process.scheduler
sched_getparam|143|155|121|pid_t, struct sched_param *|process.scheduler
sched_setscheduler|144|156|119|pid_t, int, struct sched_param *|process.scheduler
sched_getscheduler|145|157|120|pid_t|process.scheduler
sched_get_priority_max|146|159|125|int|process.scheduler
sched_get_priority_min|147|160|126|int|process.scheduler
sched_rr_get_interval|148|161|127|pid_t, struct timespec *|process.scheduler
mlock|149|150|228|void *, size_t|process.locking
munlock|150|151|229|void *, size_t|process.locking
mlockall|151|152|230|int|process.locking
munlockall|152|153|231||process.locking
vhangup|153|111|58||
modify_ldt|154|123|-|int, void *, unsigned long|
pivot_root|155|217|41|const char *, const char *|
_sysctl|156|149|-||
prctl|157|172|167|int, unsigned long, unsigned long, unsigned long, unsigned long|system
arch_prctl|158|384|-|int, unsigned long|process.thread
adjtimex|159|124|171|struct timex *|process.timers
setrlimit|160|75|164|unsigned int, struct rlimit *|process.identity
chroot|161|61|51|const char *|files.directories
sync|162|36|81||files.transfers
acct|163|51|89|const char *|
settimeofday|164|79|170|struct timeval *, struct timezone *|
mount|165|21|40|const char *, const char *, const char *, unsigned long, void *|
umount2|166|52|39|const char *, int|
swapon|167|87|224|const char *, int|
swapoff|168|115|225|const char *|
reboot|169|88|142|int, int, unsigned int, void *|
sethostname|170|74|161|const char *, int|system
setdomainname|171|121|162|const char *, int|system
iopl|172|110|-|unsigned int|
ioperm|173|101|-|unsigned long, unsigned long, int|
create_module|174|127|-||
init_module|175|128|105||
delete_module|176|129|106||
get_kernel_syms|177|130|-||
query_module|178|167|-||
quotactl|179|131|60||
nfsservctl|180|169|42||
getpmsg|181|188|-||
putpmsg|182|189|-||
afs_syscall|183|137|-||
tuxcall|184|-|-||
security|185|-|-||
gettid|186|224|178||process.thread
readahead|187|225|213|int, loff_t, size_t|files.transfers
setxattr|188|226|5|const char *, const char *, const void *, size_t, int|files.attributes
lsetxattr|189|227|6|const char *, const char *, const void *, size_t, int|files.attributes
fsetxattr|190|228|7|int, const char *, const void *, size_t, int|files.attributes
getxattr|191|229|8|const char *, const char *, void *, size_t|files.attributes
lgetxattr|192|230|9|const char *, const char *, void *, size_t|files.attributes
fgetxattr|193|231|10|int, const char *, void *, size_t|files.attributes
listxattr|194|232|11|const char *, char *, size_t|files.attributes
llistxattr|195|233|12|const char *, char *, size_t|files.attributes
flistxattr|196|234|13|int, char *, size_t|files.attributes
removexattr|197|235|14|const char *, const char *|files.attributes
lremovexattr|198|236|15|const char *, const char *|files.attributes
fremovexattr|199|237|16|int, const char *|files.attributes
tkill|200|238|130|pid_t, int|process.signals
time|201|13|-|time_t *|process.timers
futex|202|240|98|unsigned int *, int, unsigned int, const struct timespec *, unsigned int *, unsigned int|process.futex
sched_setaffinity|203|241|122|pid_t, unsigned int, unsigned long *|process.scheduler
sched_getaffinity|204|242|123|pid_t, unsigned int, unsigned long *|process.scheduler
set_thread_area|205|243|-|struct user_desc *|process.thread
io_setup|206|245|0|unsigned int, aio_context_t *|
io_destroy|207|246|1|aio_context_t|
io_getevents|208|247|4||
io_submit|209|248|2||
io_cancel|210|249|3||
get_thread_area|211|244|-|struct user_desc *|process.thread
lookup_dcookie|212|253|18||
epoll_create|213|254|-|int|files.epoll
epoll_ctl_old|214|-|-||
epoll_wait_old|215|-|-||
remap_file_pages|216|257|234|void *, size_t, int, size_t, int|process.mapping
getdents64|217|220|61|unsigned int, struct linux_dirent64 *, unsigned int|files.directories
set_tid_address|218|258|96|int *|process.thread
restart_syscall|219|0|128||system
semtimedop|220|-|192|int, struct sembuf *, unsigned int, const struct timespec *|ipc.sem
fadvise64|221|250|223|int, loff_t, size_t, int|files.transfers
timer_create|222|259|107|clockid_t, struct sigevent *, timer_t *|process.timers
timer_settime|223|260|110|timer_t, int, const struct itimerspec *, struct itimerspec *|process.timers
timer_gettime|224|261|108|timer_t, struct itimerspec *|process.timers
timer_getoverrun|225|262|109|int|process.timers
timer_delete|226|263|111|int|process.timers
clock_settime|227|264|112|clockid_t, const struct timespec *|process.timers
clock_gettime|228|265|113|clockid_t, struct timespec *|process.timers
clock_getres|229|266|114|clockid_t, struct timespec *|process.timers
clock_nanosleep|230|267|115|clockid_t, int, const struct timespec *, struct timespec *|process.timers
exit_group|231|252|94|int|process.lifecycle
epoll_wait|232|256|-|int, struct epoll_event *, int, int|files.epoll
epoll_ctl|233|255|21|int, int, int, struct epoll_event *|files.epoll
tgkill|234|270|131|pid_t, pid_t, int|process.signals
utimes|235|271|-|const char *, struct timeval *|files.attributes
vserver|236|273|-||
mbind|237|274|235|void *, unsigned long, int, const unsigned long *, unsigned long, unsigned int|
set_mempolicy|238|276|237|int, const unsigned long *, unsigned long|
get_mempolicy|239|275|236|int *, unsigned long *, unsigned long, unsigned long, unsigned long|
mq_open|240|277|180|const char *, int, umode_t, struct mq_attr *|ipc.mqueue
mq_unlink|241|278|181|const char *|ipc.mqueue
mq_timedsend|242|279|182|mqd_t, const char *, size_t, unsigned int, const struct timespec *|ipc.mqueue
mq_timedreceive|243|280|183|mqd_t, char *, size_t, unsigned int *, const struct timespec *|ipc.mqueue
mq_notify|244|281|184|mqd_t, const struct sigevent *|ipc.mqueue
mq_getsetattr|245|282|185|mqd_t, const struct mq_attr *, struct mq_attr *|ipc.mqueue
kexec_load|246|283|104||
waitid|247|284|95|int, pid_t, struct siginfo *, int, struct rusage *|process.lifecycle
add_key|248|286|217||
request_key|249|287|218||
keyctl|250|288|219||
ioprio_set|251|289|30|int, int, int|process.scheduler
ioprio_get|252|290|31|int, int|process.scheduler
inotify_init|253|291|-||files.inotify
inotify_add_watch|254|292|27|int, const char *, unsigned int|files.inotify
inotify_rm_watch|255|293|28|int, int|files.inotify
migrate_pages|256|294|238||
openat|257|295|56|int, const char *, int, umode_t|files.transfers
mkdirat|258|296|34|int, const char *, umode_t|files.directories
mknodat|259|297|33|int, const char *, umode_t, dev_t|files.directories
fchownat|260|298|54|int, const char *, uid_t, gid_t, int|files.attributes
futimesat|261|299|-|int, const char *, struct timeval *|files.attributes
newfstatat|262|-|79|int, const char *, struct stat *, int|files.attributes
unlinkat|263|301|35|int, const char *, int|files.directories
renameat|264|302|38|int, const char *, int, const char *|files.directories
linkat|265|303|37|int, const char *, int, const char *, int|files.directories
symlinkat|266|304|36|const char *, int, const char *|files.directories
readlinkat|267|305|78|int, const char *, char *, int|files.directories
fchmodat|268|306|53|int, const char *, umode_t|files.attributes
faccessat|269|307|48|int, const char *, int|files.attributes
pselect6|270|308|72|int, fd_set *, fd_set *, fd_set *, struct timespec *, void *|files.poll
ppoll|271|309|73|struct pollfd *, unsigned int, struct timespec *, const sigset_t *, size_t|files.poll
unshare|272|310|97|int|
set_robust_list|273|311|99|struct robust_list_head *, size_t|process.thread
get_robust_list|274|312|100|int, struct robust_list_head **, size_t *|process.thread
splice|275|313|76|int, loff_t *, int, loff_t *, size_t, unsigned int|files.transfers
tee|276|315|77|int, int, size_t, unsigned int|files.transfers
sync_file_range|277|314|84|int, loff_t, loff_t, unsigned int|files.transfers
vmsplice|278|316|75|int, const struct iovec *, unsigned long, unsigned int|files.transfers
move_pages|279|317|239||
utimensat|280|320|88|int, const char *, struct timespec *, int|files.attributes
epoll_pwait|281|319|22|int, struct epoll_event *, int, int, const sigset_t *, size_t|files.epoll
signalfd|282|321|-|int, sigset_t *, size_t|files.eventfd
timerfd_create|283|322|85|int, int|files.eventfd
eventfd|284|323|-|unsigned int|files.eventfd
fallocate|285|324|47|int, int, loff_t, loff_t|files.space
timerfd_settime|286|325|86|int, int, const struct itimerspec *, struct itimerspec *|files.eventfd
timerfd_gettime|287|326|87|int, struct itimerspec *|files.eventfd
accept4|288|364|242|int, struct sockaddr *, int *, int|net.socket
signalfd4|289|327|74|int, sigset_t *, size_t, int|files.eventfd
eventfd2|290|328|19|int, int|files.eventfd
epoll_create1|291|329|20|int|files.epoll
dup3|292|330|24|unsigned int, unsigned int, int|files.descriptors
pipe2|293|331|59|int *, int|files.pipe
inotify_init1|294|332|26|int|files.inotify
preadv|295|333|69|int, const struct iovec *, int, unsigned long, unsigned long|files.transfers
pwritev|296|334|70|int, const struct iovec *, int, unsigned long, unsigned long|files.transfers
rt_tgsigqueueinfo|297|335|240|pid_t, pid_t, int, struct siginfo *|process.signals
perf_event_open|298|336|241|struct perf_event_attr *, pid_t, int, int, unsigned long|
recvmmsg|299|337|243|int, struct mmsghdr *, unsigned int, unsigned int, struct timespec *|net.socket
fanotify_init|300|338|262||
fanotify_mark|301|339|263||
prlimit64|302|340|261|pid_t, unsigned int, const struct rlimit64 *, struct rlimit64 *|process.identity
name_to_handle_at|303|341|264|int, const char *, struct file_handle *, int *, int|
open_by_handle_at|304|342|265|int, struct file_handle *, int|
clock_adjtime|305|343|266|clockid_t, struct timex *|process.timers
syncfs|306|344|267|unsigned int|files.transfers
sendmmsg|307|345|269|int, struct mmsghdr *, unsigned int, unsigned int|net.socket
setns|308|346|268|int, int|
getcpu|309|318|168|unsigned int *, unsigned int *, void *|process.scheduler
process_vm_readv|310|347|270|pid_t, const struct iovec *, unsigned long, const struct iovec *, unsigned long, unsigned long|process.ptrace
process_vm_writev|311|348|271|pid_t, const struct iovec *, unsigned long, const struct iovec *, unsigned long, unsigned long|process.ptrace
kcmp|312|349|272|pid_t, pid_t, int, unsigned long, unsigned long|
finit_module|313|350|273||
sched_setattr|314|351|274|pid_t, struct sched_attr *, unsigned int|process.scheduler
sched_getattr|315|352|275|pid_t, struct sched_attr *, unsigned int, unsigned int|process.scheduler
renameat2|316|353|276|int, const char *, int, const char *, unsigned int|files.directories
seccomp|317|354|277|unsigned int, unsigned int, void *|
getrandom|318|355|278|char *, size_t, unsigned int|system
memfd_create|319|356|279|const char *, unsigned int|files.transfers
kexec_file_load|320|-|294||
bpf|321|357|280|int, union bpf_attr *, unsigned int|
execveat|322|358|281|int, const char *, const char *const *, const char *const *, int|process.lifecycle
userfaultfd|323|374|282|int|
membarrier|324|375|283|int, unsigned int, int|system
mlock2|325|376|284|void *, size_t, int|process.locking
copy_file_range|326|377|285|int, loff_t *, int, loff_t *, size_t, unsigned int|files.transfers
preadv2|327|378|286|int, const struct iovec *, int, unsigned long, unsigned long, int|files.transfers
pwritev2|328|379|287|int, const struct iovec *, int, unsigned long, unsigned long, int|files.transfers
pkey_mprotect|329|380|288|void *, size_t, int, int|process.mapping
pkey_alloc|330|381|289|unsigned long, unsigned long|
pkey_free|331|382|290|int|
statx|332|383|291|int, const char *, unsigned int, unsigned int, struct statx *|files.attributes
io_pgetevents|333|385|292||
rseq|334|386|293|struct rseq *, unsigned int, int, unsigned int|
pidfd_send_signal|424|424|424|int, int, struct siginfo *, unsigned int|process.signals
io_uring_setup|425|425|425|unsigned int, struct io_uring_params *|
io_uring_enter|426|426|426|unsigned int, unsigned int, unsigned int, unsigned int, const void *, size_t|
io_uring_register|427|427|427|unsigned int, unsigned int, void *, unsigned int|
open_tree|428|428|428||
move_mount|429|429|429||
fsopen|430|430|430||
fsconfig|431|431|431||
fsmount|432|432|432||
fspick|433|433|433||
pidfd_open|434|434|434|pid_t, unsigned int|files.eventfd
clone3|435|435|435|struct clone_args *, size_t|process.lifecycle
close_range|436|436|436|unsigned int, unsigned int, unsigned int|files.transfers
openat2|437|437|437|int, const char *, struct open_how *, size_t|files.transfers
pidfd_getfd|438|438|438|int, int, unsigned int|files.eventfd
faccessat2|439|439|439|int, const char *, int, int|files.attributes
process_madvise|440|440|440|int, const struct iovec *, size_t, int, unsigned int|
epoll_pwait2|441|441|441|int, struct epoll_event *, int, const struct timespec *, const sigset_t *, size_t|files.epoll
mount_setattr|442|442|442||
quotactl_fd|443|443|443||
landlock_create_ruleset|444|444|444||
landlock_add_rule|445|445|445||
landlock_restrict_self|446|446|446||
memfd_secret|447|447|447|int|
process_mrelease|448|448|448||
futex_waitv|449|449|449|struct futex_waitv *, unsigned int, unsigned int, struct timespec *, clockid_t|
set_mempolicy_home_node|450|450|450||
fchmodat2|452|452|-|int, const char *, umode_t, unsigned int|files.attributes
waitpid|-|7|-|pid_t, int *, int|process.lifecycle
break|-|17|-||
oldstat|-|18|-|const char *, struct stat *|
umount|-|22|-|const char *|
stime|-|25|-|time_t *|
oldfstat|-|28|-|unsigned int, struct stat *|
stty|-|31|-||
gtty|-|32|-||
nice|-|34|-|int|process.scheduler
ftime|-|35|-||
prof|-|44|-||
signal|-|48|-|int, void *|process.signals
lock|-|53|-||
mpx|-|56|-||
ulimit|-|58|-||
oldolduname|-|59|-|struct new_utsname *|
sigaction|-|67|-|int, const struct old_sigaction *, struct old_sigaction *|process.signals
sgetmask|-|68|-||
ssetmask|-|69|-|int|
sigsuspend|-|72|-|int, int, old_sigset_t|process.signals
sigpending|-|73|-|old_sigset_t *|process.signals
oldlstat|-|84|-|const char *, struct stat *|
readdir|-|89|-||
profil|-|98|-||
socketcall|-|102|-|int, unsigned long *|net.socket
olduname|-|109|-|struct new_utsname *|
idle|-|112|-||
vm86old|-|113|-||
ipc|-|117|-|unsigned int, int, unsigned long, unsigned long, void *, long|ipc.multiplexer
sigreturn|-|119|-||process.signals
sigprocmask|-|126|-|int, old_sigset_t *, old_sigset_t *|process.signals
bdflush|-|134|-||
_llseek|-|140|-|unsigned int, unsigned long, unsigned long, loff_t *, unsigned int|files.transfers
_newselect|-|142|-|int, fd_set *, fd_set *, fd_set *, struct timeval *|files.poll
vm86|-|166|-||
ugetrlimit|-|191|-|unsigned int, struct rlimit *|process.identity
mmap2|-|192|-|void *, size_t, int, int, int, unsigned long|process.mapping
truncate64|-|193|-|const char *, loff_t|files.transfers
ftruncate64|-|194|-|unsigned int, loff_t|files.transfers
stat64|-|195|-|const char *, struct stat *|files.attributes
lstat64|-|196|-|const char *, struct stat *|files.attributes
fstat64|-|197|-|unsigned int, struct stat *|files.attributes
lchown32|-|198|-|const char *, uid_t, gid_t|files.attributes
getuid32|-|199|-||process.identity
getgid32|-|200|-||process.identity
geteuid32|-|201|-||process.identity
getegid32|-|202|-||process.identity
setreuid32|-|203|-|uid_t, uid_t|process.identity
setregid32|-|204|-|gid_t, gid_t|process.identity
getgroups32|-|205|-|int, gid_t *|process.identity
setgroups32|-|206|-|int, gid_t *|process.identity
fchown32|-|207|-|unsigned int, uid_t, gid_t|files.attributes
setresuid32|-|208|-|uid_t, uid_t, uid_t|process.identity
getresuid32|-|209|-|uid_t *, uid_t *, uid_t *|process.identity
setresgid32|-|210|-|gid_t, gid_t, gid_t|process.identity
getresgid32|-|211|-|gid_t *, gid_t *, gid_t *|process.identity
chown32|-|212|-|const char *, uid_t, gid_t|files.attributes
setuid32|-|213|-|uid_t|process.identity
setgid32|-|214|-|gid_t|process.identity
setfsuid32|-|215|-|uid_t|process.identity
setfsgid32|-|216|-|gid_t|process.identity
fcntl64|-|221|-|unsigned int, unsigned int, unsigned long|files.descriptors
sendfile64|-|239|-|int, int, loff_t *, size_t|files.transfers
statfs64|-|268|-|const char *, size_t, struct statfs64 *|files.attributes
fstatfs64|-|269|-|unsigned int, size_t, struct statfs64 *|files.attributes
fadvise64_64|-|272|-|int, loff_t, loff_t, int|files.transfers
fstatat64|-|300|-|int, const char *, struct stat *, int|files.attributes
clock_gettime64|-|403|-|clockid_t, struct timespec *|process.timers
clock_settime64|-|404|-|clockid_t, const struct timespec *|process.timers
clock_adjtime64|-|405|-|clockid_t, struct timex *|
clock_getres_time64|-|406|-|clockid_t, struct timespec *|process.timers
clock_nanosleep_time64|-|407|-|clockid_t, int, const struct timespec *, struct timespec *|process.timers
timer_gettime64|-|408|-|timer_t, struct itimerspec *|process.timers
timer_settime64|-|409|-|timer_t, int, const struct itimerspec *, struct itimerspec *|process.timers
timerfd_gettime64|-|410|-|int, struct itimerspec *|files.eventfd
timerfd_settime64|-|411|-|int, int, const struct itimerspec *, struct itimerspec *|files.eventfd
utimensat_time64|-|412|-|int, const char *, struct timespec *, int|files.attributes
pselect6_time64|-|413|-|int, fd_set *, fd_set *, fd_set *, struct timespec *, void *|files.poll
ppoll_time64|-|414|-|struct pollfd *, unsigned int, struct timespec *, const sigset_t *, size_t|files.poll
io_pgetevents_time64|-|416|-||
recvmmsg_time64|-|417|-|int, struct mmsghdr *, unsigned int, unsigned int, struct timespec *|net.socket
mq_timedsend_time64|-|418|-|mqd_t, const char *, size_t, unsigned int, const struct timespec *|ipc.mqueue
mq_timedreceive_time64|-|419|-|mqd_t, char *, size_t, unsigned int *, const struct timespec *|ipc.mqueue
semtimedop_time64|-|420|-|int, struct sembuf *, unsigned int, const struct timespec *|ipc.sem
rt_sigtimedwait_time64|-|421|-|const sigset_t *, struct siginfo *, const struct timespec *, size_t|process.signals
futex_time64|-|422|-|unsigned int *, int, unsigned int, const struct timespec *, unsigned int *, unsigned int|process.futex
sched_rr_get_interval_time64|-|423|-|pid_t, struct timespec *|process.scheduler
"""
