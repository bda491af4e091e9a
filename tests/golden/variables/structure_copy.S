
DIFO 0x0 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 29050101    ldgs DT_VAR(1281), %r1		! DT_VAR(1281) = "w"
01: 2a050001    stgs %r1, DT_VAR(1280)		! DT_VAR(1280) = "v"
02: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
v                1280 scl glb w    D type (struct) by ref (size 16)
w                1281 scl glb r    D type (struct) by ref (size 16)

DIFO 0x1 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 29050201    ldgs DT_VAR(1282), %r1		! DT_VAR(1282) = "p"
01: 2a050001    stgs %r1, DT_VAR(1280)		! DT_VAR(1280) = "v"
02: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
v                1280 scl glb w    D type (struct) by ref (size 16)
p                1282 scl glb r    D type (pointer) (size 8)

DIFO 0x2 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 29050201    ldgs DT_VAR(1282), %r1		! DT_VAR(1282) = "p"
01: 39050001    stls %r1, DT_VAR(1280)		! DT_VAR(1280) = "c"
02: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
p                1282 scl glb r    D type (pointer) (size 8)
c                1280 scl loc w    D type (struct) by ref (size 16)

DIFO 0x3 returns D type (integer) (size 8)
OFF OPCODE      INSTRUCTION
00: 38050001    ldls DT_VAR(1280), %r1		! DT_VAR(1280) = "c"
01: 25000002    setx DT_INTEGER[0], %r2		! 0x8
02: 07010201    add  %r1, %r2, %r1
03: 22010001    ldx  [%r1], %r1
04: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
c                1280 scl loc r    D type (struct) by ref (size 16)
