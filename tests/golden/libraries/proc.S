
DIFO 0x0 returns D type (array) by ref (size 80)
OFF OPCODE      INSTRUCTION
00: 29010001    ldgs DT_VAR(256), %r1		! DT_VAR(256) = "curthread"
01: 25000002    setx DT_INTEGER[0], %r2		! 0x50
02: 07010201    add  %r1, %r2, %r1
03: 22010001    ldx  [%r1], %r1
04: 25000102    setx DT_INTEGER[1], %r2		! 0x100
05: 07010201    add  %r1, %r2, %r1
06: 25000202    setx DT_INTEGER[2], %r2		! 0x11
07: 07010201    add  %r1, %r2, %r1
08: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
curthread        256  scl glb r    D type (pointer) (size 8)

DIFO 0x1 returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 28000001    ldga DT_VAR(0), %r0, %r1		! DT_VAR(0) = "args"
01: 25000002    setx DT_INTEGER[0], %r2		! 0x20
02: 04010201    sll  %r1, %r2, %r1
03: 2e010201    sra  %r1, %r2, %r1
04: 25000102    setx DT_INTEGER[1], %r2		! 0x1
05: 0f010200    cmp  %r1, %r2
06: 13000008    bne  8
07: 23000002    ret  %r2
08: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
args             0    arr glb r    D type (unknown) (size 0)

DIFO 0x2 returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 25000001    setx DT_INTEGER[0], %r1		! 0x1
01: 28000101    ldga DT_VAR(0), %r1, %r1		! DT_VAR(0) = "args"
02: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
args             0    arr glb r    D type (unknown) (size 0)

DIFO 0x3 returns D type (array) by ref (size 16)
OFF OPCODE      INSTRUCTION
00: 28000001    ldga DT_VAR(0), %r0, %r1		! DT_VAR(0) = "args"
01: 25000002    setx DT_INTEGER[0], %r2		! 0x50
02: 07010201    add  %r1, %r2, %r1
03: 22010001    ldx  [%r1], %r1
04: 25000102    setx DT_INTEGER[1], %r2		! 0x100
05: 07010201    add  %r1, %r2, %r1
06: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
args             0    arr glb r    D type (unknown) (size 0)
