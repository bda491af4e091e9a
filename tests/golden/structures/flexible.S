
DIFO 0x0 returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 29050001    ldgs DT_VAR(1280), %r1		! DT_VAR(1280) = "t"
01: 1e010001    ldsw [%r1], %r1
02: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
t                1280 scl glb r    D type (pointer) (size 8)

DIFO 0x1 returns D type (integer) (size 1)
OFF OPCODE      INSTRUCTION
00: 29050001    ldgs DT_VAR(1280), %r1		! DT_VAR(1280) = "t"
01: 25000002    setx DT_INTEGER[0], %r2		! 0x4
02: 07010201    add  %r1, %r2, %r1
03: 25000102    setx DT_INTEGER[1], %r2		! 0x3
04: 07010201    add  %r1, %r2, %r1
05: 1c010001    ldsb [%r1], %r1
06: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
t                1280 scl glb r    D type (pointer) (size 8)
