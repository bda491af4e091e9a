
DIFO 0x0 returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 26000001    sets DT_STRING[0], %r1		! ""
01: 27010100    scmp %r1, %r1
02: 13000005    bne  5
03: 25000001    setx DT_INTEGER[0], %r1		! 0x1
04: 23000001    ret  %r1
05: 23000000    ret  %r0

DIFO 0x1 returns string (unknown) by ref (size 256)
OFF OPCODE      INSTRUCTION
00: 26000001    sets DT_STRING[0], %r1		! ""
01: 23000001    ret  %r1
