
DIFO 0x0 returns D type (pointer) (size 8)
OFF OPCODE      INSTRUCTION
00: 29050001    ldgs DT_VAR(1280), %r1		! DT_VAR(1280) = "p"
01: 25000002    setx DT_INTEGER[0], %r2		! 0xc
02: 07010201    add  %r1, %r2, %r1
03: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
p                1280 scl glb r    D type (pointer) (size 8)

DIFO 0x1 returns D type (pointer) (size 8)
OFF OPCODE      INSTRUCTION
00: 25000001    setx DT_INTEGER[0], %r1		! 0xc
01: 29050002    ldgs DT_VAR(1280), %r2		! DT_VAR(1280) = "p"
02: 07020102    add  %r2, %r1, %r2
03: 23000002    ret  %r2

NAME             ID   KND SCP FLAG TYPE
p                1280 scl glb r    D type (pointer) (size 8)

DIFO 0x2 returns D type (pointer) (size 8)
OFF OPCODE      INSTRUCTION
00: 29050001    ldgs DT_VAR(1280), %r1		! DT_VAR(1280) = "p"
01: 25000002    setx DT_INTEGER[0], %r2		! 0x8
02: 06010201    sub  %r1, %r2, %r1
03: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
p                1280 scl glb r    D type (pointer) (size 8)

DIFO 0x3 returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 29050001    ldgs DT_VAR(1280), %r1		! DT_VAR(1280) = "p"
01: 25000002    setx DT_INTEGER[0], %r2		! 0x14
02: 07010201    add  %r1, %r2, %r1
03: 1e010001    ldsw [%r1], %r1
04: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
p                1280 scl glb r    D type (pointer) (size 8)

DIFO 0x4 returns D type (integer) (size 2)
OFF OPCODE      INSTRUCTION
00: 29050101    ldgs DT_VAR(1281), %r1		! DT_VAR(1281) = "q"
01: 29010602    ldgs DT_VAR(262), %r2		! DT_VAR(262) = "arg0"
02: 25000003    setx DT_INTEGER[0], %r3		! 0x1
03: 04020302    sll  %r2, %r3, %r2
04: 07010201    add  %r1, %r2, %r1
05: 1d010001    ldsh [%r1], %r1
06: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
arg0             262  scl glb r    D type (integer) (size 8)
q                1281 scl glb r    D type (pointer) (size 8)
