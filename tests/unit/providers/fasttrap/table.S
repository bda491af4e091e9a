/* A function with a table of its own between its instructions. */
	.globl	main
	.type	main, @function
main:	sub $8,%rsp
	mov	$1, %edi
	call	pick
	add $8,%rsp
	xor %eax,%eax
	ret
	.size main, .-main
	.type pick, @function
pick:
	lea	table(%rip), %rax
	movslq	(%rax,%rdi,4), %rdx
	add	%rdx, %rax
	jmp	*%rax
table:	.long a-table, b-table
a:	mov $1,%eax
	ret
b:	mov $2,%eax
	ret
	.size pick, .-pick
	.section .note.GNU-stack,"",@progbits
