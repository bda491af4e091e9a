
DIFO 0x0 returns D type (integer) (size 8)
OFF OPCODE      INSTRUCTION
00: 29050001    ldgs DT_VAR(1280), %r1		! DT_VAR(1280) = "f"
01: 22010001    ldx  [%r1], %r1
02: 25000002    setx DT_INTEGER[0], %r2		! 0xffffffffff
03: 03010201    and  %r1, %r2, %r1
04: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
f                1280 scl glb r    D type (pointer) (size 8)

DIFO 0x1 returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 29050001    ldgs DT_VAR(1280), %r1		! DT_VAR(1280) = "f"
01: 25000002    setx DT_INTEGER[0], %r2		! 0x4
02: 07010201    add  %r1, %r2, %r1
03: 21010001    lduw [%r1], %r1
04: 25000102    setx DT_INTEGER[1], %r2		! 0x8
05: 05010201    srl  %r1, %r2, %r1
06: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
f                1280 scl glb r    D type (pointer) (size 8)
