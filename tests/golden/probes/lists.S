
DIFO 0x0 returns string (unknown) by ref (size 256)
OFF OPCODE      INSTRUCTION
00: 29011501    ldgs DT_VAR(277), %r1		! DT_VAR(277) = "probename"
01: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
probename        277  scl glb r    string (unknown) by ref (size 256)

DIFO 0x1 returns string (unknown) by ref (size 256)
OFF OPCODE      INSTRUCTION
00: 29011501    ldgs DT_VAR(277), %r1		! DT_VAR(277) = "probename"
01: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
probename        277  scl glb r    string (unknown) by ref (size 256)

DIFO 0x2 returns string (unknown) by ref (size 256)
OFF OPCODE      INSTRUCTION
00: 29011501    ldgs DT_VAR(277), %r1		! DT_VAR(277) = "probename"
01: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
probename        277  scl glb r    string (unknown) by ref (size 256)
