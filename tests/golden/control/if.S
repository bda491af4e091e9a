
DIFO 0x0 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 25000001    setx DT_INTEGER[0], %r1		! 0x1
01: 2d050001    stts %r1, DT_VAR(1280)		! DT_VAR(1280) = "%error"
02: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
%error           1280 scl tls w    D type (integer) (size 4)

DIFO 0x1 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 2d050000    stts %r0, DT_VAR(1280)		! DT_VAR(1280) = "%error"
01: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
%error           1280 scl tls w    D type (integer) (size 4)

DIFO 0x2 returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 2c050001    ldts DT_VAR(1280), %r1		! DT_VAR(1280) = "%error"
01: 10010000    tst  %r1
02: 13000005    bne  5
03: 25000001    setx DT_INTEGER[0], %r1		! 0x1
04: 23000001    ret  %r1
05: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
%error           1280 scl tls r    D type (integer) (size 4)

DIFO 0x3 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 29010601    ldgs DT_VAR(262), %r1		! DT_VAR(262) = "arg0"
01: 10010000    tst  %r1
02: 12000005    be   5
03: 25000001    setx DT_INTEGER[0], %r1		! 0x1
04: 11000006    ba   6
05: 0e000001    mov  %r0, %r1
06: 39050001    stls %r1, DT_VAR(1280)		! DT_VAR(1280) = "%condition_1"
07: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
arg0             262  scl glb r    D type (integer) (size 8)
%condition_1     1280 scl loc w    D type (integer) (size 4)

DIFO 0x4 returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 2c050001    ldts DT_VAR(1280), %r1		! DT_VAR(1280) = "%error"
01: 10010000    tst  %r1
02: 13000005    bne  5
03: 38050001    ldls DT_VAR(1280), %r1		! DT_VAR(1280) = "%condition_1"
04: 23000001    ret  %r1
05: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
%error           1280 scl tls r    D type (integer) (size 4)
%condition_1     1280 scl loc r    D type (integer) (size 4)

DIFO 0x5 returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 25000001    setx DT_INTEGER[0], %r1		! 0x1
01: 23000001    ret  %r1
