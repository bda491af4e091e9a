
DIFO 0x0 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 25000001    setx DT_INTEGER[0], %r1		! 0x7
01: 29050002    ldgs DT_VAR(1280), %r2		! DT_VAR(1280) = "matrix"
02: 25000103    setx DT_INTEGER[1], %r3		! 0x10
03: 07020302    add  %r2, %r3, %r2
04: 25000203    setx DT_INTEGER[2], %r3		! 0x8
05: 07020302    add  %r2, %r3, %r2
06: 3e010002    stw  %r1, [%r2]
07: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
matrix           1280 scl glb r    D type (array) by ref (size 48)

DIFO 0x1 returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 29050001    ldgs DT_VAR(1280), %r1		! DT_VAR(1280) = "matrix"
01: 29010602    ldgs DT_VAR(262), %r2		! DT_VAR(262) = "arg0"
02: 25000003    setx DT_INTEGER[0], %r3		! 0x4
03: 04020302    sll  %r2, %r3, %r2
04: 07010201    add  %r1, %r2, %r1
05: 29010702    ldgs DT_VAR(263), %r2		! DT_VAR(263) = "arg1"
06: 25000103    setx DT_INTEGER[1], %r3		! 0x2
07: 04020302    sll  %r2, %r3, %r2
08: 07010201    add  %r1, %r2, %r1
09: 1e010001    ldsw [%r1], %r1
10: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
arg0             262  scl glb r    D type (integer) (size 8)
arg1             263  scl glb r    D type (integer) (size 8)
matrix           1280 scl glb r    D type (array) by ref (size 48)
