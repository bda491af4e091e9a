
DIFO 0x0 returns D type (integer) (size 8)
OFF OPCODE      INSTRUCTION
00: 25000001    setx DT_INTEGER[0], %r1		! 0x1
01: 23000001    ret  %r1

DIFO 0x1 returns D type (integer) (size 8)
OFF OPCODE      INSTRUCTION
00: 29011101    ldgs DT_VAR(273), %r1		! DT_VAR(273) = "caller"
01: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
caller           273  scl glb r    D type (integer) (size 8)

DIFO 0x2 returns D type (integer) (size 8)
OFF OPCODE      INSTRUCTION
00: 25000001    setx DT_INTEGER[0], %r1		! 0x2
01: 23000001    ret  %r1

DIFO 0x3 returns D type (integer) (size 8)
OFF OPCODE      INSTRUCTION
00: 29011101    ldgs DT_VAR(273), %r1		! DT_VAR(273) = "caller"
01: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
caller           273  scl glb r    D type (integer) (size 8)

DIFO 0x4 returns D type (integer) (size 8)
OFF OPCODE      INSTRUCTION
00: 29011101    ldgs DT_VAR(273), %r1		! DT_VAR(273) = "caller"
01: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
caller           273  scl glb r    D type (integer) (size 8)

DIFO 0x5 returns D type (integer) (size 8)
OFF OPCODE      INSTRUCTION
00: 25000001    setx DT_INTEGER[0], %r1		! 0x3
01: 23000001    ret  %r1

DIFO 0x6 returns D type (integer) (size 8)
OFF OPCODE      INSTRUCTION
00: 29011c01    ldgs DT_VAR(284), %r1		! DT_VAR(284) = "ucaller"
01: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
ucaller          284  scl glb r    D type (integer) (size 8)

DIFO 0x7 returns D type (integer) (size 8)
OFF OPCODE      INSTRUCTION
00: 25000001    setx DT_INTEGER[0], %r1		! 0x4
01: 23000001    ret  %r1

DIFO 0x8 returns D type (integer) (size 8)
OFF OPCODE      INSTRUCTION
00: 29011c01    ldgs DT_VAR(284), %r1		! DT_VAR(284) = "ucaller"
01: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
ucaller          284  scl glb r    D type (integer) (size 8)

DIFO 0x9 returns D type (integer) (size 8)
OFF OPCODE      INSTRUCTION
00: 25000001    setx DT_INTEGER[0], %r1		! 0x5
01: 23000001    ret  %r1

DIFO 0xa returns D type (integer) (size 8)
OFF OPCODE      INSTRUCTION
00: 29011c01    ldgs DT_VAR(284), %r1		! DT_VAR(284) = "ucaller"
01: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
ucaller          284  scl glb r    D type (integer) (size 8)
