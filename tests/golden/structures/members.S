
DIFO 0x0 returns D type (integer) (size 1)
OFF OPCODE      INSTRUCTION
00: 29050001    ldgs DT_VAR(1280), %r1		! DT_VAR(1280) = "p"
01: 1c010001    ldsb [%r1], %r1
02: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
p                1280 scl glb r    D type (pointer) (size 8)

DIFO 0x1 returns D type (integer) (size 2)
OFF OPCODE      INSTRUCTION
00: 29050001    ldgs DT_VAR(1280), %r1		! DT_VAR(1280) = "p"
01: 25000002    setx DT_INTEGER[0], %r2		! 0x2
02: 07010201    add  %r1, %r2, %r1
03: 07010201    add  %r1, %r2, %r1
04: 1d010001    ldsh [%r1], %r1
05: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
p                1280 scl glb r    D type (pointer) (size 8)

DIFO 0x2 returns D type (integer) (size 2)
OFF OPCODE      INSTRUCTION
00: 29050001    ldgs DT_VAR(1280), %r1		! DT_VAR(1280) = "p"
01: 25000002    setx DT_INTEGER[0], %r2		! 0x6
02: 07010201    add  %r1, %r2, %r1
03: 25000102    setx DT_INTEGER[1], %r2		! 0x4
04: 07010201    add  %r1, %r2, %r1
05: 25000202    setx DT_INTEGER[2], %r2		! 0x2
06: 07010201    add  %r1, %r2, %r1
07: 1d010001    ldsh [%r1], %r1
08: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
p                1280 scl glb r    D type (pointer) (size 8)

DIFO 0x3 returns D type (integer) (size 2)
OFF OPCODE      INSTRUCTION
00: 29050001    ldgs DT_VAR(1280), %r1		! DT_VAR(1280) = "p"
01: 25000002    setx DT_INTEGER[0], %r2		! 0x6
02: 07010201    add  %r1, %r2, %r1
03: 29010602    ldgs DT_VAR(262), %r2		! DT_VAR(262) = "arg0"
04: 25000103    setx DT_INTEGER[1], %r3		! 0x2
05: 04020302    sll  %r2, %r3, %r2
06: 07010201    add  %r1, %r2, %r1
07: 1d010001    ldsh [%r1], %r1
08: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
arg0             262  scl glb r    D type (integer) (size 8)
p                1280 scl glb r    D type (pointer) (size 8)

DIFO 0x4 returns D type (integer) (size 2)
OFF OPCODE      INSTRUCTION
00: 29050001    ldgs DT_VAR(1280), %r1		! DT_VAR(1280) = "p"
01: 25000002    setx DT_INTEGER[0], %r2		! 0x18
02: 07010201    add  %r1, %r2, %r1
03: 22010001    ldx  [%r1], %r1
04: 25000102    setx DT_INTEGER[1], %r2		! 0x2
05: 07010201    add  %r1, %r2, %r1
06: 1d010001    ldsh [%r1], %r1
07: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
p                1280 scl glb r    D type (pointer) (size 8)
