
DIFO 0x0 returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 29050001    ldgs DT_VAR(1280), %r1		! DT_VAR(1280) = "p"
01: 1e010001    ldsw [%r1], %r1
02: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
p                1280 scl glb r    D type (pointer) (size 8)

DIFO 0x1 returns D type (integer) (size 1)
OFF OPCODE      INSTRUCTION
00: 29050101    ldgs DT_VAR(1281), %r1		! DT_VAR(1281) = "names"
01: 22010001    ldx  [%r1], %r1
02: 1c010001    ldsb [%r1], %r1
03: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
names            1281 scl glb r    D type (pointer) (size 8)

DIFO 0x2 returns D type (integer) (size 1)
OFF OPCODE      INSTRUCTION
00: 29050101    ldgs DT_VAR(1281), %r1		! DT_VAR(1281) = "names"
01: 25000002    setx DT_INTEGER[0], %r2		! 0x10
02: 07010201    add  %r1, %r2, %r1
03: 22010001    ldx  [%r1], %r1
04: 1c010001    ldsb [%r1], %r1
05: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
names            1281 scl glb r    D type (pointer) (size 8)
