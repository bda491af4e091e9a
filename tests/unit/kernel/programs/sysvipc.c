/* System V shared memory, semaphores and message queues, alone and between processes. */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "asleep.h"

union semun {
	int val;
	struct semid_ds *buf;
	unsigned short *array;
};
struct message {
	long type;
	char text[64];
};

static void told(const char *what, long result)
{
	printf("%s %ld%s%s\n", what, result, result < 0 ? " " : "", result < 0 ? strerror(errno) : "");
}

static const char *when(time_t at)
{
	return !at ? "never" : labs(time(NULL) - at) < 100 ? "now" : "another time";
}

static int operate(int set, int number, int change, int flags)
{
	struct sembuf operation = { number, change, flags };

	return semop(set, &operation, 1);
}

static void memory(void)
{
	key_t key = 0x5D000000 | getpid(), other = 0x5E000000 | getpid();
	int id = shmget(key, 10000, IPC_CREAT | IPC_EXCL | 0640);
	struct shmid_ds status;
	char *here, *there;

	told("exclusive", shmget(key, 10000, IPC_CREAT | IPC_EXCL | 0600));
	told("larger", shmget(key, 20000, 0));
	told("missing", shmget(other, 100, 0));
	told("empty", shmget(IPC_PRIVATE, 0, IPC_CREAT | 0600));
	printf("found again %d\n", shmget(key, 0, 0) == id);
	here = shmat(id, NULL, 0);
	there = shmat(id, NULL, SHM_RDONLY);
	shmctl(id, IPC_STAT, &status);
	printf("attached %s, detached %s, changed %s, last by me %d\n", when(status.shm_atime),
	       when(status.shm_dtime), when(status.shm_ctime), status.shm_lpid == getpid());
	told("made writable", mprotect(there, 4096, PROT_READ | PROT_WRITE));
	strcpy(here, "written here");
	printf("read there \"%s\", last byte %d\n", there, there[9999]);
	if (fork() == 0) {
		strcpy(here + 5000, "by a child");
		_exit(0);
	}
	wait(NULL);
	printf("read \"%s\"\n", there + 5000);
	shmctl(id, IPC_STAT, &status);
	printf("attached %s, detached %s, last by me %d\n", when(status.shm_atime), when(status.shm_dtime),
	       status.shm_lpid == getpid());
	pid_t child = fork();
	if (child == 0)
		for (;;)
			pause();
	shmctl(id, IPC_STAT, &status);
	printf("%d attached, last by me %d\n", (int)status.shm_nattch, status.shm_lpid == getpid());
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	if ((child = fork()) == 0) {
		execl("/bin/true", "true", NULL);
		_exit(1);
	}
	waitpid(child, NULL, 0);
	shmctl(id, IPC_STAT, &status);
	printf("last by the child %d\n", status.shm_lpid == child);
	printf("size %zu, %d attached, mode %o, made by %d, mine %d\n", status.shm_segsz, (int)status.shm_nattch,
	       status.shm_perm.mode, status.shm_cpid == getpid(), status.shm_perm.uid == getuid());
	status.shm_perm.mode = 0600;
	told("set", shmctl(id, IPC_SET, &status));
	told("detached", shmdt(there));
	told("twice", shmdt(there));
	told("removed", shmctl(id, IPC_RMID, NULL));
	told("by key", shmget(key, 0, 0));
	told("still known", shmctl(id, IPC_STAT, &status));
	printf("detached %s, last by me %d\n", when(status.shm_dtime), status.shm_lpid == getpid());
	printf("%d attached, mode %o, \"%s\"\n", (int)status.shm_nattch, status.shm_perm.mode, here);
	told("detached", shmdt(here));
	told("gone", shmctl(id, IPC_STAT, &status));
	told("odd address", (long)shmat(id, (void *)0x12345, 0));
}

static void semaphores(void)
{
	int set = semget(IPC_PRIVATE, 3, 0600), status, result;
	unsigned short values[3] = { 1, 2, 3 };
	struct sembuf both[] = { { 0, -1, IPC_NOWAIT }, { 1, -3, IPC_NOWAIT } };
	struct timespec moment = { 0, 20000000 };
	struct semid_ds about;
	union semun with;
	pid_t child;

	with.buf = &about;
	semctl(set, 0, IPC_STAT, with);
	printf("operated %s, changed %s\n", when(about.sem_otime), when(about.sem_ctime));
	with.array = values;
	told("set all", semctl(set, 0, SETALL, with));
	told("one cannot", semop(set, both, 2));
	told("first is as before", semctl(set, 0, GETVAL));
	both[1].sem_op = -2;
	told("both can", semop(set, both, 2));
	semctl(set, 0, GETALL, with);
	printf("values %d %d %d, by me %d\n", values[0], values[1], values[2],
	       semctl(set, 0, GETPID) == getpid());
	told("timed", semtimedop(set, &(struct sembuf){ 0, -1, 0 }, 1, &moment));
	told("too high", operate(set, 2, 32767, 0));
	told("no such", operate(set, 3, 1, 0));
	if ((child = fork()) == 0) {
		operate(set, 0, -1, 0);
		printf("child went on\n");
		operate(set, 2, -2, SEM_UNDO);
		operate(set, 1, 1, 0);
		pause();
	}
	while (semctl(set, 0, GETNCNT) == 0)
		usleep(1000);
	operate(set, 0, 1, 0);
	operate(set, 1, -1, 0);
	told("taken", semctl(set, 2, GETVAL));
	kill(child, SIGKILL);
	waitpid(child, &status, 0);
	told("undone", semctl(set, 2, GETVAL));
	if ((child = fork()) == 0) {
		told("waiting for zero", operate(set, 2, 0, 0));
		_exit(0);
	}
	while (semctl(set, 2, GETZCNT) == 0)
		usleep(1000);
	with.val = 0;
	semctl(set, 2, SETVAL, with);
	waitpid(child, &status, 0);
	with.buf = &about;
	semctl(set, 0, IPC_STAT, with);
	printf("%d semaphores, operated %s\n", (int)about.sem_nsems, when(about.sem_otime));
	if ((child = fork()) == 0) {
		told("waiting", operate(set, 0, -1, 0));
		_exit(0);
	}
	while (semctl(set, 0, GETNCNT) == 0)
		usleep(1000);
	result = semctl(set, 0, IPC_RMID);
	waitpid(child, &status, 0);
	told("removed", result);
}

static void nothing(int number)
{
}

static void messages(void)
{
	int queue = msgget(IPC_PRIVATE, 0600), status, result;
	struct message sent = { 3, "third" }, got;
	struct sigaction action = { .sa_handler = nothing, .sa_flags = SA_RESTART };
	struct msqid_ds about;
	pid_t child;

	told("none", msgrcv(queue, &got, 64, 0, IPC_NOWAIT));
	msgctl(queue, IPC_STAT, &about);
	printf("sent %s, received %s, changed %s\n", when(about.msg_stime), when(about.msg_rtime),
	       when(about.msg_ctime));
	for (int type = 3; type > 0; type--) {
		sent.type = type;
		sprintf(sent.text, "type %d", type);
		msgsnd(queue, &sent, strlen(sent.text) + 1, 0);
	}
	sent.type = 0;
	told("no type", msgsnd(queue, &sent, 1, 0));
	msgctl(queue, IPC_STAT, &about);
	printf("%d messages, at most %d bytes, sent by me %d\n", (int)about.msg_qnum, (int)about.msg_qbytes,
	       about.msg_lspid == getpid());
	told("too long", msgrcv(queue, &got, 3, 2, 0));
	told("cut", msgrcv(queue, &got, 3, 2, MSG_NOERROR));
	printf("\"%.3s\"\n", got.text);
	told("the lowest", msgrcv(queue, &got, 64, -2, 0));
	msgctl(queue, IPC_STAT, &about);
	printf("sent %s, received %s by me %d, %d bytes\n", when(about.msg_stime), when(about.msg_rtime),
	       about.msg_lrpid == getpid(), (int)about.__msg_cbytes);
	printf("%ld \"%s\"\n", got.type, got.text);
	told("another", msgrcv(queue, &got, 64, 3, MSG_EXCEPT | IPC_NOWAIT));
	told("the first", msgrcv(queue, &got, 64, 0, 0));
	if ((child = fork()) == 0) {
		while (msgrcv(queue, &got, 64, 0, 0) >= 0 && got.type != 9)
			printf("child got %ld \"%s\"\n", got.type, got.text);
		sigaction(SIGALRM, &action, NULL);
		alarm(1);
		told("interrupted", msgrcv(queue, &got, 64, 0, 0));
		_exit(0);
	}
	for (int type = 5; type < 10; type += 2) {
		sent.type = type;
		sprintf(sent.text, "to the child %d", type);
		msgsnd(queue, &sent, sizeof sent.text, 0);
	}
	waitpid(child, &status, 0);
	about.msg_qbytes = 100;
	told("limited", msgctl(queue, IPC_SET, &about));
	told("one fits", msgsnd(queue, &sent, 64, IPC_NOWAIT));
	told("two do not", msgsnd(queue, &sent, 64, IPC_NOWAIT));
	if ((child = fork()) == 0) {
		told("waiting", msgsnd(queue, &sent, 64, 0));
		_exit(0);
	}
	until_asleep(child);
	result = msgctl(queue, IPC_RMID, NULL);
	waitpid(child, &status, 0);
	told("removed", result);
	told("gone", msgctl(queue, IPC_STAT, &about));
}

/* The limits; and of what there is, as others may have some too, that our own is among it. */
static void limits(void)
{
	struct msginfo about;
	struct seminfo sets;
	struct shminfo most;
	struct shm_info used;
	union semun with = { .buf = (void *)&sets };

	told("of queues", msgctl(0, IPC_INFO, (void *)&about) < 0 ? -1 : 0);
	printf("%d %d %d %d %d %d %d %d\n", about.msgpool, about.msgmap, about.msgmax, about.msgmnb, about.msgmni,
	       about.msgssz, about.msgtql, about.msgseg);
	told("of semaphores", semctl(0, 0, IPC_INFO, with) < 0 ? -1 : 0);
	printf("%d %d %d %d %d %d %d %d %d %d\n", sets.semmap, sets.semmni, sets.semmns, sets.semmnu, sets.semmsl,
	       sets.semopm, sets.semume, sets.semusz, sets.semvmx, sets.semaem);
	told("of memory", shmctl(0, IPC_INFO, (void *)&most) < 0 ? -1 : 0);
	printf("%lu %lu %lu %lu %lu\n", most.shmmax, most.shmmin, most.shmmni, most.shmseg, most.shmall);
	told("no queue", msgctl(-1, IPC_INFO, (void *)&about));
	told("no set", semctl(-1, 0, SEM_INFO, with));
	told("no memory", shmctl(-1, SHM_INFO, (void *)&used));
	told("no place", msgctl(0, MSG_INFO, (void *)8));
}

/* The row of one of them in /proc/sysvipc: its columns, but for numbers of processes and times. */
static void row(const char *kind, int id)
{
	char path[64], line[512];
	FILE *rows;

	snprintf(path, sizeof path, "/proc/sysvipc/%s", kind);
	rows = fopen(path, "r");
	printf("%s", fgets(line, sizeof line, rows));
	while (fgets(line, sizeof line, rows)) {
		char *word = strtok(line, " \n"), *key = word;

		if (atoi(word = strtok(NULL, " \n")) != id)
			continue;
		printf(" %s it", key);
		while ((word = strtok(NULL, " \n"))) {
			long number = atol(word), since = time(NULL) - number;

			printf(number == getpid() ? " self" : since >= 0 && since < 100 ? " now" : " %s", word);
		}
		printf("\n");
	}
	fclose(rows);
}

static void found_by_place(void)
{
	struct message sent = { 1, "text" };
	struct msginfo about;
	struct seminfo sets;
	struct shm_info used;
	struct msqid_ds queued;
	struct semid_ds numbered;
	struct shmid_ds shared;
	union semun with = { .buf = (void *)&sets }, one = { .buf = &numbered };
	int gone = msgget(IPC_PRIVATE, 0600), queue, set, memory;

	msgctl(gone, IPC_RMID, NULL); /* so that the next number has more than its place */
	queue = msgget(IPC_PRIVATE, 0600);
	set = semget(IPC_PRIVATE, 5, 0600);
	memory = shmget(IPC_PRIVATE, 10000, 0600);
	msgsnd(queue, &sent, 40, 0);
	msgsnd(queue, &sent, 10, 0);
	told("queues", msgctl(0, MSG_INFO, (void *)&about) < queue % 32768);
	printf("they hold %d %d %d\n", about.msgpool >= 1, about.msgmap >= 2, about.msgtql >= 50);
	told("sets", semctl(0, 0, SEM_INFO, with) < set % 32768);
	printf("they hold %d %d\n", sets.semusz >= 1, sets.semaem >= 5);
	((char *)shmat(memory, NULL, 0))[5000] = 1;
	told("memory", shmctl(0, SHM_INFO, (void *)&used) < memory % 32768);
	printf("its pages %d %d %d, %lu %lu\n", used.used_ids >= 1, used.shm_tot >= 3, used.shm_rss >= 1,
	       used.swap_attempts, used.swap_successes);
	row("msg", queue), row("sem", set), row("shm", memory);
	{
		char byte[64];
		struct sembuf up = { 1, 3, 0 };
		void *place = shmat(memory, NULL, 0);

		semop(set, &up, 1), shmdt(place), msgrcv(queue, byte, 40, 0, 0);
		row("msg", queue), row("sem", set), row("shm", memory);
	}
	for (int i = 0; i < 2; i++) {
		int place = 32768 * 7 * i; /* what is beside the place does not matter */
		told("another queue", msgctl(place + queue % 32768, MSG_STAT, &queued) - queue);
		told("another set", semctl(place + set % 32768, 0, SEM_STAT, one) - set);
		told("other memory", shmctl(place + memory % 32768, SHM_STAT, &shared) - memory);
		printf("%d %d %zu\n", (int)queued.msg_qnum, (int)numbered.sem_nsems, shared.shm_segsz);
	}
	queued.msg_perm.mode = 0;
	msgctl(queue, IPC_SET, &queued);
	told("another to anyone", msgctl(queue % 32768, 13 /* MSG_STAT_ANY */, &queued) - queue);
	told("by a number that is gone", msgctl(gone, IPC_STAT, &queued));
	msgctl(queue, IPC_RMID, NULL);
	semctl(set, 0, IPC_RMID);
	shmctl(memory, IPC_RMID, NULL);
}

int main(void)
{
	setvbuf(stdout, NULL, _IONBF, 0);
	limits();
	found_by_place();
	memory();
	semaphores();
	messages();
	return 0;
}
