
DIFO 0x0 returns D type (integer) (size 8)
OFF OPCODE      INSTRUCTION
00: 29010101    ldgs DT_VAR(257), %r1		! DT_VAR(257) = "timestamp"
01: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
timestamp        257  scl glb r    D type (integer) (size 8)

DIFO 0x1 returns D type (integer) (size 8)
OFF OPCODE      INSTRUCTION
00: 29010201    ldgs DT_VAR(258), %r1		! DT_VAR(258) = "vtimestamp"
01: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
vtimestamp       258  scl glb r    D type (integer) (size 8)

DIFO 0x2 returns D type (integer) (size 8)
OFF OPCODE      INSTRUCTION
00: 29011a01    ldgs DT_VAR(282), %r1		! DT_VAR(282) = "walltimestamp"
01: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
walltimestamp    282  scl glb r    D type (integer) (size 8)

DIFO 0x3 returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 29010401    ldgs DT_VAR(260), %r1		! DT_VAR(260) = "epid"
01: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
epid             260  scl glb r    D type (integer) (size 4)

DIFO 0x4 returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 29010501    ldgs DT_VAR(261), %r1		! DT_VAR(261) = "id"
01: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
id               261  scl glb r    D type (integer) (size 4)

DIFO 0x5 returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 29010301    ldgs DT_VAR(259), %r1		! DT_VAR(259) = "ipl"
01: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
ipl              259  scl glb r    D type (integer) (size 4)

DIFO 0x6 returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 29011601    ldgs DT_VAR(278), %r1		! DT_VAR(278) = "pid"
01: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
pid              278  scl glb r    D type (integer) (size 4)

DIFO 0x7 returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 29011d01    ldgs DT_VAR(285), %r1		! DT_VAR(285) = "ppid"
01: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
ppid             285  scl glb r    D type (integer) (size 4)

DIFO 0x8 returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 29011701    ldgs DT_VAR(279), %r1		! DT_VAR(279) = "tid"
01: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
tid              279  scl glb r    D type (integer) (size 4)

DIFO 0x9 returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 29011e01    ldgs DT_VAR(286), %r1		! DT_VAR(286) = "uid"
01: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
uid              286  scl glb r    D type (integer) (size 4)

DIFO 0xa returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 29011f01    ldgs DT_VAR(287), %r1		! DT_VAR(287) = "gid"
01: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
gid              287  scl glb r    D type (integer) (size 4)

DIFO 0xb returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 29012001    ldgs DT_VAR(288), %r1		! DT_VAR(288) = "errno"
01: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
errno            288  scl glb r    D type (integer) (size 4)

DIFO 0xc returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 29010001    ldgs DT_VAR(256), %r1		! DT_VAR(256) = "curthread"
01: 25000002    setx DT_INTEGER[0], %r2		! 0x10
02: 07010201    add  %r1, %r2, %r1
03: 22010001    ldx  [%r1], %r1
04: 1e010001    ldsw [%r1], %r1
05: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
curthread        256  scl glb r    D type (pointer) (size 8)

DIFO 0xd returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 29011001    ldgs DT_VAR(272), %r1		! DT_VAR(272) = "stackdepth"
01: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
stackdepth       272  scl glb r    D type (integer) (size 4)

DIFO 0xe returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 29011b01    ldgs DT_VAR(283), %r1		! DT_VAR(283) = "ustackdepth"
01: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
ustackdepth      283  scl glb r    D type (integer) (size 4)

DIFO 0xf returns D type (integer) (size 8)
OFF OPCODE      INSTRUCTION
00: 29011101    ldgs DT_VAR(273), %r1		! DT_VAR(273) = "caller"
01: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
caller           273  scl glb r    D type (integer) (size 8)

DIFO 0x10 returns D type (integer) (size 8)
OFF OPCODE      INSTRUCTION
00: 29011c01    ldgs DT_VAR(284), %r1		! DT_VAR(284) = "ucaller"
01: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
ucaller          284  scl glb r    D type (integer) (size 8)
