
DIFO 0x0 returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 29010601    ldgs DT_VAR(262), %r1		! DT_VAR(262) = "arg0"
01: 10010000    tst  %r1
02: 1200000a    be   10
03: 25000002    setx DT_INTEGER[0], %r2		! 0x1a
04: 07010201    add  %r1, %r2, %r1
05: 20010001    lduh [%r1], %r1
06: 25000102    setx DT_INTEGER[1], %r2		! 0x1
07: 0f010200    cmp  %r1, %r2
08: 1a00000a    ble  10
09: 23000002    ret  %r2
10: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
arg0             262  scl glb r    D type (integer) (size 8)

DIFO 0x1 returns string (unknown) by ref (size 256)
OFF OPCODE      INSTRUCTION
00: 29010601    ldgs DT_VAR(262), %r1		! DT_VAR(262) = "arg0"
01: 25000002    setx DT_INTEGER[0], %r2		! 0x8
02: 07010201    add  %r1, %r2, %r1
03: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
arg0             262  scl glb r    D type (integer) (size 8)

DIFO 0x2 returns D type (integer) (size 2)
OFF OPCODE      INSTRUCTION
00: 29010601    ldgs DT_VAR(262), %r1		! DT_VAR(262) = "arg0"
01: 25000002    setx DT_INTEGER[0], %r2		! 0x18
02: 07010201    add  %r1, %r2, %r1
03: 20010001    lduh [%r1], %r1
04: 25000102    setx DT_INTEGER[1], %r2		! 0x4
05: 05010201    srl  %r1, %r2, %r1
06: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
arg0             262  scl glb r    D type (integer) (size 8)

DIFO 0x3 returns D type (integer) (size 1)
OFF OPCODE      INSTRUCTION
00: 29010601    ldgs DT_VAR(262), %r1		! DT_VAR(262) = "arg0"
01: 25000002    setx DT_INTEGER[0], %r2		! 0x18
02: 07010201    add  %r1, %r2, %r1
03: 1f010001    ldub [%r1], %r1
04: 25000102    setx DT_INTEGER[1], %r2		! 0xf
05: 03010201    and  %r1, %r2, %r1
06: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
arg0             262  scl glb r    D type (integer) (size 8)

DIFO 0x4 returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 29010601    ldgs DT_VAR(262), %r1		! DT_VAR(262) = "arg0"
01: 22010001    ldx  [%r1], %r1
02: 10010000    tst  %r1
03: 12000008    be   8
04: 25000002    setx DT_INTEGER[0], %r2		! 0x1a
05: 07010201    add  %r1, %r2, %r1
06: 20010001    lduh [%r1], %r1
07: 23000001    ret  %r1
08: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
arg0             262  scl glb r    D type (integer) (size 8)
