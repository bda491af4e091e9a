
DIFO 0x0 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 25000001    setx DT_INTEGER[0], %r1		! 0x5
01: 29050002    ldgs DT_VAR(1280), %r2		! DT_VAR(1280) = "v"
02: 1f020003    ldub [%r2], %r3
03: 25000104    setx DT_INTEGER[1], %r4		! 0xfffffffffffffff8
04: 03030403    and  %r3, %r4, %r3
05: 01030103    or   %r3, %r1, %r3
06: 3c030002    stb  %r3, [%r2]
07: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
v                1280 scl glb r    D type (struct) by ref (size 4)

DIFO 0x1 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 29050001    ldgs DT_VAR(1280), %r1		! DT_VAR(1280) = "v"
01: 1f010002    ldub [%r1], %r2
02: 25000003    setx DT_INTEGER[0], %r3		! 0xffffffffffffff07
03: 03020302    and  %r2, %r3, %r2
04: 25000103    setx DT_INTEGER[1], %r3		! 0xe8
05: 01020302    or   %r2, %r3, %r2
06: 3c020001    stb  %r2, [%r1]
07: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
v                1280 scl glb r    D type (struct) by ref (size 4)

DIFO 0x2 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 29010601    ldgs DT_VAR(262), %r1		! DT_VAR(262) = "arg0"
01: 29050002    ldgs DT_VAR(1280), %r2		! DT_VAR(1280) = "v"
02: 21020003    lduw [%r2], %r3
03: 25000004    setx DT_INTEGER[0], %r4		! 0xffffffff000000ff
04: 03030403    and  %r3, %r4, %r3
05: 25000104    setx DT_INTEGER[1], %r4		! 0xffffff
06: 03010401    and  %r1, %r4, %r1
07: 25000204    setx DT_INTEGER[2], %r4		! 0x8
08: 04010401    sll  %r1, %r4, %r1
09: 01030103    or   %r3, %r1, %r3
10: 3e030002    stw  %r3, [%r2]
11: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
arg0             262  scl glb r    D type (integer) (size 8)
v                1280 scl glb r    D type (struct) by ref (size 4)
