
DIFO 0x0 returns D type (array) by ref (size 16)
OFF OPCODE      INSTRUCTION
00: 29010001    ldgs DT_VAR(256), %r1		! DT_VAR(256) = "curthread"
01: 25000002    setx DT_INTEGER[0], %r2		! 0x50
02: 07010201    add  %r1, %r2, %r1
03: 22010001    ldx  [%r1], %r1
04: 25000102    setx DT_INTEGER[1], %r2		! 0x100
05: 07010201    add  %r1, %r2, %r1
06: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
curthread        256  scl glb r    D type (pointer) (size 8)

DIFO 0x1 returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 29010001    ldgs DT_VAR(256), %r1		! DT_VAR(256) = "curthread"
01: 25000002    setx DT_INTEGER[0], %r2		! 0x50
02: 07010201    add  %r1, %r2, %r1
03: 22010001    ldx  [%r1], %r1
04: 07010201    add  %r1, %r2, %r1
05: 22010001    ldx  [%r1], %r1
06: 1e010001    ldsw [%r1], %r1
07: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
curthread        256  scl glb r    D type (pointer) (size 8)

DIFO 0x2 returns D type (array) by ref (size 80)
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
