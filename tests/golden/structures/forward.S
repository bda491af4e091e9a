
DIFO 0x0 returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 29050001    ldgs DT_VAR(1280), %r1		! DT_VAR(1280) = "u"
01: 22010001    ldx  [%r1], %r1
02: 1e010001    ldsw [%r1], %r1
03: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
u                1280 scl glb r    D type (pointer) (size 8)
