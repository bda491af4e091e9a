/* Code that is written where it is not executed: through a second mapping, with pwrite, by another process. */
#include "portable.h"
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <fcntl.h>
#include <stdlib.h>
static void emit(unsigned char *p, int v){ p[0]=0xb8; memcpy(p+1,&v,4); p[5]=0xc3; }
int main(void)
{
	setvbuf(stdout, NULL, _IONBF, 0);
	int fd=memfd_create("jit",0); ftruncate(fd,8192);
	unsigned char*w=mmap(0,8192,PROT_READ|PROT_WRITE,MAP_SHARED,fd,0), *x=mmap(0,8192,PROT_READ|PROT_EXEC,MAP_SHARED,fd,0);
	for(int i=0;i<3;i++){ emit(w,i+10); printf("mapped %d\n",((int(*)(void))x)()); }
	for(int i=0;i<3;i++){ unsigned char b[6]; emit(b,i+20); pwrite(fd,b,6,0); printf("pwrite %d\n",((int(*)(void))x)()); }
	for(int i=0;i<3;i++){ unsigned char b[6]; emit(b,i+40); lseek(fd,64,0); write(fd,b,6); printf("write %d\n",((int(*)(void))(x+64))()); }
	for(int i=0;i<3;i++){ if(fork()==0){ emit(w,i+30); _exit(0);} int s; wait(&s); printf("child %d\n",((int(*)(void))x)()); }
	unsigned char*p=mmap(0,4096,PROT_READ|PROT_WRITE,MAP_PRIVATE|MAP_ANONYMOUS,-1,0);
	for(int i=0;i<3;i++){ mprotect(p,4096,PROT_READ|PROT_WRITE); emit(p,i+50); mprotect(p,4096,PROT_READ|PROT_EXEC); printf("mprotect %d\n",((int(*)(void))p)()); }
	char name[]="/tmp/wxXXXXXX"; int f=mkstemp(name); unlink(name); ftruncate(f,4096);
	unsigned char*y=mmap(0,4096,PROT_READ|PROT_EXEC,MAP_PRIVATE,f,0);
	for(int i=0;i<3;i++){ unsigned char b[6]; emit(b,i+60); pwrite(f,b,6,0); printf("file %d\n",((int(*)(void))y)()); }
}
