
DIFO 0x0 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 29010601    ldgs DT_VAR(262), %r1		! DT_VAR(262) = "arg0"
01: 25000002    setx DT_INTEGER[0], %r2		! 0x1
02: 0f010200    cmp  %r1, %r2
03: 25000001    setx DT_INTEGER[0], %r1		! 0x1
04: 12000006    be   6
05: 0e000001    mov  %r0, %r1
06: 2a050001    stgs %r1, DT_VAR(1280)		! DT_VAR(1280) = "flag"
07: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
arg0             262  scl glb r    D type (integer) (size 8)
flag             1280 scl glb w    D type (integer) (size 4)

DIFO 0x1 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 29050001    ldgs DT_VAR(1280), %r1		! DT_VAR(1280) = "flag"
01: 10010000    tst  %r1
02: 25000001    setx DT_INTEGER[0], %r1		! 0x1
03: 12000005    be   5
04: 0e000001    mov  %r0, %r1
05: 2a050001    stgs %r1, DT_VAR(1280)		! DT_VAR(1280) = "flag"
06: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
flag             1280 scl glb r/w  D type (integer) (size 4)

DIFO 0x2 returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 29050001    ldgs DT_VAR(1280), %r1		! DT_VAR(1280) = "flag"
01: 10010000    tst  %r1
02: 12000005    be   5
03: 25000001    setx DT_INTEGER[0], %r1		! 0x7
04: 23000001    ret  %r1
05: 25000101    setx DT_INTEGER[1], %r1		! 0x8
06: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
flag             1280 scl glb r    D type (integer) (size 4)

DIFO 0x3 returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 29050001    ldgs DT_VAR(1280), %r1		! DT_VAR(1280) = "flag"
01: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
flag             1280 scl glb r    D type (integer) (size 4)

DIFO 0x4 returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 25000001    setx DT_INTEGER[0], %r1		! 0x1
01: 23000001    ret  %r1

DIFO 0x5 returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 29050001    ldgs DT_VAR(1280), %r1		! DT_VAR(1280) = "flag"
01: 10010000    tst  %r1
02: 13000005    bne  5
03: 25000001    setx DT_INTEGER[0], %r1		! 0x1
04: 23000001    ret  %r1
05: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
flag             1280 scl glb r    D type (integer) (size 4)

DIFO 0x6 returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 25000001    setx DT_INTEGER[0], %r1		! 0x2
01: 23000001    ret  %r1
