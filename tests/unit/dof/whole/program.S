.model lp64

.difo d0
.returns string unknown 0 byref
.integer 10
.integer 0xffffffff00000000
.variable "n" 0x500 scalar global read|written ctf integer 8 -
.variable "n" 0x501 scalar global read ctf integer 4 -
.variable "t" 0x500 scalar thread written ctf pointer 8 -
.variable "x" 0x500 scalar local read|written string unknown 0 byref
.variable "pid" 0x116 scalar global read ctf integer 4 -
.type ctf integer 4 -
.kernel-relocation "ksym" setx 0 0x10
.user-relocation "usym" setx 8 0x0
.translation 0 1 7
	setx DT_INTEGER[1], %r1
	ldgs pid, %r2
	cmp %r1, %r2
	be 7
	ldgs DT_VAR(1280), %r3
	ldgs DT_VAR(1281), %r4
	stts %r4, DT_VAR(1280)
	xlate DT_XLREF[0], %r5
	sets "a b", %r1
	pushtr string, %r0, %r1
	pushtv ctf, %r0, %r2
	call strjoin, %r1
	stls %r1, DT_VAR(1280)
	ret %r1

.difo d1
.returns ctf integer 8 -
	mov %r0, %r1
	ret %r1

.difo d2
.returns ctf integer 8 -
	nop
	ret %r0

.translator export "info_t" 5/5/5
  .inputs "struct proc *" "proc_t"
  .member "pr_pid" d1 ctf integer 4 -
  .member "pr_name" - string unknown 16 byref
.ecb "syscall" "" "read" "entry" 0 0x2
  .predicate d1
  .action printf - 0x0 0x2 1 "%s\n"
  .action difexpr d0 0x0 0x2 0
  .action agg_quantize - 0x1 0x3 2
.ecb "" "" "" "" 7 0x0
  .action exit d1 0x0 0x4 0
.option 4 4096
.option 9 -1
.provider "shop" 5/4/3 1/1/0 1/1/0 5/5/5 2/2/2
  .exports 0
  .probe "main" "sold" 0x1000 "main"
  .native "int" "char *"
  .xlated "string" "int"
  .mapping 1 0
  .offsets 4 300
  .enabled 8 70000
  .probe "aside" "asked" 0x2000 "aside"
  .enabled 12
.source "BEGIN { }"
.comments "made by hand"
.utsname "SunOS"
