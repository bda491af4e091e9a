/* A program as Go's compiler makes them, with its debug information: arguments in Go's registers.
   VERSION is the version that it says it is made with. */

	.section .go.buildinfo, "aw"
	.ascii	"\377 Go buildinf:"
	.byte	8, 2
	.skip	16
	.byte	8
	.ascii	VERSION
	.skip	64

	.data
number:	.quad	7
text:	.ascii	"hello"

	.text
	.globl	_start
_start:
	sub	$40, %rsp
	movq	$20, (%rsp)
	movq	$30, 8(%rsp)
	movq	$12, 16(%rsp)
	mov	$-3, %rax		/* small: int32 */
	lea	number(%rip), %rbx	/* where: *int */
	lea	text(%rip), %rcx	/* name: string */
	mov	$5, %rdi
	mov	$99, %rsi		/* last: int; ratio: float64 is in %xmm0, pair: [2]int on the stack */
	mov	$1, %r8
	mov	$2, %r9
	mov	$3, %r10
	mov	$4, %r11		/* more: four of them; eleventh: int on the stack */
	call	"main.(*Shop).sell"
	call	"main.old.abi0"
	mov	%rax, %rdi
	mov	$60, %eax
	syscall

	.globl	runtime.text
runtime.text:
	.type	"main.(*Shop).sell", @function
"main.(*Shop).sell":
	mov	$42, %eax
	ret
end:
	.size	"main.(*Shop).sell", . - "main.(*Shop).sell"
	.type	"main.old.abi0", @function
"main.old.abi0":
	xor	%eax, %eax
	ret
	.size	"main.old.abi0", . - "main.old.abi0"
	.globl	runtime.etext
runtime.etext:
	.type	"plain", @function
"plain":
	ret
	.size	"plain", . - "plain"

#define ABBREVIATION(code, tag, children) .uleb128 code; .uleb128 tag; .byte children
#define ATTRIBUTE(name, form) .uleb128 name; .uleb128 form
	.section .debug_abbrev
	ABBREVIATION(1, 0x11, 1)	/* compile_unit: language, low_pc, high_pc */
	ATTRIBUTE(0x13, 0x0b); ATTRIBUTE(0x11, 0x01); ATTRIBUTE(0x12, 0x01); ATTRIBUTE(0, 0)
	ABBREVIATION(2, 0x24, 0)	/* base_type: name, encoding, byte_size */
	ATTRIBUTE(0x03, 0x08); ATTRIBUTE(0x3e, 0x0b); ATTRIBUTE(0x0b, 0x0b); ATTRIBUTE(0, 0)
	ABBREVIATION(3, 0x0f, 0)	/* pointer_type: type */
	ATTRIBUTE(0x49, 0x13); ATTRIBUTE(0, 0)
	ABBREVIATION(4, 0x13, 1)	/* structure_type: name, byte_size */
	ATTRIBUTE(0x03, 0x08); ATTRIBUTE(0x0b, 0x0b); ATTRIBUTE(0, 0)
	ABBREVIATION(5, 0x0d, 0)	/* member: name, type, data_member_location */
	ATTRIBUTE(0x03, 0x08); ATTRIBUTE(0x49, 0x13); ATTRIBUTE(0x38, 0x0b); ATTRIBUTE(0, 0)
	ABBREVIATION(6, 0x01, 1)	/* array_type: type */
	ATTRIBUTE(0x49, 0x13); ATTRIBUTE(0, 0)
	ABBREVIATION(7, 0x21, 0)	/* subrange_type: count */
	ATTRIBUTE(0x37, 0x0b); ATTRIBUTE(0, 0)
	ABBREVIATION(8, 0x2e, 1)	/* subprogram: name, low_pc, high_pc */
	ATTRIBUTE(0x03, 0x08); ATTRIBUTE(0x11, 0x01); ATTRIBUTE(0x12, 0x01); ATTRIBUTE(0, 0)
	ABBREVIATION(9, 0x05, 0)	/* formal_parameter: name, variable_parameter, type */
	ATTRIBUTE(0x03, 0x08); ATTRIBUTE(0x4b, 0x0c); ATTRIBUTE(0x49, 0x13); ATTRIBUTE(0, 0)
	.byte	0

#define PARAMETER(name, result, type) .uleb128 9; .asciz name; .byte result; .long type - info
	.section .debug_info
info:	.long	after - version
version:
	.value	4
	.long	.debug_abbrev
	.byte	8
	.uleb128 1; .byte 0x16; .quad "main.(*Shop).sell", end
int:	.uleb128 2; .asciz "int"; .byte 5, 8
int32:	.uleb128 2; .asciz "int32"; .byte 5, 4
byte:	.uleb128 2; .asciz "uint8"; .byte 7, 1
double:	.uleb128 2; .asciz "float64"; .byte 4, 8
where:	.uleb128 3; .long int - info
bytes:	.uleb128 3; .long byte - info
string:	.uleb128 4; .asciz "string"; .byte 16
	.uleb128 5; .asciz "str"; .long bytes - info; .byte 0
	.uleb128 5; .asciz "len"; .long int - info; .byte 8
	.byte	0
pair:	.uleb128 6; .long int - info
	.uleb128 7; .byte 2
	.byte	0
	.uleb128 8; .asciz "main.(*Shop).sell"; .quad "main.(*Shop).sell", end
	PARAMETER("small", 0, int32)
	PARAMETER("where", 0, where)
	PARAMETER("name", 0, string)
	PARAMETER("ratio", 0, double)
	PARAMETER("pair", 0, pair)
	PARAMETER("last", 0, int)
	PARAMETER("more", 0, int)
	PARAMETER("more", 0, int)
	PARAMETER("more", 0, int)
	PARAMETER("more", 0, int)
	PARAMETER("eleventh", 0, int)
	PARAMETER("~r0", 1, int)
	.byte	0
	.byte	0
after:
