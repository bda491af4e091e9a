
DIFO 0x0 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 29010601    ldgs DT_VAR(262), %r1		! DT_VAR(262) = "arg0"
01: 2c050002    ldts DT_VAR(1280), %r2		! DT_VAR(1280) = "kept"
02: 3e010002    stw  %r1, [%r2]
03: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
kept             1280 scl tls r    D type (struct) by ref (size 16)
arg0             262  scl glb r    D type (integer) (size 8)

DIFO 0x1 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 29010101    ldgs DT_VAR(257), %r1		! DT_VAR(257) = "timestamp"
01: 2c050002    ldts DT_VAR(1280), %r2		! DT_VAR(1280) = "kept"
02: 25000003    setx DT_INTEGER[0], %r3		! 0x8
03: 07020302    add  %r2, %r3, %r2
04: 3f010002    stx  %r1, [%r2]
05: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
kept             1280 scl tls r    D type (struct) by ref (size 16)
timestamp        257  scl glb r    D type (integer) (size 8)

DIFO 0x2 returns D type (integer) (size 8)
OFF OPCODE      INSTRUCTION
00: 2c050001    ldts DT_VAR(1280), %r1		! DT_VAR(1280) = "kept"
01: 25000002    setx DT_INTEGER[0], %r2		! 0x8
02: 07010202    add  %r1, %r2, %r2
03: 22020002    ldx  [%r2], %r2
04: 1e010001    ldsw [%r1], %r1
05: 06020102    sub  %r2, %r1, %r2
06: 23000002    ret  %r2

NAME             ID   KND SCP FLAG TYPE
kept             1280 scl tls r    D type (struct) by ref (size 16)
