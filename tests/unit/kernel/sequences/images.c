/* Programs whose headers are not as they should be, and scripts: how execve refuses them, or what becomes of them. */
#include "sequences.h"
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BASE = 0x10000000, CODE = 0x300, NAME = 0x400, DATA = 0x1000, SIZE = 0x1100 };

struct image {
	ElfW(Ehdr) head;
	ElfW(Phdr) parts[4];  /* code, data, interpreter, stack */
};

/* Ends with `status` and the number of arguments. */
static void put_code(unsigned char *at, int status)
{
#if defined __x86_64__
	unsigned char code[] = { 0xb8, 60, 0, 0, 0, 0x8b, 0x3c, 0x24, 0x83, 0xc7, status, 0x0f, 0x05 };
#elif defined __i386__
	unsigned char code[] = { 0xb8, 1, 0, 0, 0, 0x8b, 0x1c, 0x24, 0x83, 0xc3, status, 0xcd, 0x80 };
#else
	unsigned code[] = { 0xd2800ba8, 0xb94003e0, 0x11000000 | status << 10, 0xd4000001 };
#endif
	memcpy(at, code, sizeof code);
}

/* The addresses of an image that runs: `base` is 0 for one that may lie anywhere. */
static struct image sound(unsigned base)
{
	struct image image = { .head = { .e_ident = { 0x7f, 'E', 'L', 'F', sizeof(long) / 4, 1, 1 }, .e_type = base ? ET_EXEC : ET_DYN,
#if defined __x86_64__
	    .e_machine = EM_X86_64,
#elif defined __i386__
	    .e_machine = EM_386,
#else
	    .e_machine = EM_AARCH64,
#endif
	    .e_version = 1, .e_entry = base + CODE, .e_phoff = sizeof image.head, .e_ehsize = sizeof image.head,
	    .e_phentsize = sizeof image.parts[0], .e_phnum = 4 } };

	image.parts[0] = (ElfW(Phdr)){ .p_type = PT_LOAD, .p_flags = 5, .p_vaddr = base, .p_filesz = DATA, .p_memsz = DATA,
	    .p_align = PAGE };
	image.parts[1] = (ElfW(Phdr)){ .p_type = PT_LOAD, .p_flags = 6, .p_offset = DATA, .p_vaddr = base + 2 * DATA,
	    .p_filesz = SIZE - DATA, .p_memsz = 3 * DATA, .p_align = PAGE };
	image.parts[2] = (ElfW(Phdr)){ .p_type = PT_NULL, .p_offset = NAME, .p_filesz = 32, .p_memsz = 32 };
	image.parts[3] = (ElfW(Phdr)){ .p_type = PT_GNU_STACK, .p_flags = 6 };
	return image;
}

static void write_out(const char *name, const void *content, long size)
{
	int file;

	unlink(name);
	file = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0755);
	write(file, content, size);
	close(file);
}

static void write_image(const char *name, const struct image *image, const char *interpreter, int status, long size)
{
	static unsigned char content[SIZE];

	memset(content, 0, sizeof content);
	memcpy(content, image, sizeof *image);
	put_code(content + CODE, status);
	strcpy((char *)content + NAME, interpreter);
	write_out(name, content, size);
}

static void start(const char *name, const char *what)
{
	static char *none[1];
	char *arguments[] = { "first", "second", NULL };
	int status;
	pid_t child;

	fflush(stdout);
	child = fork();
	if (!child) {
		execve(name, arguments, none);
		tell(-1, "execve %s", what);
		fflush(stdout);
		_exit(1);
	}
	waitpid(child, &status, 0);
	printf("%s: %x\n", what, status & ~0x80);
}

/* Change one field, and tell which one and to what, or by what. */
static void change(struct image *image, char *what)
{
	ElfW(Phdr) *part = image->parts + below(4);
	long value = 0, place = below(14);

	switch (place) {
	case 0: image->head.e_ident[below(4)] ^= value = ONE_OF(1, 3, 0x40); break;
	case 1: image->head.e_type = value = ONE_OF(ET_NONE, ET_REL, ET_EXEC, ET_DYN, ET_CORE, 99); break;
	case 2: image->head.e_machine = value = ONE_OF(EM_NONE, EM_AVR, 0xffff); break;
	case 3: image->head.e_entry += value = ONE_OF(-1, 0x100, DATA, 4 * DATA, 100 * DATA, -BASE); break;
	case 4: image->head.e_phnum = value = ONE_OF(0, 1, 2, 3, 5, 40, 0xffff); break;
	case 5: image->head.e_phentsize = value = ONE_OF(0, 1, 31, 32, 33, 55, 56, 57, 64); break;
	case 6: image->head.e_phoff = value = ONE_OF(0, 8, SIZE, SIZE - 8, -1, 0x7fffffff, 1 << 20); break;
	case 7: part->p_type = value = ONE_OF(PT_NULL, PT_LOAD, PT_DYNAMIC, PT_INTERP, PT_GNU_STACK, PT_PHDR, PT_INTERP, 99); break;
	case 8: part->p_offset = value = ONE_OF(0, 1, 0x10, DATA, SIZE, NAME, 8 * DATA, -1, -PAGE); break;
	case 9: part->p_vaddr += value = ONE_OF(1, 8, DATA, 0x100 * DATA); break;
	case 10: part->p_filesz = value = ONE_OF(0, 1, 2, 9, 32, 0x400, DATA, 2 * DATA, 8 * DATA, -1); break;
	case 11: part->p_memsz = value = ONE_OF(0, 1, 0x100, DATA, 64 * DATA, 0x7fffffff, -1); break;
	case 12: part->p_flags = value = below(8); break;
	case 13: part->p_align = value = ONE_OF(0, 1, 3, 16, 2 * PAGE, 1 << 21, -1); break;
	}
	sprintf(what + strlen(what), place < 7 ? " %ld:%lx" : " %ld:%lx of %ld", place, value, part - image->parts);
}

void images(void)
{
	static const char *const interpreters[] = { "./fixed", "./moving", "./moving", "./text", "./nowhere", "./folder", "", "./short",
	    "./barred" };
	static const char *const lines[] = { "", "#", "#!", "#!\n", "#! \n", "#!./fixed", "#!./fixed\n", "#!./fixed one\n",
	    "#! \t./fixed  one two \t\n", "#!./fixed\tone", "#!./nowhere\n", "#!./folder\n", "#!./text\n", "#!./script0\n",
	    "#!./script1\n", "#!./script2\n", "#!./script3\n", "#!./barred\n", "text\n", "#!./fixed\r\n", "#!fixed\n", "\n#!./fixed\n",
	    "#!./fixed one\0two\n" };
	static char line[600], name[40];
	struct image image = sound(BASE), moving = sound(0);

	mkdir("folder", 0755);
	write_image("fixed", &image, "", 20, SIZE);
	write_image("moving", &moving, "", 30, SIZE);
	write_image("short", &image, "", 20, 40);
	write_image("barred", &image, "", 20, SIZE);
	chmod("barred", 0644);
	write_out("text", "text", 4);
	for (int i = 0; i < COUNT(lines); i++) {
		sprintf(name, "script%d", i < 12 ? 100 + i : i - 12);
		write_out(name, lines[i], i == COUNT(lines) - 1 ? sizeof "#!./fixed one\0two" : strlen(lines[i]));
		start(name, name);
	}
	for (int size = 240; size < 270; size += 3) {
		sprintf(line, "#!./fixed %*d\n", size, size);
		write_out("script", line, strlen(line));
		start("script", "a long line");
		sprintf(line, "#!.%*s\n", size, "/fixed");
		memset(line + 3, '/', strchr(line, 'f') - line - 3);
		write_out("script", line, strlen(line));
		start("script", "a long name");
	}
	for (int length = 253; length < 258; length++) {
		sprintf(line, "#!.%*s", length - 3, "/fixed");
		memset(line + 3, '/', strchr(line, 'f') - line - 3);
		write_out("script", line, length);
		start("script", "a long name at the end");
	}
	for (int step = 0; step < steps; step++) {
		struct image changed = below(3) ? image : moving;
		const char *interpreter = interpreters[below(COUNT(interpreters))];
		char what[100] = "image";

		if (below(4) == 0)
			changed.parts[2].p_type = PT_INTERP, strcat(what, " of "), strcat(what, interpreter);
		for (int i = 1 + below(2); i; i--)
			change(&changed, what);
		write_image("changed", &changed, interpreter, 40, below(8) ? SIZE : ONE_OF(0, 3, 16, 52, 63, 64, 120, 0x200, DATA));
		if (below(6)) {
			start("changed", what);
			continue;
		}
		image.parts[2].p_type = PT_INTERP;
		write_image("whole", &image, "./changed", 40, SIZE);
		image.parts[2].p_type = PT_NULL;
		strcat(what, " as interpreter");
		start("whole", what);
	}
}
