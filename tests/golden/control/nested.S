
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
03: 25000001    setx DT_INTEGER[0], %r1		! 0x1
04: 23000001    ret  %r1
05: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
%error           1280 scl tls r    D type (integer) (size 4)

DIFO 0x5 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 38050001    ldls DT_VAR(1280), %r1		! DT_VAR(1280) = "%condition_1"
01: 10010000    tst  %r1
02: 12000008    be   8
03: 29010701    ldgs DT_VAR(263), %r1		! DT_VAR(263) = "arg1"
04: 10010000    tst  %r1
05: 12000008    be   8
06: 25000001    setx DT_INTEGER[0], %r1		! 0x1
07: 11000009    ba   9
08: 0e000001    mov  %r0, %r1
09: 39050101    stls %r1, DT_VAR(1281)		! DT_VAR(1281) = "%condition_2"
10: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
arg1             263  scl glb r    D type (integer) (size 8)
%condition_1     1280 scl loc r    D type (integer) (size 4)
%condition_2     1281 scl loc w    D type (integer) (size 4)

DIFO 0x6 returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 2c050001    ldts DT_VAR(1280), %r1		! DT_VAR(1280) = "%error"
01: 10010000    tst  %r1
02: 13000005    bne  5
03: 38050101    ldls DT_VAR(1281), %r1		! DT_VAR(1281) = "%condition_2"
04: 23000001    ret  %r1
05: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
%error           1280 scl tls r    D type (integer) (size 4)
%condition_2     1281 scl loc r    D type (integer) (size 4)

DIFO 0x7 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 25000001    setx DT_INTEGER[0], %r1		! 0x1
01: 2a050001    stgs %r1, DT_VAR(1280)		! DT_VAR(1280) = "x"
02: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
x                1280 scl glb w    D type (integer) (size 4)

DIFO 0x8 returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 2c050001    ldts DT_VAR(1280), %r1		! DT_VAR(1280) = "%error"
01: 10010000    tst  %r1
02: 13000005    bne  5
03: 25000001    setx DT_INTEGER[0], %r1		! 0x1
04: 23000001    ret  %r1
05: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
%error           1280 scl tls r    D type (integer) (size 4)

DIFO 0x9 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 38050001    ldls DT_VAR(1280), %r1		! DT_VAR(1280) = "%condition_1"
01: 10010000    tst  %r1
02: 12000008    be   8
03: 38050101    ldls DT_VAR(1281), %r1		! DT_VAR(1281) = "%condition_2"
04: 10010000    tst  %r1
05: 13000008    bne  8
06: 25000001    setx DT_INTEGER[0], %r1		! 0x1
07: 11000009    ba   9
08: 0e000001    mov  %r0, %r1
09: 39050201    stls %r1, DT_VAR(1282)		! DT_VAR(1282) = "%condition_3"
10: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
%condition_1     1280 scl loc r    D type (integer) (size 4)
%condition_2     1281 scl loc r    D type (integer) (size 4)
%condition_3     1282 scl loc w    D type (integer) (size 4)

DIFO 0xa returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 2c050001    ldts DT_VAR(1280), %r1		! DT_VAR(1280) = "%error"
01: 10010000    tst  %r1
02: 13000005    bne  5
03: 38050201    ldls DT_VAR(1282), %r1		! DT_VAR(1282) = "%condition_3"
04: 23000001    ret  %r1
05: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
%error           1280 scl tls r    D type (integer) (size 4)
%condition_3     1282 scl loc r    D type (integer) (size 4)

DIFO 0xb returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 25000001    setx DT_INTEGER[0], %r1		! 0x2
01: 2a050001    stgs %r1, DT_VAR(1280)		! DT_VAR(1280) = "x"
02: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
x                1280 scl glb w    D type (integer) (size 4)

DIFO 0xc returns D type (integer) (size 4)
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

DIFO 0xd returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 29050001    ldgs DT_VAR(1280), %r1		! DT_VAR(1280) = "x"
01: 2a050101    stgs %r1, DT_VAR(1281)		! DT_VAR(1281) = "y"
02: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
x                1280 scl glb r    D type (integer) (size 4)
y                1281 scl glb w    D type (integer) (size 4)

DIFO 0xe returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 2c050001    ldts DT_VAR(1280), %r1		! DT_VAR(1280) = "%error"
01: 10010000    tst  %r1
02: 13000005    bne  5
03: 25000001    setx DT_INTEGER[0], %r1		! 0x1
04: 23000001    ret  %r1
05: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
%error           1280 scl tls r    D type (integer) (size 4)

DIFO 0xf returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 38050001    ldls DT_VAR(1280), %r1		! DT_VAR(1280) = "%condition_1"
01: 10010000    tst  %r1
02: 13000005    bne  5
03: 25000001    setx DT_INTEGER[0], %r1		! 0x1
04: 11000006    ba   6
05: 0e000001    mov  %r0, %r1
06: 39050301    stls %r1, DT_VAR(1283)		! DT_VAR(1283) = "%condition_4"
07: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
%condition_1     1280 scl loc r    D type (integer) (size 4)
%condition_4     1283 scl loc w    D type (integer) (size 4)

DIFO 0x10 returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 2c050001    ldts DT_VAR(1280), %r1		! DT_VAR(1280) = "%error"
01: 10010000    tst  %r1
02: 13000005    bne  5
03: 25000001    setx DT_INTEGER[0], %r1		! 0x1
04: 23000001    ret  %r1
05: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
%error           1280 scl tls r    D type (integer) (size 4)

DIFO 0x11 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 38050301    ldls DT_VAR(1283), %r1		! DT_VAR(1283) = "%condition_4"
01: 10010000    tst  %r1
02: 12000008    be   8
03: 29010801    ldgs DT_VAR(264), %r1		! DT_VAR(264) = "arg2"
04: 10010000    tst  %r1
05: 12000008    be   8
06: 25000001    setx DT_INTEGER[0], %r1		! 0x1
07: 11000009    ba   9
08: 0e000001    mov  %r0, %r1
09: 39050401    stls %r1, DT_VAR(1284)		! DT_VAR(1284) = "%condition_5"
10: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
arg2             264  scl glb r    D type (integer) (size 8)
%condition_4     1283 scl loc r    D type (integer) (size 4)
%condition_5     1284 scl loc w    D type (integer) (size 4)

DIFO 0x12 returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 2c050001    ldts DT_VAR(1280), %r1		! DT_VAR(1280) = "%error"
01: 10010000    tst  %r1
02: 13000005    bne  5
03: 38050401    ldls DT_VAR(1284), %r1		! DT_VAR(1284) = "%condition_5"
04: 23000001    ret  %r1
05: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
%error           1280 scl tls r    D type (integer) (size 4)
%condition_5     1284 scl loc r    D type (integer) (size 4)

DIFO 0x13 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 25000001    setx DT_INTEGER[0], %r1		! 0x3
01: 2a050001    stgs %r1, DT_VAR(1280)		! DT_VAR(1280) = "x"
02: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
x                1280 scl glb w    D type (integer) (size 4)

DIFO 0x14 returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 2c050001    ldts DT_VAR(1280), %r1		! DT_VAR(1280) = "%error"
01: 10010000    tst  %r1
02: 13000005    bne  5
03: 25000001    setx DT_INTEGER[0], %r1		! 0x1
04: 23000001    ret  %r1
05: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
%error           1280 scl tls r    D type (integer) (size 4)

DIFO 0x15 returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 29050001    ldgs DT_VAR(1280), %r1		! DT_VAR(1280) = "x"
01: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
x                1280 scl glb r    D type (integer) (size 4)
