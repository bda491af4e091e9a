
DIFO 0x0 returns string (unknown) by ref (size 256)
OFF OPCODE      INSTRUCTION
00: 29011801    ldgs DT_VAR(280), %r1		! DT_VAR(280) = "execname"
01: 30010001    pushtr DT_TYPE(1), %r0, %r1	! DT_TYPE(1) = string
02: 25000001    setx DT_INTEGER[0], %r1		! 0x78
03: 31000001    pushtv DT_TYPE(0), %r1		! DT_TYPE(0) = D type
04: 2f001c01    call DIF_SUBR(28), %r1		! strchr
05: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
execname         280  scl glb r    string (unknown) by ref (size 256)

DIFO 0x1 returns string (unknown) by ref (size 256)
OFF OPCODE      INSTRUCTION
00: 29011801    ldgs DT_VAR(280), %r1		! DT_VAR(280) = "execname"
01: 30010001    pushtr DT_TYPE(1), %r0, %r1	! DT_TYPE(1) = string
02: 25000001    setx DT_INTEGER[0], %r1		! 0x78
03: 31000001    pushtv DT_TYPE(0), %r1		! DT_TYPE(0) = D type
04: 2f001d01    call DIF_SUBR(29), %r1		! strrchr
05: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
execname         280  scl glb r    string (unknown) by ref (size 256)

DIFO 0x2 returns string (unknown) by ref (size 256)
OFF OPCODE      INSTRUCTION
00: 29011801    ldgs DT_VAR(280), %r1		! DT_VAR(280) = "execname"
01: 30010001    pushtr DT_TYPE(1), %r0, %r1	! DT_TYPE(1) = string
02: 26000101    sets DT_STRING[1], %r1		! "ab"
03: 30010001    pushtr DT_TYPE(1), %r0, %r1	! DT_TYPE(1) = string
04: 2f001e01    call DIF_SUBR(30), %r1		! strstr
05: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
execname         280  scl glb r    string (unknown) by ref (size 256)

DIFO 0x3 returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 29011801    ldgs DT_VAR(280), %r1		! DT_VAR(280) = "execname"
01: 30010001    pushtr DT_TYPE(1), %r0, %r1	! DT_TYPE(1) = string
02: 26000101    sets DT_STRING[1], %r1		! "ab"
03: 30010001    pushtr DT_TYPE(1), %r0, %r1	! DT_TYPE(1) = string
04: 2f002101    call DIF_SUBR(33), %r1		! index
05: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
execname         280  scl glb r    string (unknown) by ref (size 256)

DIFO 0x4 returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 29011801    ldgs DT_VAR(280), %r1		! DT_VAR(280) = "execname"
01: 30010001    pushtr DT_TYPE(1), %r0, %r1	! DT_TYPE(1) = string
02: 26000101    sets DT_STRING[1], %r1		! "ab"
03: 30010001    pushtr DT_TYPE(1), %r0, %r1	! DT_TYPE(1) = string
04: 25000001    setx DT_INTEGER[0], %r1		! 0x2
05: 31000001    pushtv DT_TYPE(0), %r1		! DT_TYPE(0) = D type
06: 2f002101    call DIF_SUBR(33), %r1		! index
07: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
execname         280  scl glb r    string (unknown) by ref (size 256)

DIFO 0x5 returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 29011801    ldgs DT_VAR(280), %r1		! DT_VAR(280) = "execname"
01: 30010001    pushtr DT_TYPE(1), %r0, %r1	! DT_TYPE(1) = string
02: 26000101    sets DT_STRING[1], %r1		! "ab"
03: 30010001    pushtr DT_TYPE(1), %r0, %r1	! DT_TYPE(1) = string
04: 2f002201    call DIF_SUBR(34), %r1		! rindex
05: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
execname         280  scl glb r    string (unknown) by ref (size 256)

DIFO 0x6 returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 29011801    ldgs DT_VAR(280), %r1		! DT_VAR(280) = "execname"
01: 30010001    pushtr DT_TYPE(1), %r0, %r1	! DT_TYPE(1) = string
02: 26000101    sets DT_STRING[1], %r1		! "ab"
03: 30010001    pushtr DT_TYPE(1), %r0, %r1	! DT_TYPE(1) = string
04: 25000001    setx DT_INTEGER[0], %r1		! 0x5
05: 31000001    pushtv DT_TYPE(0), %r1		! DT_TYPE(0) = D type
06: 2f002201    call DIF_SUBR(34), %r1		! rindex
07: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
execname         280  scl glb r    string (unknown) by ref (size 256)
