
DIFO 0x0 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 29010601    ldgs DT_VAR(262), %r1		! DT_VAR(262) = "arg0"
01: 39050001    stls %r1, DT_VAR(1280)		! DT_VAR(1280) = "t"
02: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
arg0             262  scl glb r    D type (integer) (size 8)
t                1280 scl loc w    D type (pointer) (size 8)

DIFO 0x1 returns D type (integer) (size 8)
OFF OPCODE      INSTRUCTION
00: 25000001    setx DT_INTEGER[0], %r1		! 0x8
01: 23000001    ret  %r1

DIFO 0x2 returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 38050001    ldls DT_VAR(1280), %r1		! DT_VAR(1280) = "t"
01: 25000002    setx DT_INTEGER[0], %r2		! 0x30
02: 07010201    add  %r1, %r2, %r1
03: 21010001    lduw [%r1], %r1
04: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
t                1280 scl loc r    D type (pointer) (size 8)

DIFO 0x3 returns D type (array) by ref (size 17)
OFF OPCODE      INSTRUCTION
00: 29010001    ldgs DT_VAR(256), %r1		! DT_VAR(256) = "curthread"
01: 25000002    setx DT_INTEGER[0], %r2		! 0x50
02: 07010201    add  %r1, %r2, %r1
03: 22010001    ldx  [%r1], %r1
04: 25000102    setx DT_INTEGER[1], %r2		! 0x100
05: 07010201    add  %r1, %r2, %r1
06: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
curthread        256  scl glb r    D type (pointer) (size 8)
