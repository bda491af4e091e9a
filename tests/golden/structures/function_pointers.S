
DIFO 0x0 returns D type (integer) (size 8)
OFF OPCODE      INSTRUCTION
00: 29050001    ldgs DT_VAR(1280), %r1		! DT_VAR(1280) = "ops"
01: 22010001    ldx  [%r1], %r1
02: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
ops              1280 scl glb r    D type (pointer) (size 8)

DIFO 0x1 returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 29050001    ldgs DT_VAR(1280), %r1		! DT_VAR(1280) = "ops"
01: 25000002    setx DT_INTEGER[0], %r2		! 0x8
02: 07010201    add  %r1, %r2, %r1
03: 22010001    ldx  [%r1], %r1
04: 10010000    tst  %r1
05: 13000008    bne  8
06: 25000101    setx DT_INTEGER[1], %r1		! 0x1
07: 23000001    ret  %r1
08: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
ops              1280 scl glb r    D type (pointer) (size 8)
