
DIFO 0x0 returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 29010601    ldgs DT_VAR(262), %r1		! DT_VAR(262) = "arg0"
01: 22010001    ldx  [%r1], %r1
02: 10010000    tst  %r1
03: 13000006    bne  6
04: 25000002    setx DT_INTEGER[0], %r2		! 0xffffffffffffffff
05: 11000009    ba   9
06: 25000103    setx DT_INTEGER[1], %r3		! 0x8
07: 07010301    add  %r1, %r3, %r1
08: 1e010002    ldsw [%r1], %r2
09: 25000201    setx DT_INTEGER[2], %r1		! 0x20
10: 04020102    sll  %r2, %r1, %r2
11: 2e020102    sra  %r2, %r1, %r2
12: 23000002    ret  %r2

NAME             ID   KND SCP FLAG TYPE
arg0             262  scl glb r    D type (integer) (size 8)
