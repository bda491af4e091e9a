
DIFO 0x0 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 29050201    ldgs DT_VAR(1282), %r1		! DT_VAR(1282) = "pair"
01: 25000002    setx DT_INTEGER[0], %r2		! 0x4
02: 07010201    add  %r1, %r2, %r1
03: 2a050101    stgs %r1, DT_VAR(1281)		! DT_VAR(1281) = "p"
04: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
p                1281 scl glb w    D type (pointer) (size 8)
pair             1282 scl glb r    D type (pointer) (size 8)

DIFO 0x1 returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 29050201    ldgs DT_VAR(1282), %r1		! DT_VAR(1282) = "pair"
01: 1e010001    ldsw [%r1], %r1
02: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
pair             1282 scl glb r    D type (pointer) (size 8)

DIFO 0x2 returns D type (integer) (size 8)
OFF OPCODE      INSTRUCTION
00: 29050201    ldgs DT_VAR(1282), %r1		! DT_VAR(1282) = "pair"
01: 25000002    setx DT_INTEGER[0], %r2		! 0x4
02: 07010202    add  %r1, %r2, %r2
03: 06020102    sub  %r2, %r1, %r2
04: 23000002    ret  %r2

NAME             ID   KND SCP FLAG TYPE
pair             1282 scl glb r    D type (pointer) (size 8)
