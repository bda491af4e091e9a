# The probes of a library that a program needs are known before the program runs, by number and by glob.
dtrace="$1"
dir=$(mktemp -d) && trap 'rm -rf "$dir"' EXIT && cd "$dir" || exit 1

echo 'provider part { probe go(int); };' > part.d
cat > part.c <<'EOF'
#include "part.h"
__attribute__((constructor)) static void early(void) { PART_GO(1); }
void go(int a) { PART_GO(a); }
EOF
cat > main.c <<'EOF'
void go(int);
int main(void) { go(2); return 0; }
EOF
$dtrace -h -s part.d && cc -O2 -fPIC -c part.c && $dtrace -G -s part.d part.o -o prov.o &&
    cc -shared part.o prov.o -o libpart.so && cc main.c -o prog -L. -lpart -Wl,-rpath,"$dir" || exit 1
$dtrace -qc ./prog -n 'part$target:::go { printf("%s`%s %d\n", probemod, probefunc, arg0); }'
$dtrace -qc ./prog -n 'par*:::go { printf("%s`%s %d\n", probemod, probefunc, arg0); }'
