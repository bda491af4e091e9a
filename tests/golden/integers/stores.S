
DIFO 0x0 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 25000001    setx DT_INTEGER[0], %r1		! 0x10
01: 31000001    pushtv DT_TYPE(0), %r1		! DT_TYPE(0) = D type
02: 2f000f01    call DIF_SUBR(15), %r1		! alloca
03: 39050001    stls %r1, DT_VAR(1280)		! DT_VAR(1280) = "p"
04: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
p                1280 scl loc w    D type (pointer) (size 8)

DIFO 0x1 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 29010601    ldgs DT_VAR(262), %r1		! DT_VAR(262) = "arg0"
01: 38050002    ldls DT_VAR(1280), %r2		! DT_VAR(1280) = "p"
02: 3c010002    stb  %r1, [%r2]
03: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
arg0             262  scl glb r    D type (integer) (size 8)
p                1280 scl loc r    D type (pointer) (size 8)

DIFO 0x2 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 29010601    ldgs DT_VAR(262), %r1		! DT_VAR(262) = "arg0"
01: 38050002    ldls DT_VAR(1280), %r2		! DT_VAR(1280) = "p"
02: 25000003    setx DT_INTEGER[0], %r3		! 0x2
03: 07020302    add  %r2, %r3, %r2
04: 3d010002    sth  %r1, [%r2]
05: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
arg0             262  scl glb r    D type (integer) (size 8)
p                1280 scl loc r    D type (pointer) (size 8)

DIFO 0x3 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 29010601    ldgs DT_VAR(262), %r1		! DT_VAR(262) = "arg0"
01: 38050002    ldls DT_VAR(1280), %r2		! DT_VAR(1280) = "p"
02: 25000003    setx DT_INTEGER[0], %r3		! 0x4
03: 07020302    add  %r2, %r3, %r2
04: 3e010002    stw  %r1, [%r2]
05: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
arg0             262  scl glb r    D type (integer) (size 8)
p                1280 scl loc r    D type (pointer) (size 8)

DIFO 0x4 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 29010601    ldgs DT_VAR(262), %r1		! DT_VAR(262) = "arg0"
01: 38050002    ldls DT_VAR(1280), %r2		! DT_VAR(1280) = "p"
02: 25000003    setx DT_INTEGER[0], %r3		! 0x8
03: 07020302    add  %r2, %r3, %r2
04: 3f010002    stx  %r1, [%r2]
05: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
arg0             262  scl glb r    D type (integer) (size 8)
p                1280 scl loc r    D type (pointer) (size 8)
