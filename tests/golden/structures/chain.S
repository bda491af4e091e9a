
DIFO 0x0 returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 29050001    ldgs DT_VAR(1280), %r1		! DT_VAR(1280) = "head"
01: 25000002    setx DT_INTEGER[0], %r2		! 0x8
02: 07010201    add  %r1, %r2, %r1
03: 22010001    ldx  [%r1], %r1
04: 07010201    add  %r1, %r2, %r1
05: 22010001    ldx  [%r1], %r1
06: 07010201    add  %r1, %r2, %r1
07: 22010001    ldx  [%r1], %r1
08: 1e010001    ldsw [%r1], %r1
09: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
head             1280 scl glb r    D type (pointer) (size 8)
