
DIFO 0x0 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 29010601    ldgs DT_VAR(262), %r1		! DT_VAR(262) = "arg0"
01: 39050001    stls %r1, DT_VAR(1280)		! DT_VAR(1280) = "p"
02: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
arg0             262  scl glb r    D type (integer) (size 8)
p                1280 scl loc w    D type (pointer) (size 8)

DIFO 0x1 returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 38050001    ldls DT_VAR(1280), %r1		! DT_VAR(1280) = "p"
01: 1e010001    ldsw [%r1], %r1
02: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
p                1280 scl loc r    D type (pointer) (size 8)

DIFO 0x2 returns string (unknown) by ref (size 256)
OFF OPCODE      INSTRUCTION
00: 38050001    ldls DT_VAR(1280), %r1		! DT_VAR(1280) = "p"
01: 25000002    setx DT_INTEGER[0], %r2		! 0x4
02: 07010201    add  %r1, %r2, %r1
03: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
p                1280 scl loc r    D type (pointer) (size 8)
