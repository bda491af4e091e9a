
DIFO 0x0 returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 29011601    ldgs DT_VAR(278), %r1		! DT_VAR(278) = "pid"
01: 31000001    pushtv DT_TYPE(0), %r1		! DT_TYPE(0) = D type
02: 34050001    ldgaa DT_VAR(1280), %r1		! DT_VAR(1280) = "seen"
03: 10010000    tst  %r1
04: 13000007    bne  7
05: 25000001    setx DT_INTEGER[0], %r1		! 0x1
06: 23000001    ret  %r1
07: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
pid              278  scl glb r    D type (integer) (size 4)
seen             1280 arr glb r    D type (integer) (size 4)

DIFO 0x1 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 25000001    setx DT_INTEGER[0], %r1		! 0x1
01: 29011602    ldgs DT_VAR(278), %r2		! DT_VAR(278) = "pid"
02: 31000002    pushtv DT_TYPE(0), %r2		! DT_TYPE(0) = D type
03: 36050001    stgaa %r1, DT_VAR(1280)		! DT_VAR(1280) = "seen"
04: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
pid              278  scl glb r    D type (integer) (size 4)
seen             1280 arr glb w    D type (integer) (size 4)

DIFO 0x2 returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 29011601    ldgs DT_VAR(278), %r1		! DT_VAR(278) = "pid"
01: 31000001    pushtv DT_TYPE(0), %r1		! DT_TYPE(0) = D type
02: 34050001    ldgaa DT_VAR(1280), %r1		! DT_VAR(1280) = "seen"
03: 25000002    setx DT_INTEGER[0], %r2		! 0x1
04: 0f010200    cmp  %r1, %r2
05: 13000007    bne  7
06: 23000002    ret  %r2
07: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
pid              278  scl glb r    D type (integer) (size 4)
seen             1280 arr glb r    D type (integer) (size 4)

DIFO 0x3 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 29011601    ldgs DT_VAR(278), %r1		! DT_VAR(278) = "pid"
01: 31000001    pushtv DT_TYPE(0), %r1		! DT_TYPE(0) = D type
02: 36050000    stgaa %r0, DT_VAR(1280)		! DT_VAR(1280) = "seen"
03: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
pid              278  scl glb r    D type (integer) (size 4)
seen             1280 arr glb w    D type (integer) (size 4)
