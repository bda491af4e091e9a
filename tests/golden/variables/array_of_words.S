
DIFO 0x0 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 25000001    setx DT_INTEGER[0], %r1		! 0x5
01: 29050002    ldgs DT_VAR(1280), %r2		! DT_VAR(1280) = "words"
02: 25000103    setx DT_INTEGER[1], %r3		! 0x8
03: 07020302    add  %r2, %r3, %r2
04: 3e010002    stw  %r1, [%r2]
05: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
words            1280 scl glb r    D type (array) by ref (size 32)

DIFO 0x1 returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 29050001    ldgs DT_VAR(1280), %r1		! DT_VAR(1280) = "words"
01: 25000002    setx DT_INTEGER[0], %r2		! 0x8
02: 07010201    add  %r1, %r2, %r1
03: 1e010001    ldsw [%r1], %r1
04: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
words            1280 scl glb r    D type (array) by ref (size 32)

DIFO 0x2 returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 29050001    ldgs DT_VAR(1280), %r1		! DT_VAR(1280) = "words"
01: 29010602    ldgs DT_VAR(262), %r2		! DT_VAR(262) = "arg0"
02: 25000003    setx DT_INTEGER[0], %r3		! 0x2
03: 04020302    sll  %r2, %r3, %r2
04: 07010201    add  %r1, %r2, %r1
05: 1e010001    ldsw [%r1], %r1
06: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
arg0             262  scl glb r    D type (integer) (size 8)
words            1280 scl glb r    D type (array) by ref (size 32)

DIFO 0x3 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 29050001    ldgs DT_VAR(1280), %r1		! DT_VAR(1280) = "words"
01: 29010602    ldgs DT_VAR(262), %r2		! DT_VAR(262) = "arg0"
02: 25000003    setx DT_INTEGER[0], %r3		! 0x2
03: 04020302    sll  %r2, %r3, %r2
04: 07010201    add  %r1, %r2, %r1
05: 1e010002    ldsw [%r1], %r2
06: 25000103    setx DT_INTEGER[1], %r3		! 0x1
07: 07020302    add  %r2, %r3, %r2
08: 3e020001    stw  %r2, [%r1]
09: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
arg0             262  scl glb r    D type (integer) (size 8)
words            1280 scl glb r    D type (array) by ref (size 32)
