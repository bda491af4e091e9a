
DIFO 0x0 returns string (unknown) by ref (size 256)
OFF OPCODE      INSTRUCTION
00: 29011801    ldgs DT_VAR(280), %r1		! DT_VAR(280) = "execname"
01: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
execname         280  scl glb r    string (unknown) by ref (size 256)

DIFO 0x1 returns string (unknown) by ref (size 256)
OFF OPCODE      INSTRUCTION
00: 29011901    ldgs DT_VAR(281), %r1		! DT_VAR(281) = "zonename"
01: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
zonename         281  scl glb r    string (unknown) by ref (size 256)

DIFO 0x2 returns string (unknown) by ref (size 256)
OFF OPCODE      INSTRUCTION
00: 29011201    ldgs DT_VAR(274), %r1		! DT_VAR(274) = "probeprov"
01: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
probeprov        274  scl glb r    string (unknown) by ref (size 256)

DIFO 0x3 returns string (unknown) by ref (size 256)
OFF OPCODE      INSTRUCTION
00: 29011301    ldgs DT_VAR(275), %r1		! DT_VAR(275) = "probemod"
01: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
probemod         275  scl glb r    string (unknown) by ref (size 256)

DIFO 0x4 returns string (unknown) by ref (size 256)
OFF OPCODE      INSTRUCTION
00: 29011401    ldgs DT_VAR(276), %r1		! DT_VAR(276) = "probefunc"
01: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
probefunc        276  scl glb r    string (unknown) by ref (size 256)

DIFO 0x5 returns string (unknown) by ref (size 256)
OFF OPCODE      INSTRUCTION
00: 29011501    ldgs DT_VAR(277), %r1		! DT_VAR(277) = "probename"
01: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
probename        277  scl glb r    string (unknown) by ref (size 256)

DIFO 0x6 returns string (unknown) by ref (size 256)
OFF OPCODE      INSTRUCTION
00: 29012101    ldgs DT_VAR(289), %r1		! DT_VAR(289) = "threadname"
01: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
threadname       289  scl glb r    string (unknown) by ref (size 256)
