
DIFO 0x0 returns D type (integer) (size 8)
OFF OPCODE      INSTRUCTION
00: 29050001    ldgs DT_VAR(1280), %r1		! DT_VAR(1280) = "u"
01: 22010001    ldx  [%r1], %r1
02: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
u                1280 scl glb r    D type (pointer) (size 8)

DIFO 0x1 returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 29050001    ldgs DT_VAR(1280), %r1		! DT_VAR(1280) = "u"
01: 25000002    setx DT_INTEGER[0], %r2		! 0x4
02: 07010201    add  %r1, %r2, %r1
03: 21010001    lduw [%r1], %r1
04: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
u                1280 scl glb r    D type (pointer) (size 8)

DIFO 0x2 returns D type (integer) (size 1)
OFF OPCODE      INSTRUCTION
00: 29050001    ldgs DT_VAR(1280), %r1		! DT_VAR(1280) = "u"
01: 29010602    ldgs DT_VAR(262), %r2		! DT_VAR(262) = "arg0"
02: 07010201    add  %r1, %r2, %r1
03: 1c010001    ldsb [%r1], %r1
04: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
arg0             262  scl glb r    D type (integer) (size 8)
u                1280 scl glb r    D type (pointer) (size 8)
