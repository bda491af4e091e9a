
DIFO 0x0 returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 29010601    ldgs DT_VAR(262), %r1		! DT_VAR(262) = "arg0"
01: 25000002    setx DT_INTEGER[0], %r2		! 0x20
02: 04010201    sll  %r1, %r2, %r1
03: 2e010201    sra  %r1, %r2, %r1
04: 25000103    setx DT_INTEGER[1], %r3		! 0x1
05: 07010301    add  %r1, %r3, %r1
06: 04010201    sll  %r1, %r2, %r1
07: 2e010201    sra  %r1, %r2, %r1
08: 04010301    sll  %r1, %r3, %r1
09: 04010201    sll  %r1, %r2, %r1
10: 2e010201    sra  %r1, %r2, %r1
11: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
arg0             262  scl glb r    D type (integer) (size 8)
