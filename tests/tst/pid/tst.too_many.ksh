# Every instruction of a large library is more than is reasonable, also where it comes with the program.
dtrace="$1"
dir=$(mktemp -d) && trap 'rm -rf "$dir"' EXIT && cd "$dir" || exit 1

for name in a b c d; do
	echo "asm(\".globl $name; .type $name, %function; $name: .rept 280000; nop; .endr; .size $name, . - $name\");"
done > large.c
echo 'extern void a(void); int main(int count, char **words) { if (count > 1) a(); return 0; }' > main.c
cc -shared -fPIC -o liblarge.so large.c && cc -o prog main.c -L. -llarge -Wl,-rpath,"$dir" || exit 1
for what in 'pid$target:liblarge::' 'pid$target:::'; do
	$dtrace -x errtags -n "$what { }" -c ./prog 2>&1 | grep -o 'D_PROC_CREATEFAIL'
done
