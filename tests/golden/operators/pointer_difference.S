
DIFO 0x0 returns D type (integer) (size 8)
OFF OPCODE      INSTRUCTION
00: 29050001    ldgs DT_VAR(1280), %r1		! DT_VAR(1280) = "p"
01: 29050102    ldgs DT_VAR(1281), %r2		! DT_VAR(1281) = "q"
02: 06010201    sub  %r1, %r2, %r1
03: 25000002    setx DT_INTEGER[0], %r2		! 0x2
04: 2e010201    sra  %r1, %r2, %r1
05: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
p                1280 scl glb r    D type (pointer) (size 8)
q                1281 scl glb r    D type (pointer) (size 8)

DIFO 0x1 returns D type (integer) (size 8)
OFF OPCODE      INSTRUCTION
00: 29050201    ldgs DT_VAR(1282), %r1		! DT_VAR(1282) = "r"
01: 29050302    ldgs DT_VAR(1283), %r2		! DT_VAR(1283) = "s"
02: 06010201    sub  %r1, %r2, %r1
03: 25000002    setx DT_INTEGER[0], %r2		! 0xc
04: 09010201    sdiv %r1, %r2, %r1
05: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
r                1282 scl glb r    D type (pointer) (size 8)
s                1283 scl glb r    D type (pointer) (size 8)
