
DIFO 0x0 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 25000001    setx DT_INTEGER[0], %r1		! 0x1
01: 29050002    ldgs DT_VAR(1280), %r2		! DT_VAR(1280) = "v"
02: 3e010002    stw  %r1, [%r2]
03: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
v                1280 scl glb r    D type (struct) by ref (size 16)

DIFO 0x1 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 29050001    ldgs DT_VAR(1280), %r1		! DT_VAR(1280) = "v"
01: 1e010002    ldsw [%r1], %r2
02: 25000003    setx DT_INTEGER[0], %r3		! 0x2
03: 07020302    add  %r2, %r3, %r2
04: 3e020001    stw  %r2, [%r1]
05: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
v                1280 scl glb r    D type (struct) by ref (size 16)

DIFO 0x2 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 29010601    ldgs DT_VAR(262), %r1		! DT_VAR(262) = "arg0"
01: 29050002    ldgs DT_VAR(1280), %r2		! DT_VAR(1280) = "v"
02: 25000003    setx DT_INTEGER[0], %r3		! 0x8
03: 07020302    add  %r2, %r3, %r2
04: 3f010002    stx  %r1, [%r2]
05: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
arg0             262  scl glb r    D type (integer) (size 8)
v                1280 scl glb r    D type (struct) by ref (size 16)

DIFO 0x3 returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 29050001    ldgs DT_VAR(1280), %r1		! DT_VAR(1280) = "v"
01: 1e010001    ldsw [%r1], %r1
02: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
v                1280 scl glb r    D type (struct) by ref (size 16)

DIFO 0x4 returns D type (pointer) (size 8)
OFF OPCODE      INSTRUCTION
00: 29050001    ldgs DT_VAR(1280), %r1		! DT_VAR(1280) = "v"
01: 25000002    setx DT_INTEGER[0], %r2		! 0x8
02: 07010201    add  %r1, %r2, %r1
03: 22010001    ldx  [%r1], %r1
04: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
v                1280 scl glb r    D type (struct) by ref (size 16)
