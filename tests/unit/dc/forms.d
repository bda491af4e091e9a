#pragma D option quiet
#pragma D option bufsize=8k
enum color { RED, GREEN = 5, BLUE, LAST = -3 } shade;
typedef struct pair { int a; char b; short c[3]; unsigned f : 3, g : 29, : 0; int64_t y : 40; } pair_t;
struct node { struct node *next; union { int64_t whole; int32_t half[2]; }; int (*call)(int, char *, ...); };
pair_t pair, *pairs; struct node *list; const char *names[4]; string text; float real;
int counts[int, string]; self string word; self int64_t seen[uint64_t]; this volatile uint16_t small;
inline int TWICE[int n] = n * 2;
inline string WHO = execname;
inline int KNOWN = 7 - RED;
struct made { int number; string name; struct node *at; };
translator struct made < int I > { number = I + 1; name = WHO; at = (struct node *)(uintptr_t)I; };
translator struct made < pair_t *P > { number = P->f; name = stringof(&P->b); };
#pragma D attributes Evolving/Private/ISA counts
#pragma D binding "1.2" TWICE
#pragma D depends_on provider profile
dtrace:::BEGIN, syscall::read*:entry
/ pid == $target || (ppid != $1 && execname == "sh\n") /
{
	this->i = 1; this->s = "x"; self->word = WHO; self->seen[pid]++; counts[1, "one"] += TWICE[uid];
	pair.a = pair.f = (int8_t)arg0; pair.y -= 5; pairs->g |= 1; list->next->half[1] = sizeof (pair_t);
	shade = GREEN; trace(shade == BLUE ? &list->whole : (int64_t *)NULL); trace((this->i, ~this->i, -this->i));
	trace(offsetof(struct node, half)); trace(xlate <struct made> (3).number + xlate <struct made *> (pairs)->number);
	trace(strlen(xlate <struct made> (3).name)); trace((*xlate <struct made *> (pairs)).number); trace(!names[2] ^^ *names[0] == 'a'); trace(stringof(names[1]));
	trace(pairs[2].c[1] >= 0 && ++this->small < 0xffffUL); trace(`hz); trace(uregs[R_SP]); trace(curthread->t_tid);
	printf("%d %s %5.2x\n", pair.a-- , text, (1 << 3) | LAST);
	@ = count(); @sums[execname, pid % 2] = sum(arg1); @lin = lquantize(arg2, -10, 10, 2);
	@log[stack(2), umod(ucaller), 'c'] = llquantize(arg2, 10, 0, 3, 20); @own = quantize(arg0, 3);
	printa("%@u\n", @); printa("%s %d %@d\n", @sums); normalize(@sums, 1000 / 10); trunc(@sums, 3); clear(@lin); ustack(3, 100); tracemem(pairs, 8, pid);
}
profile:::tick-1s
{
	if (text == "a") { trace(1); if (counts[1, "one"]) { @if = max(1); } else { exit(KNOWN); } } else trace(2);
	copyout(alloca(8), arg0, 8); raise($$1 == "9" ? 9 : 15); system("date %s", text);
}
END { speculate(speculation()); trace(timestamp); } ERROR { commit(1); } tick-5s { discard(arg0); }
