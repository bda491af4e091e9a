
DIFO 0x0 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 26000101    sets DT_STRING[1], %r1		! "abc"
01: 2a050001    stgs %r1, DT_VAR(1280)		! DT_VAR(1280) = "s"
02: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
s                1280 scl glb w    string (unknown) by ref (size 256)

DIFO 0x1 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 29050001    ldgs DT_VAR(1280), %r1		! DT_VAR(1280) = "s"
01: 2d050001    stts %r1, DT_VAR(1280)		! DT_VAR(1280) = "t"
02: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
t                1280 scl tls w    string (unknown) by ref (size 256)
s                1280 scl glb r    string (unknown) by ref (size 256)

DIFO 0x2 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 2c050001    ldts DT_VAR(1280), %r1		! DT_VAR(1280) = "t"
01: 39050001    stls %r1, DT_VAR(1280)		! DT_VAR(1280) = "u"
02: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
t                1280 scl tls r    string (unknown) by ref (size 256)
u                1280 scl loc w    string (unknown) by ref (size 256)

DIFO 0x3 returns string (unknown) by ref (size 256)
OFF OPCODE      INSTRUCTION
00: 38050001    ldls DT_VAR(1280), %r1		! DT_VAR(1280) = "u"
01: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
u                1280 scl loc r    string (unknown) by ref (size 256)

DIFO 0x4 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 2a050000    stgs %r0, DT_VAR(1280)		! DT_VAR(1280) = "s"
01: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
s                1280 scl glb w    string (unknown) by ref (size 256)
