
DIFO 0x0 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 29050001    ldgs DT_VAR(1280), %r1		! DT_VAR(1280) = "v"
01: 1f010002    ldub [%r1], %r2
02: 25000003    setx DT_INTEGER[0], %r3		! 0x7
03: 03020304    and  %r2, %r3, %r4
04: 25000105    setx DT_INTEGER[1], %r5		! 0x1
05: 07040504    add  %r4, %r5, %r4
06: 25000205    setx DT_INTEGER[2], %r5		! 0xfffffffffffffff8
07: 03020502    and  %r2, %r5, %r2
08: 03040304    and  %r4, %r3, %r4
09: 01020402    or   %r2, %r4, %r2
10: 3c020001    stb  %r2, [%r1]
11: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
v                1280 scl glb r    D type (struct) by ref (size 4)

DIFO 0x1 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 29050001    ldgs DT_VAR(1280), %r1		! DT_VAR(1280) = "v"
01: 1c010002    ldsb [%r1], %r2
02: 25000003    setx DT_INTEGER[0], %r3		! 0x3
03: 2e020302    sra  %r2, %r3, %r2
04: 25000104    setx DT_INTEGER[1], %r4		! 0x2
05: 06020402    sub  %r2, %r4, %r2
06: 1f010004    ldub [%r1], %r4
07: 25000205    setx DT_INTEGER[2], %r5		! 0xffffffffffffff07
08: 03040504    and  %r4, %r5, %r4
09: 25000305    setx DT_INTEGER[3], %r5		! 0x1f
10: 03020502    and  %r2, %r5, %r2
11: 04020302    sll  %r2, %r3, %r2
12: 01040204    or   %r4, %r2, %r4
13: 3c040001    stb  %r4, [%r1]
14: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
v                1280 scl glb r    D type (struct) by ref (size 4)

DIFO 0x2 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 29050001    ldgs DT_VAR(1280), %r1		! DT_VAR(1280) = "v"
01: 1c010002    ldsb [%r1], %r2
02: 25000003    setx DT_INTEGER[0], %r3		! 0x3
03: 2e020302    sra  %r2, %r3, %r2
04: 25000104    setx DT_INTEGER[1], %r4		! 0x1
05: 06020402    sub  %r2, %r4, %r2
06: 1f010004    ldub [%r1], %r4
07: 25000205    setx DT_INTEGER[2], %r5		! 0xffffffffffffff07
08: 03040504    and  %r4, %r5, %r4
09: 25000305    setx DT_INTEGER[3], %r5		! 0x1f
10: 03020502    and  %r2, %r5, %r2
11: 04020302    sll  %r2, %r3, %r2
12: 01040204    or   %r4, %r2, %r4
13: 3c040001    stb  %r4, [%r1]
14: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
v                1280 scl glb r    D type (struct) by ref (size 4)

DIFO 0x3 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 29050001    ldgs DT_VAR(1280), %r1		! DT_VAR(1280) = "v"
01: 1f010002    ldub [%r1], %r2
02: 25000003    setx DT_INTEGER[0], %r3		! 0x7
03: 03020303    and  %r2, %r3, %r3
04: 25000104    setx DT_INTEGER[1], %r4		! 0x4
05: 01030403    or   %r3, %r4, %r3
06: 25000204    setx DT_INTEGER[2], %r4		! 0xfffffffffffffff8
07: 03020402    and  %r2, %r4, %r2
08: 01020302    or   %r2, %r3, %r2
09: 3c020001    stb  %r2, [%r1]
10: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
v                1280 scl glb r    D type (struct) by ref (size 4)

DIFO 0x4 returns D type (integer) (size 1)
OFF OPCODE      INSTRUCTION
00: 29050001    ldgs DT_VAR(1280), %r1		! DT_VAR(1280) = "v"
01: 1f010002    ldub [%r1], %r2
02: 25000003    setx DT_INTEGER[0], %r3		! 0x7
03: 03020304    and  %r2, %r3, %r4
04: 25000105    setx DT_INTEGER[1], %r5		! 0x1
05: 07040505    add  %r4, %r5, %r5
06: 25000206    setx DT_INTEGER[2], %r6		! 0xfffffffffffffff8
07: 03020602    and  %r2, %r6, %r2
08: 03050305    and  %r5, %r3, %r5
09: 01020502    or   %r2, %r5, %r2
10: 3c020001    stb  %r2, [%r1]
11: 23000004    ret  %r4

NAME             ID   KND SCP FLAG TYPE
v                1280 scl glb r    D type (struct) by ref (size 4)
