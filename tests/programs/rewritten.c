/* Functions that are written anew, beside others in the same page and across pages: the last that was written runs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { PAGE = 4096, PAGES = 600, SLOT = 64, SLOTS = PAGES * PAGE / SLOT - 1, ROUNDS = 20000 };

static unsigned char *code;
static unsigned expected[SLOTS];

/* The last slot of a page begins so far before its end that the function ends in the next page. */
static unsigned char *place(unsigned slot)
{
	return code + slot * SLOT + ((slot + 1) * SLOT % PAGE ? 16 : SLOT - 3);
}

static void check(unsigned slot)
{
	unsigned found = expected[slot] ? ((unsigned (*)(void))place(slot))() : 0;

	if (found != expected[slot]) {
		printf("slot %u: %u for %u\n", slot, found, expected[slot]);
		exit(1);
	}
}

/* mov $number,%eax; ret: in one piece at first, and then as much of the number as changes. */
static void put(unsigned slot, unsigned number)
{
	unsigned char function[6] = {0xb8, 0, 0, 0, 0, 0xc3}, *at = place(slot);

	if (!expected[slot]) {
		memcpy(function + 1, &number, 4);
		memcpy(at, function, sizeof function);
	} else if ((expected[slot] ^ number) >> 8) {
		memcpy(at + 1, &number, 4);
	} else {
		at[1] = number;
	}
	expected[slot] = number;
}

int main(void)
{
	unsigned random = 12345, slot;

	code = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	for (int round = 0; round < ROUNDS; round++) {
		random = random * 1103515245 + 12345;
		slot = (random >> 8) % (round % 2 ? SLOTS : 3 * PAGE / SLOT); /* often in the first pages */
		put(slot, round % 3 && expected[slot] ? expected[slot] ^ 1 << round % 8 : random | 1 << 31);
		check(slot);
		for (unsigned near = slot < 4 ? 0 : slot - 4; near < slot + 4 && near < SLOTS; near++)
			check(near);
		if (round % 500 == 0)
			for (slot = 0; slot < SLOTS; slot += 7)
				check(slot);
	}
	printf("all is well\n");
	return 0;
}
