! Every branch of SPARC V8, annulled and not, with every setting of the flags.
! Each leaves in a checksum whether it was taken and whether its delay slot was executed.

#ifdef __arch64__
#define FRAME 176
#else
#define FRAME 96
#endif

	.register %g2, #scratch
	.register %g3, #scratch

	.macro	integer name
	sll	%i5, 2, %i5
	b\name	1f
	add	%i5, 1, %i5
	add	%i5, 2, %i5
1:	xor	%i5, %i0, %i5
	sll	%i5, 3, %l0
	srl	%i5, 29, %l1
	or	%l0, %l1, %i5
	b\name,a 2f
	add	%i5, 5, %i5
	add	%i5, 9, %i5
2:	addx	%i5, 0, %i5
	.endm

	.macro	floating name
	fb\name	1f
	add	%i5, 1, %i5
	add	%i5, 2, %i5
1:	sll	%i5, 3, %l0
	srl	%i5, 29, %l1
	or	%l0, %l1, %i5
	fb\name,a 2f
	add	%i5, 5, %i5
	add	%i5, 9, %i5
2:	xor	%i5, 21, %i5
	.endm

	.text
	.align	4

! unsigned integer_branches(unsigned a, unsigned b, unsigned seed): after comparing a with b
	.global	integer_branches
	.type	integer_branches, #function
integer_branches:
	save	%sp, -FRAME, %sp
	mov	%i2, %i5
	subcc	%i0, %i1, %g0
	.irp	name, a, n, ne, e, g, le, ge, l, gu, leu, cc, cs, pos, neg, vc, vs
	integer	\name
	.endr
	ret
	restore	%i5, 0, %o0
	.size	integer_branches, . - integer_branches

! unsigned float_branches(float *a, float *b, unsigned seed)
	.global	float_branches
	.type	float_branches, #function
float_branches:
	save	%sp, -FRAME, %sp
	mov	%i2, %i5
	ld	[%i0], %f0
	ld	[%i1], %f1
	fcmps	%f0, %f1
	nop
	.irp	name, a, n, u, g, ug, l, ul, lg, ne, e, ue, ge, uge, le, ule, o
	floating \name
	.endr
	ret
	restore	%i5, 0, %o0
	.size	float_branches, . - float_branches

! unsigned oddities(unsigned a, unsigned *memory)
	.global	oddities
	.type	oddities, #function
oddities:
	save	%sp, -FRAME, %sp
	ba	1f			! each kind of instruction in a delay slot
	sethi	%hi(0x12345400), %l0
1:	ba	2f
	ld	[%i1], %l1
2:	ba	3f
	st	%l0, [%i1 + 4]
3:	call	4f			! a call whose delay slot uses its result
	add	%o7, 8, %l2
4:	sub	%l2, %o7, %l2
	addcc	%i0, %i0, %l3
	ba	5f			! flags set in a delay slot
	subcc	%i0, 7, %g0
5:	addx	%l2, %l3, %l2
	bne,a	6f			! a load in an annulled delay slot
	ldub	[%i1 + 3], %l4
	ldsh	[%i1 + 2], %l4
6:	ba	7f			! a control transfer in the delay slot of another
	ba	8f
	add	%l4, 100, %l4
7:	add	%l4, 3, %l4		! only this one
	add	%l4, 1000, %l4
8:	swap	[%i1 + 4], %l4
	ldstub	[%i1 + 8], %l5
	ldd	[%i1 + 8], %l6
	std	%l2, [%i1 + 16]
	wr	%i0, 0x55, %y
	mulscc	%l0, %l1, %l3
	rd	%y, %o0
	umulcc	%i0, %l1, %o1
	wr	%g0, %g0, %y
	mov	77, %o2
	udivcc	%o1, %o2, %o3
	bn,a	9f
	add	%l4, 7777, %l4		! never
9:	sra	%o1, 5, %o4
	andncc	%o4, %o3, %o5
	xnor	%o5, %l4, %o5
	taddcc	%o5, 4, %o5
	add	%o0, %o5, %o0
	save	%sp, -FRAME, %sp		! three windows deep and back
	add	%i0, %i1, %l0
	save	%l0, %g0, %l1
	restore	%l1, 3, %l1
	restore	%l1, %l0, %o1
	xor	%o0, %o1, %i0
	jmpl	%i7 + 8, %g0
	restore
	.size	oddities, . - oddities

	.section .note.GNU-stack,""
