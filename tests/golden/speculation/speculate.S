
DIFO 0x0 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 2f000a01    call DIF_SUBR(10), %r1		! speculation
01: 2d050001    stts %r1, DT_VAR(1280)		! DT_VAR(1280) = "spec"
02: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
spec             1280 scl tls w    D type (integer) (size 4)

DIFO 0x1 returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 2c050001    ldts DT_VAR(1280), %r1		! DT_VAR(1280) = "spec"
01: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
spec             1280 scl tls r    D type (integer) (size 4)

DIFO 0x2 returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 2c050001    ldts DT_VAR(1280), %r1		! DT_VAR(1280) = "spec"
01: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
spec             1280 scl tls r    D type (integer) (size 4)

DIFO 0x3 returns D type (integer) (size 8)
OFF OPCODE      INSTRUCTION
00: 29010101    ldgs DT_VAR(257), %r1		! DT_VAR(257) = "timestamp"
01: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
timestamp        257  scl glb r    D type (integer) (size 8)

DIFO 0x4 returns D type (integer) (size 8)
OFF OPCODE      INSTRUCTION
00: 29010601    ldgs DT_VAR(262), %r1		! DT_VAR(262) = "arg0"
01: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
arg0             262  scl glb r    D type (integer) (size 8)

DIFO 0x5 returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 2c050001    ldts DT_VAR(1280), %r1		! DT_VAR(1280) = "spec"
01: 10010000    tst  %r1
02: 12000005    be   5
03: 29012001    ldgs DT_VAR(288), %r1		! DT_VAR(288) = "errno"
04: 23000001    ret  %r1
05: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
spec             1280 scl tls r    D type (integer) (size 4)
errno            288  scl glb r    D type (integer) (size 4)

DIFO 0x6 returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 2c050001    ldts DT_VAR(1280), %r1		! DT_VAR(1280) = "spec"
01: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
spec             1280 scl tls r    D type (integer) (size 4)

DIFO 0x7 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 2d050000    stts %r0, DT_VAR(1280)		! DT_VAR(1280) = "spec"
01: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
spec             1280 scl tls w    D type (integer) (size 4)

DIFO 0x8 returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 2c050001    ldts DT_VAR(1280), %r1		! DT_VAR(1280) = "spec"
01: 10010000    tst  %r1
02: 12000008    be   8
03: 29012001    ldgs DT_VAR(288), %r1		! DT_VAR(288) = "errno"
04: 10010000    tst  %r1
05: 13000008    bne  8
06: 25000001    setx DT_INTEGER[0], %r1		! 0x1
07: 23000001    ret  %r1
08: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
spec             1280 scl tls r    D type (integer) (size 4)
errno            288  scl glb r    D type (integer) (size 4)

DIFO 0x9 returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 2c050001    ldts DT_VAR(1280), %r1		! DT_VAR(1280) = "spec"
01: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
spec             1280 scl tls r    D type (integer) (size 4)

DIFO 0xa returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 2d050000    stts %r0, DT_VAR(1280)		! DT_VAR(1280) = "spec"
01: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
spec             1280 scl tls w    D type (integer) (size 4)
