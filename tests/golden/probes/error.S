
DIFO 0x0 returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 1e000001    ldsw [%r0], %r1
01: 23000001    ret  %r1

DIFO 0x1 returns D type (integer) (size 8)
OFF OPCODE      INSTRUCTION
00: 29010701    ldgs DT_VAR(263), %r1		! DT_VAR(263) = "arg1"
01: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
arg1             263  scl glb r    D type (integer) (size 8)

DIFO 0x2 returns D type (integer) (size 8)
OFF OPCODE      INSTRUCTION
00: 29010801    ldgs DT_VAR(264), %r1		! DT_VAR(264) = "arg2"
01: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
arg2             264  scl glb r    D type (integer) (size 8)

DIFO 0x3 returns D type (integer) (size 8)
OFF OPCODE      INSTRUCTION
00: 29010901    ldgs DT_VAR(265), %r1		! DT_VAR(265) = "arg3"
01: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
arg3             265  scl glb r    D type (integer) (size 8)

DIFO 0x4 returns D type (integer) (size 8)
OFF OPCODE      INSTRUCTION
00: 29010a01    ldgs DT_VAR(266), %r1		! DT_VAR(266) = "arg4"
01: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
arg4             266  scl glb r    D type (integer) (size 8)

DIFO 0x5 returns D type (integer) (size 8)
OFF OPCODE      INSTRUCTION
00: 29010b01    ldgs DT_VAR(267), %r1		! DT_VAR(267) = "arg5"
01: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
arg5             267  scl glb r    D type (integer) (size 8)
