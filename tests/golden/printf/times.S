
DIFO 0x0 returns D type (integer) (size 8)
OFF OPCODE      INSTRUCTION
00: 29011a01    ldgs DT_VAR(282), %r1		! DT_VAR(282) = "walltimestamp"
01: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
walltimestamp    282  scl glb r    D type (integer) (size 8)

DIFO 0x1 returns D type (integer) (size 8)
OFF OPCODE      INSTRUCTION
00: 29011a01    ldgs DT_VAR(282), %r1		! DT_VAR(282) = "walltimestamp"
01: 25000002    setx DT_INTEGER[0], %r2		! 0x34630b8a000
02: 07010201    add  %r1, %r2, %r1
03: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
walltimestamp    282  scl glb r    D type (integer) (size 8)

DIFO 0x2 returns D type (integer) (size 8)
OFF OPCODE      INSTRUCTION
00: 29011a01    ldgs DT_VAR(282), %r1		! DT_VAR(282) = "walltimestamp"
01: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
walltimestamp    282  scl glb r    D type (integer) (size 8)
