
DIFO 0x0 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 29010101    ldgs DT_VAR(257), %r1		! DT_VAR(257) = "timestamp"
01: 2d050001    stts %r1, DT_VAR(1280)		! DT_VAR(1280) = "start"
02: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
start            1280 scl tls w    D type (integer) (size 4)
timestamp        257  scl glb r    D type (integer) (size 8)

DIFO 0x1 returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 29010101    ldgs DT_VAR(257), %r1		! DT_VAR(257) = "timestamp"
01: 2c050002    ldts DT_VAR(1280), %r2		! DT_VAR(1280) = "start"
02: 06010201    sub  %r1, %r2, %r1
03: 25000002    setx DT_INTEGER[0], %r2		! 0x20
04: 04010201    sll  %r1, %r2, %r1
05: 2e010201    sra  %r1, %r2, %r1
06: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
start            1280 scl tls r    D type (integer) (size 4)
timestamp        257  scl glb r    D type (integer) (size 8)

DIFO 0x2 returns D type (integer) (size 8)
OFF OPCODE      INSTRUCTION
00: 25000001    setx DT_INTEGER[0], %r1		! 0x1
01: 23000001    ret  %r1

DIFO 0x3 returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 29010101    ldgs DT_VAR(257), %r1		! DT_VAR(257) = "timestamp"
01: 2c050002    ldts DT_VAR(1280), %r2		! DT_VAR(1280) = "start"
02: 06010201    sub  %r1, %r2, %r1
03: 25000002    setx DT_INTEGER[0], %r2		! 0x20
04: 04010201    sll  %r1, %r2, %r1
05: 2e010201    sra  %r1, %r2, %r1
06: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
start            1280 scl tls r    D type (integer) (size 4)
timestamp        257  scl glb r    D type (integer) (size 8)
