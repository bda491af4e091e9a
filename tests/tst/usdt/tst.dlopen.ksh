# A library's probes come when it is loaded and go when it is closed; it is probemod.
dtrace="$1"
dir=$(mktemp -d) && trap 'rm -rf "$dir"' EXIT && cd "$dir" || exit 1

echo 'provider part { probe go(int); };' > part.d
cat > part.c <<'EOF'
#include "part.h"
void go(int a) { PART_GO(a); }
EOF
cat > main.c <<'EOF'
#include <dlfcn.h>
#include <stdio.h>
int main(void)
{
	int i;
	for (i = 1; i <= 3; i++) {
		void *part = dlopen("./libpart.so", RTLD_NOW);
		if (part == NULL) {
			puts(dlerror());
			return 1;
		}
		((void (*)(int))dlsym(part, "go"))(i);
		dlclose(part);
	}
	return 0;
}
EOF
$dtrace -h -s part.d && cc -O2 -fPIC -c part.c && $dtrace -G -s part.d part.o -o prov.o &&
    cc -shared part.o prov.o -o libpart.so && cc main.c -o prog -ldl || exit 1
$dtrace -Zqc ./prog -n 'part$target:::go { printf("%s`%s %d\n", probemod, probefunc, arg0); }'
