
DIFO 0x0 returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 29050001    ldgs DT_VAR(1280), %r1		! DT_VAR(1280) = "t"
01: 25000002    setx DT_INTEGER[0], %r2		! 0x8
02: 07010201    add  %r1, %r2, %r1
03: 1e010001    ldsw [%r1], %r1
04: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
t                1280 scl glb r    D type (pointer) (size 8)

DIFO 0x1 returns string (unknown) by ref (size 256)
OFF OPCODE      INSTRUCTION
00: 29050001    ldgs DT_VAR(1280), %r1		! DT_VAR(1280) = "t"
01: 25000002    setx DT_INTEGER[0], %r2		! 0x10
02: 07010201    add  %r1, %r2, %r1
03: 25000102    setx DT_INTEGER[1], %r2		! 0x8
04: 07010201    add  %r1, %r2, %r1
05: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
t                1280 scl glb r    D type (pointer) (size 8)

DIFO 0x2 returns D type (integer) (size 1)
OFF OPCODE      INSTRUCTION
00: 29050001    ldgs DT_VAR(1280), %r1		! DT_VAR(1280) = "t"
01: 25000002    setx DT_INTEGER[0], %r2		! 0x10
02: 07010201    add  %r1, %r2, %r1
03: 29010602    ldgs DT_VAR(262), %r2		! DT_VAR(262) = "arg0"
04: 25000103    setx DT_INTEGER[1], %r3		! 0x3
05: 04020302    sll  %r2, %r3, %r2
06: 07010201    add  %r1, %r2, %r1
07: 29010702    ldgs DT_VAR(263), %r2		! DT_VAR(263) = "arg1"
08: 07010201    add  %r1, %r2, %r1
09: 1c010001    ldsb [%r1], %r1
10: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
arg0             262  scl glb r    D type (integer) (size 8)
arg1             263  scl glb r    D type (integer) (size 8)
t                1280 scl glb r    D type (pointer) (size 8)
