# A child has its parent's probes, under its own number; prov* sees both.
dtrace="$1"
dir=$(mktemp -d) && trap 'rm -rf "$dir"' EXIT && cd "$dir" || exit 1

echo 'provider part { probe go(int); };' > part.d
cat > main.c <<'EOF'
#include "part.h"
#include <sys/wait.h>
#include <unistd.h>
int main(void)
{
	PART_GO(1);
	if (fork() == 0) {
		PART_GO(2);
		_exit(0);
	}
	wait(0);
	PART_GO(3);
	return 0;
}
EOF
$dtrace -h -s part.d && cc -c main.c && $dtrace -G -s part.d main.o && cc main.o part.o -o prog || exit 1
$dtrace -qc ./prog -n 'part*:::go { printf("%d %s\n", arg0, pid == $target ? "parent" : "child"); }'
