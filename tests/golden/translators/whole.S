
DIFO 0x0 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 29010601    ldgs DT_VAR(262), %r1		! DT_VAR(262) = "arg0"
01: 25000002    setx DT_INTEGER[0], %r2		! 0x8
02: 3a020002    allocs %r2, %r2
03: 25000103    setx DT_INTEGER[1], %r3		! 0xffff
04: 03010303    and  %r1, %r3, %r3
05: 25000204    setx DT_INTEGER[2], %r4		! 0x20
06: 3e030002    stw  %r3, [%r2]
07: 25000303    setx DT_INTEGER[3], %r3		! 0x10
08: 05010301    srl  %r1, %r3, %r1
09: 04010401    sll  %r1, %r4, %r1
10: 2e010401    sra  %r1, %r4, %r1
11: 25000403    setx DT_INTEGER[4], %r3		! 0x4
12: 07020303    add  %r2, %r3, %r3
13: 3e010003    stw  %r1, [%r3]
14: 39050002    stls %r2, DT_VAR(1280)		! DT_VAR(1280) = "s"
15: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
arg0             262  scl glb r    D type (integer) (size 8)
s                1280 scl loc w    D type (struct) by ref (size 8)

DIFO 0x1 returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 38050001    ldls DT_VAR(1280), %r1		! DT_VAR(1280) = "s"
01: 1e010001    ldsw [%r1], %r1
02: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
s                1280 scl loc r    D type (struct) by ref (size 8)

DIFO 0x2 returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 38050001    ldls DT_VAR(1280), %r1		! DT_VAR(1280) = "s"
01: 25000002    setx DT_INTEGER[0], %r2		! 0x4
02: 07010201    add  %r1, %r2, %r1
03: 1e010001    ldsw [%r1], %r1
04: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
s                1280 scl loc r    D type (struct) by ref (size 8)
