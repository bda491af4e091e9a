
DIFO 0x0 returns D type (integer) (size 8)
OFF OPCODE      INSTRUCTION
00: 29010601    ldgs DT_VAR(262), %r1		! DT_VAR(262) = "arg0"
01: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
arg0             262  scl glb r    D type (integer) (size 8)

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

DIFO 0x6 returns D type (integer) (size 8)
OFF OPCODE      INSTRUCTION
00: 29010c01    ldgs DT_VAR(268), %r1		! DT_VAR(268) = "arg6"
01: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
arg6             268  scl glb r    D type (integer) (size 8)

DIFO 0x7 returns D type (integer) (size 8)
OFF OPCODE      INSTRUCTION
00: 29010d01    ldgs DT_VAR(269), %r1		! DT_VAR(269) = "arg7"
01: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
arg7             269  scl glb r    D type (integer) (size 8)

DIFO 0x8 returns D type (integer) (size 8)
OFF OPCODE      INSTRUCTION
00: 29010e01    ldgs DT_VAR(270), %r1		! DT_VAR(270) = "arg8"
01: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
arg8             270  scl glb r    D type (integer) (size 8)

DIFO 0x9 returns D type (integer) (size 8)
OFF OPCODE      INSTRUCTION
00: 29010f01    ldgs DT_VAR(271), %r1		! DT_VAR(271) = "arg9"
01: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
arg9             271  scl glb r    D type (integer) (size 8)
