/* System V's shared memory, semaphores and queues at their edges: each command, sizes, flags, bad places; ipc(2) of i386. */
#include "portable.h"
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "asleep.h"
#include "say.h"

#define BAD ((void *)8)
#define LONG (sizeof(long) == 8) /* the C library copies structures in 32 bits */
union semun { int val; void *pointer; };
struct message { long type; char text[64]; };

static void semaphores(void)
{
	int set = semget(IPC_PRIVATE, 3, 0600), key = 0x51000000 | getpid(), named = semget(key, 2, IPC_CREAT | 0600), status;
	unsigned short values[4] = { 1, 2, 3, 9 };
	union semun argument = { .pointer = values };
	struct semid_ds found, changed;
	struct sembuf all[4] = { { 0, 1, 0 }, { 1, -1, IPC_NOWAIT }, { 2, 0, IPC_NOWAIT }, { 3, 1, 0 } };
	struct timespec soon = { 0, 1000000 }, none = { 0, 0 }, bad[] = { { 0, 1000000000 }, { -1, 0 }, { 0, -1 } };

	printf("semaphores:");
	for (int count = -1; count < 4; count++)
		say(semget(key, count, 0) == named ? 0 : -1);
	say(semget(key, 2, IPC_CREAT | IPC_EXCL)), say(semget(key + 1, 2, 0)), say(semget(key + 1, 0, IPC_CREAT)), say(semget(key + 1, 32001, IPC_CREAT)), say(semget(key + 1, -1, IPC_CREAT)), say(semget(IPC_PRIVATE, 0, 0));
	say(semctl(set, 0, SETALL, argument)), memset(values, 0, 8), values[3] = 9, say(semctl(set, 0, GETALL, argument)), say(values[0]), say(values[1]), say(values[2]), say(values[3]);
	for (int at = -1; at < 4; at++)
		say(semctl(set, at, GETVAL)), say(semctl(set, at, SETVAL, (union semun){ .val = 5 + at })), say(semctl(set, at, GETVAL)), say(semctl(set, at, GETPID) == getpid()), say(semctl(set, at, GETNCNT)), say(semctl(set, at, GETZCNT));
	for (int value = -1; value < 40000; value += value == 0 ? 32766 : value < 0 ? 1 : 1 + 7 * (value > 32767))
		if (value < 32790)
			say(semctl(set, 0, SETVAL, (union semun){ .val = value }));
	say(semctl(set, 0, SETVAL, (union semun){ .val = 32767 })), say(semop(set, all, 1)), values[1] = 65535, say(semctl(set, 0, SETALL, argument)), values[1] = 2, say(semctl(set, 0, SETALL, (union semun){ .pointer = BAD })), say(semctl(set, 0, GETALL, (union semun){ .pointer = BAD }));
	say(semctl(set, 0, SETALL, argument));
	for (int command = 0; command < 24; command++)
		if (command != IPC_RMID && command != IPC_SET && command != IPC_INFO && (command < SEM_STAT || command > 20) && command != SETALL && command != GETPID && command != SETVAL && command != GETALL && command != IPC_STAT)
			say(semctl(set, 1, command, argument));
	say(semctl(set, 0, IPC_STAT, (union semun){ .pointer = &found })), say(found.sem_nsems), say(found.sem_perm.mode), say(found.sem_otime != 0), say(labs(found.sem_ctime - time(NULL)) < 9), say(LONG ? semctl(set, 0, IPC_STAT, (union semun){ .pointer = BAD }) : 0);
	changed = found, changed.sem_perm.mode = 07123, say(semctl(set, 0, IPC_SET, (union semun){ .pointer = &changed })), say(semctl(set, 0, IPC_STAT, (union semun){ .pointer = &found })), say(found.sem_perm.mode), say(LONG ? semctl(set, 0, IPC_SET, (union semun){ .pointer = BAD }) : 0), changed.sem_perm.mode = 0600, semctl(set, 0, IPC_SET, (union semun){ .pointer = &changed });
	say(semctl(99999999, 0, GETVAL)), say(semctl(-1, 0, GETVAL)), say(semctl(-1, 0, 99)), say(semctl(set, 0, 99));
	printf("\noperations:");
	values[0] = 0, values[1] = 1, values[2] = 0, semctl(set, 0, SETALL, argument);
	for (int count = 0; count < 5; count++)
		say(semop(set, all, count)), say(semctl(set, 0, GETVAL)), say(semctl(set, 1, GETVAL)), say(semctl(set, 2, GETVAL));
	say(semop(set, all, 501)), say(semop(set, BAD, 1)), say(semop(set, NULL, 0)), say(semop(-1, all, 1)), say(semop(set, all, -1));
	all[0].sem_op = -5, say(semtimedop(set, all, 1, &soon)), say(semtimedop(set, all, 1, &none)), all[0].sem_flg = IPC_NOWAIT, say(semtimedop(set, all, 1, &soon)), all[0].sem_flg = 0;
	for (int i = 0; i < 3; i++)
		say(semtimedop(set, all, 1, bad + i));
	say(LONG ? semtimedop(set, all, 1, BAD) : 0), all[0].sem_op = 0, semctl(set, 0, SETVAL, (union semun){ .val = 1 }), say(semtimedop(set, all, 1, &soon)), all[0].sem_flg = IPC_NOWAIT, say(semop(set, all, 1));
	fflush(stdout);
	for (int kind = 0; kind < 3; kind++) { /* undone at the end; removed while waited for; interrupted */
		struct sembuf one = { 0, kind ? -9 : 3, kind ? 0 : SEM_UNDO };
		semctl(set, 0, SETVAL, (union semun){ .val = 1 });
		pid_t child = fork();
		if (!child) {
			long result = semop(set, &one, 1);
			say(result), say(kind ? 0 : semctl(set, 0, GETVAL)), fflush(stdout), _exit(0);
		}
		while (kind && !semctl(set, 0, GETNCNT))
			usleep(1000);
		if (kind)
			say(semctl(set, 0, GETNCNT)), say(semctl(set, 0, GETZCNT)), kind == 1 ? kill(child, SIGURG) : 0, usleep(1000), fflush(stdout), say(semctl(kind == 2 ? set : named, 0, kind == 2 ? IPC_RMID : GETVAL)), kind == 1 ? kill(child, SIGKILL) : 0;
		waitpid(child, &status, 0), kind < 2 ? say(semctl(set, 0, GETVAL)) : say(semctl(set, 0, GETVAL)), fflush(stdout);
	}
	semctl(named, 0, IPC_RMID), putchar('\n');
}

static void queues(void)
{
	int queue = msgget(IPC_PRIVATE, 0600), key = 0x52000000 | getpid(), named = msgget(key, IPC_CREAT | 0600), status;
	struct message message = { 1, "some text" }, got;
	struct msqid_ds found;
	static char large[20000];

	printf("queues:");
	say(msgget(key, 0) == named), say(msgget(key, IPC_CREAT | IPC_EXCL)), say(msgget(key + 1, 0)), say(msgsnd(queue, &message, 0, 0)), say(msgsnd(queue, &message, -1, 0)), say(msgsnd(queue, large, 9000, IPC_NOWAIT) < 0), say(msgsnd(queue, &message, 65536, IPC_NOWAIT)), say(msgsnd(queue, BAD, 1, 0)), say(msgsnd(-1, &message, 1, 0)), say(msgsnd(queue, &message, 64, 0));
	for (long type = -1; type < 4; type++)
		message.type = type, message.text[0] = 'a' + type, say(msgsnd(queue, &message, 3 + (int)type, IPC_NOWAIT));
	say(msgctl(queue, IPC_STAT, &found)), say(found.msg_qnum), say(found.__msg_cbytes), say(found.msg_lspid == getpid()), say(found.msg_lrpid), say(found.msg_perm.mode), say(found.msg_rtime), say(labs(found.msg_stime - time(NULL)) < 9);
	printf("\nreceived:");
	for (long type = -3; type < 5; type++)
		for (int flags = 0; flags < 4; flags++) {
			static const int each[] = { IPC_NOWAIT, IPC_NOWAIT | MSG_NOERROR, IPC_NOWAIT | MSG_EXCEPT, IPC_NOWAIT };
			memset(&got, 0, sizeof got);
			say(msgrcv(queue, &got, flags == 3 ? 2 : 3, type, each[flags])), printf(":%ld%.1s", got.type, got.text);
			for (long again = 1; again < 4 && type < 4; again++)
				message.type = again, message.text[0] = '0' + again, msgctl(queue, IPC_STAT, &found), found.msg_qnum < 6 ? msgsnd(queue, &message, again, IPC_NOWAIT) : 0;
		}
	say(msgrcv(queue, &got, 64, 5, IPC_NOWAIT)), say(msgrcv(queue, &got, -1, 0, IPC_NOWAIT)), say(msgrcv(queue, BAD, 64, 0, IPC_NOWAIT)), say(msgrcv(-1, &got, 64, 0, IPC_NOWAIT)), say(msgrcv(queue, &got, 0, 1, IPC_NOWAIT)), say(msgrcv(queue, &got, 0, 1, IPC_NOWAIT | MSG_NOERROR));
	for (int command = 0; command < 16; command++)
		if (command != IPC_RMID && command != IPC_SET && command != IPC_INFO && command != IPC_STAT && command != MSG_STAT && command != MSG_INFO && command != 13)
			say(msgctl(queue, command, &found));
	say(LONG ? msgctl(queue, IPC_STAT, BAD) : 0), say(LONG ? msgctl(queue, IPC_SET, BAD) : 0), msgctl(queue, IPC_STAT, &found), found.msg_qbytes = 5, found.msg_perm.mode = 07600, say(msgctl(queue, IPC_SET, &found)), msgctl(queue, IPC_STAT, &found), say(found.msg_qbytes), say(found.msg_perm.mode), say(msgsnd(queue, &message, 5, IPC_NOWAIT));
	while (msgrcv(queue, &got, 64, 0, IPC_NOWAIT) >= 0)
		;
	for (int size = 0; size < 4; size++)
		say(msgsnd(queue, &message, size, IPC_NOWAIT));
	fflush(stdout);
	for (int kind = 0; kind < 3; kind++) {
		pid_t child = fork();
		if (!child) {
			long result = kind ? msgsnd(queue, &message, 5, 0) : msgrcv(queue, &got, 64, 77, 0);
			say(result), say(kind ? 0 : got.type), fflush(stdout), _exit(0);
		}
		until_asleep(child);
		if (kind == 0)
			found.msg_qbytes = 4000, msgctl(queue, IPC_SET, &found), message.type = 77, msgsnd(queue, &message, 4, 0), waitpid(child, &status, 0), found.msg_qbytes = 5, msgctl(queue, IPC_SET, &found);
		for (int each = 0; kind == 1 && each < 3; each++) /* not the child's, which comes as soon as there is room */
			msgrcv(queue, &got, 64, 0, IPC_NOWAIT);
		if (kind == 2)
			msgctl(queue, IPC_RMID, NULL);
		waitpid(child, &status, 0);
	}
	say(msgsnd(queue, &message, 1, IPC_NOWAIT)), msgctl(named, IPC_RMID, NULL), putchar('\n');
}

static void memory(void)
{
	int id = shmget(IPC_PRIVATE, 5000, 0600), key = 0x53000000 | getpid(), named = shmget(key, 100, IPC_CREAT | 0600), status;
	char *space = mmap(NULL, 8 * 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), *at;
	struct shmid_ds found;

	munmap(space, 8 * 4096), printf("memory:");
	for (int size = 0; size < 103; size += size == 0 ? 99 : 1)
		say(shmget(key, size, 0) == named ? 0 : -1);
	say(shmget(key, 100, IPC_CREAT | IPC_EXCL)), say(shmget(key + 1, 100, 0)), say(shmget(key + 1, 0, IPC_CREAT));
	say(shmat(id, space, 0) == (void *)space), say(shmat(id, space, 0) == (void *)-1 ? -1 : 0), say(shmat(id, space, SHM_REMAP) == (void *)space), say((long)shmat(id, space + 4096 * 3 + 5, 0)), at = shmat(id, space + 4096 * 3 + 5, SHM_RND), say(at == space + 4096 * 3), say((long)shmat(id, NULL, SHM_REMAP)), say((long)shmat(-1, NULL, 0)), say((long)shmat(id, (void *)-4096L, 0) < 0 ? -1 : 0);
	strcpy(space, "shared"), say(strcmp(at, "shared")), say(shmctl(id, IPC_STAT, &found)), say(found.shm_nattch), say(found.shm_segsz), say(found.shm_cpid == getpid()), say(found.shm_perm.mode);
	say(shmdt(space + 1)), say(shmdt(space + 4096)), say(shmdt(NULL)), say(shmdt(space)), say(shmdt(space)), say(shmctl(id, IPC_STAT, &found)), say(found.shm_nattch), say(shmdt(at)), say(found.shm_dtime != 0);
	at = shmat(id, NULL, SHM_RDONLY), say(at != (void *)-1), say(mprotect(at, 4096, PROT_READ | PROT_WRITE)), shmdt(at), at = shmat(id, NULL, SHM_EXEC), say(at != (void *)-1), munmap(at, 4096), shmctl(id, IPC_STAT, &found), say(found.shm_nattch), say(shmdt(at)), say(shmdt(at + 4096)), munmap(at + 4096, 4096), shmctl(id, IPC_STAT, &found), say(found.shm_nattch);
	for (int command = 4; command < 20; command++)
		if (command < 11 || command > 15)
			say(shmctl(id, command, &found));
	say(LONG ? shmctl(id, IPC_STAT, BAD) : 0), say(LONG ? shmctl(id, IPC_SET, BAD) : 0), found.shm_perm.mode = 07640, say(shmctl(id, IPC_SET, &found)), shmctl(id, IPC_STAT, &found), say(found.shm_perm.mode), say(shmctl(-1, IPC_STAT, &found)), say(shmctl(id, SHM_UNLOCK, NULL));
	at = shmat(id, NULL, 0), say(shmctl(id, IPC_RMID, NULL)), say(shmctl(id, IPC_STAT, &found)), say(found.shm_perm.mode & 01777), say(shmat(id, NULL, 0) != (void *)-1), fflush(stdout);
	if (!fork())
		say(*at == 's'), say(shmdt(at)), fflush(stdout), _exit(0);
	wait(&status), shmctl(id, IPC_STAT, &found), say(found.shm_nattch);
	shmdt(at), shmctl(named, IPC_RMID, NULL), putchar('\n');
}

static void one_call_for_all(void)
{
#ifdef __i386__
	int set = syscall(117, 2, IPC_PRIVATE, 2, 0600), queue = syscall(117, 13, IPC_PRIVATE, 0600), segment = syscall(117, 23, IPC_PRIVATE, 4096, 0600), value = 7;
	struct sembuf up = { 1, 3, 0 }, down = { 1, -9, 0 };
	struct message message = { 5, "hello" }, got = { 0 };
	struct timespec soon = { 0, 1000000 };
	struct { void *message; long type; } kludge = { &got, 5 };
	unsigned at = 0, after = 0x55555555;
	struct shmid_ds status;

	printf("ipc:");
	say(set >= 0), say(queue >= 0), say(segment >= 0), say(syscall(117, 1, set, 1, 0, &up)), say(syscall(117, 3, set, 1, GETVAL, &value)), say(syscall(117, 3, set, 1, SETVAL, &value)), say(syscall(117, 3, set, 1, GETVAL | 0x100, &value)), say(syscall(117, 4, set, 1, 0, &down, &soon)), say(syscall(117, 4, set, 1, 0, &up, NULL)), say(syscall(117, 3, set, 1, GETVAL, &value)), say(syscall(117, 3, set, 1, SETVAL, BAD)), say(syscall(117, 1, set, 1, 0, BAD));
	say(syscall(117, 11, queue, 6, 0, &message)), say(syscall(117, 11, queue, 6, 0, &message)), say(syscall(117, 12, queue, 64, IPC_NOWAIT, &kludge)), printf(" %ld %s", got.type, got.text), memset(&got, 0, sizeof got), say(syscall(117, 1 << 16 | 12, queue, 64, IPC_NOWAIT, &got, 5)), printf(" %ld %s", got.type, got.text), say(syscall(117, 1 << 16 | 12, queue, 64, IPC_NOWAIT, &got, 6)), say(syscall(117, 12, queue, 64, IPC_NOWAIT, BAD)), say(syscall(117, 14, queue, 0x100 | IPC_STAT, &status) < 0 ? -1 : 0);
	say(syscall(117, 21, segment, 0, &at, NULL)), say(after == 0x55555555), strcpy((char *)at, "there"), say(syscall(117, 24, segment, 0x100 | IPC_STAT, 0, &status)), say(status.shm_nattch), say(syscall(117, 22, 0, 0, 0, at)), say(syscall(117, 22, 0, 0, 0, at)), say(syscall(117, 21, segment, 0, BAD, NULL)), say(syscall(117, 1 << 16 | 21, segment, 0, &at, NULL));
	for (int call = 0; call < 27; call += call == 4 ? 1 : call == 5 ? 5 : call == 10 ? 5 : call == 15 ? 5 : call == 20 ? 5 : 1)
		if (call == 0 || call > 4 && call % 5 == 0 || call > 24)
			say(syscall(117, call, 0, 0, 0, 0));
	say(syscall(117, 3, set, 0, IPC_RMID, &value)), say(syscall(117, 14, queue, IPC_RMID, 0, 0)), say(syscall(117, 24, segment, IPC_RMID, 0, 0)), putchar('\n');
#endif
}

int main(void)
{
	setvbuf(stdout, NULL, _IOFBF, 1 << 20);
	semaphores(), queues(), memory(), one_call_for_all();
	return 0;
}
