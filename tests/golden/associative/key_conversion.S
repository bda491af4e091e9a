
DIFO 0x0 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 25000001    setx DT_INTEGER[0], %r1		! 0x1
01: 29010602    ldgs DT_VAR(262), %r2		! DT_VAR(262) = "arg0"
02: 25000103    setx DT_INTEGER[1], %r3		! 0x30
03: 04020302    sll  %r2, %r3, %r2
04: 2e020302    sra  %r2, %r3, %r2
05: 31000002    pushtv DT_TYPE(0), %r2		! DT_TYPE(0) = D type
06: 29010702    ldgs DT_VAR(263), %r2		! DT_VAR(263) = "arg1"
07: 25000203    setx DT_INTEGER[2], %r3		! 0xff
08: 03020302    and  %r2, %r3, %r2
09: 31000002    pushtv DT_TYPE(0), %r2		! DT_TYPE(0) = D type
10: 36050001    stgaa %r1, DT_VAR(1280)		! DT_VAR(1280) = "n"
11: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
arg0             262  scl glb r    D type (integer) (size 8)
arg1             263  scl glb r    D type (integer) (size 8)
n                1280 arr glb w    D type (integer) (size 4)

DIFO 0x1 returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 25000001    setx DT_INTEGER[0], %r1		! 0xffffffffffff86a0
01: 31000001    pushtv DT_TYPE(0), %r1		! DT_TYPE(0) = D type
02: 25000101    setx DT_INTEGER[1], %r1		! 0x2c
03: 31000001    pushtv DT_TYPE(0), %r1		! DT_TYPE(0) = D type
04: 34050001    ldgaa DT_VAR(1280), %r1		! DT_VAR(1280) = "n"
05: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
n                1280 arr glb r    D type (integer) (size 4)
