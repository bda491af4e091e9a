# The program's own helper names the frames of its interpreter, by the frame pointer of each: instead of
# addresses in generated code, and beside the symbol where the name begins with @.  A helper that fails
# names nothing.  What another program has that is executed in its place nobody names.

dtrace="$1"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1

cat > interpreter.c <<'END'
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct code { const char *name; struct code *callee; };
typedef void (*frame)(struct code *, void (*)(struct code *));

static frame run, generated;
static int left;

/* push %rbp; mov %rsp,%rbp; push %rdi; push %rdi; call *%rsi; leave; ret */
__asm__(".globl template\n.type template,@function\n"
        "template: .byte 0x55,0x48,0x89,0xe5,0x57,0x57,0xff,0xd6,0xc9,0xc3\n.size template,.-template\n"
        ".globl template_end\ntemplate_end: ret");
extern void template(struct code *, void (*)(struct code *));

static void step(struct code *code)
{
	if (code->callee && *code->name)	/* so that the names are in memory */
		(left++ & 1 ? template : generated)(code->callee, step);
	else
		getppid();
}

int main(int argc, char **argv)
{
	struct code broken = {(char *)8, 0}, inner = {"inner", &broken}, middle = {"@middle", &inner},
	            outer = {"outer", &middle};

	generated = mmap(0, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	memcpy(generated, template, 10);
	left = 1;
	generated(&outer, step);
	return argc < 2 ? 0 : execl(argv[1], argv[1], (char *)0);
}
END
cat > helper.d <<'END'
extern uintptr_t template;
extern uintptr_t template_end;

/* the program's own symbols: the linker knows where they are */
dtrace:helper:ustack:
/arg0 >= (uintptr_t)&``template && arg0 < (uintptr_t)&``template_end/
{
	this->code = *(uintptr_t *)copyin(arg1 - 8, 8);
	copyinstr(*(uintptr_t *)copyin(this->code, 8));
}

dtrace:helper:ustack:
/* and its copies: their frames have the same word twice */
/ *(uintptr_t *)copyin(arg1 - 8, 8) == *(uintptr_t *)copyin(arg1 - 16, 8) && (arg0 < (uintptr_t)&``template || arg0 >= (uintptr_t)&``template_end)/
{
	this->code = *(uintptr_t *)copyin(arg1 - 8, 8);
	copyinstr(*(uintptr_t *)copyin(this->code, 8));
}
END
cc -c -O0 -fno-omit-frame-pointer interpreter.c || exit 1
$dtrace -G -s helper.d interpreter.o -o helper.o || exit 1
cc interpreter.o helper.o -o interpreter || exit 1
cc interpreter.o -o plain || exit 1
$dtrace -qn 'syscall::getppid:entry /pid == $target/ { jstack(12, 256); printf("--"); ustack(3); printf("--");
    jstack(12, 12); }' -c ./interpreter 2>&1 | sed 's/0x7f[0-9a-f]*/GENERATED/; s/libc.so.6`/libc`/; /`main+/,/^[^ ]*$/{/libc`/d;}'
$dtrace -qn 'syscall::getppid:entry /execname == "plain"/ { jstack(12, 256); }' -c './interpreter ./plain' 2>&1 |
    sed 's/0x7f[0-9a-f]*/GENERATED/; s/libc.so.6`/libc`/; /main+/,/^[^ ]*$/{/libc/d;}'
