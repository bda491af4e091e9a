! What SPARC V9 has beyond V8: predicted branches, moves on conditions, 64-bit arithmetic and memory.
! As in sparc_branches.S, a checksum in %i5 tells what was taken and executed.

#ifdef __arch64__

	.register %g2, #scratch
	.register %g3, #scratch

	.macro	mix
	sllx	%i5, 7, %l6
	srlx	%i5, 57, %l7
	or	%l6, %l7, %i5
	.endm

	.macro	predicted name codes
	b\name,pt \codes, 1f
	add	%i5, 1, %i5
	add	%i5, 2, %i5
1:	b\name,a,pn \codes, 2f
	add	%i5, 5, %i5
	add	%i5, 9, %i5
2:	mov\name \codes, 77, %l5
	add	%i5, %l5, %i5
	mix
	.endm

	.macro	register name register
	br\name,pn \register, 1f
	add	%i5, 1, %i5
	add	%i5, 2, %i5
1:	br\name,a,pt \register, 2f
	add	%i5, 5, %i5
	add	%i5, 9, %i5
2:	movr\name \register, 33, %l5
	add	%i5, %l5, %i5
	mix
	.endm

	.macro	floating name codes
	fb\name,pt \codes, 1f
	add	%i5, 1, %i5
	add	%i5, 2, %i5
1:	fb\name,a,pn \codes, 2f
	add	%i5, 5, %i5
	add	%i5, 9, %i5
2:	mov\name \codes, 55, %l5
	add	%i5, %l5, %i5
	mix
	.endm

	.text
	.align	4

! unsigned version_9(unsigned a, unsigned long *memory)
	.global	version_9
	.type	version_9, #function
version_9:
	save	%sp, -208, %sp
	mov	%i0, %i5
	clr	%l5
	sllx	%i0, 33, %l0
	.irp	other, 0, 1, 31
	sub	%i0, \other, %l1
	cmp	%l0, %l1
	.irp	name, a, n, ne, e, g, le, ge, l, gu, leu, cc, cs, pos, neg, vc, vs
	predicted \name, %icc
	predicted \name, %xcc
	.endr
	.endr
	neg	%l0, %l1
	.irp	name, z, lez, lz, nz, gz, gez
	register \name, %i0
	register \name, %g0
	register \name, %l1
	.endr

	st	%i0, [%fp + 2047 - 8]		! floating point, two sets of condition codes
	ld	[%fp + 2047 - 8], %f0
	fitos	%f0, %f1
	fitod	%f0, %f34
	fmuld	%f34, %f34, %f36
	fcmps	%fcc1, %f1, %f1
	fcmped	%fcc3, %f34, %f36
	nop
	.irp	name, a, n, u, g, ug, l, ul, lg, ne, e, ue, ge, uge, le, ule, o
	floating \name, %fcc1
	floating \name, %fcc3
	.endr
	fmovsne	%icc, %f1, %f2
	fmovdg	%fcc3, %f36, %f38
	fmovrsgz %i0, %f1, %f3
	fdtoi	%f36, %f4
	st	%f4, [%i1 + 8]
	ld	[%i1 + 8], %l2
	add	%i5, %l2, %i5

	stx	%i5, [%i1]			! memory and arithmetic
	ldx	[%i1], %l2
	ldsw	[%i1 + 4], %l3
	ldd	[%i1 + 8], %l4
	std	%l4, [%i1 + 16]
	ldxa	[%i1] 0x80, %l4
	xor	%l4, %i0, %l4
	mulx	%l2, 3145, %l2
	udivx	%l2, 77, %l3
	sdivx	%l2, -3, %l1
	srax	%l1, 5, %l1
	mov	%l1, %o1
	mov	%l3, %o0
	casx	[%i1], %l4, %o0			! fails, unless %i0 is 0
	casx	[%i1], %i5, %o1
	add	%i1, 4, %l4
	cas	[%l4], %g0, %o2
	prefetch [%i1 + 64], 1
	membar	#StoreLoad
	addcc	%l2, %l3, %l2
	rd	%ccr, %o3
	wr	%o3, 0x2a, %ccr
	addc	%o3, 3, %o3
	rd	%pc, %o4
	rd	%pc, %o5
	sub	%o5, %o4, %o4
	rd	%asi, %g2
	wr	%g0, 0x80, %asi
	ldxa	[%i1 + 8] %asi, %g3
	wr	%g2, 0, %asi
	add	%o0, %o1, %o0
	add	%o2, %o3, %o2
	add	%o0, %o2, %o0
	add	%o4, %g3, %o4
	add	%o0, %o4, %i5
	call	inner				! `return`, with a result in its delay slot
	mov	%i5, %o0
	flushw
	ret
	restore	%o0, %l2, %o0
	.size	version_9, . - version_9

	.type	inner, #function
inner:
	save	%sp, -176, %sp
	save	%sp, -176, %sp
	flushw
	restore
	brz,a,pn %i0, 1f
	nop
	return	%i7 + 8
	xor	%o0, 0x155, %o0
1:	return	%i7 + 8
	mov	9, %o0
	.size	inner, . - inner

#endif

	.section .note.GNU-stack,""
