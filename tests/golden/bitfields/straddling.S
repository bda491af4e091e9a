
DIFO 0x0 returns D type (integer) (size 1)
OFF OPCODE      INSTRUCTION
00: 29050001    ldgs DT_VAR(1280), %r1		! DT_VAR(1280) = "f"
01: 20010001    lduh [%r1], %r1
02: 25000002    setx DT_INTEGER[0], %r2		! 0x1
03: 05010201    srl  %r1, %r2, %r1
04: 25000102    setx DT_INTEGER[1], %r2		! 0xff
05: 03010201    and  %r1, %r2, %r1
06: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
f                1280 scl glb r    D type (pointer) (size 8)

DIFO 0x1 returns D type (integer) (size 1)
OFF OPCODE      INSTRUCTION
00: 29050001    ldgs DT_VAR(1280), %r1		! DT_VAR(1280) = "f"
01: 25000002    setx DT_INTEGER[0], %r2		! 0x1
02: 07010201    add  %r1, %r2, %r1
03: 1f010001    ldub [%r1], %r1
04: 05010201    srl  %r1, %r2, %r1
05: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
f                1280 scl glb r    D type (pointer) (size 8)
