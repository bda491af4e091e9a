# A helper names frames with more than jstack() has room for; names of frames that have no symbol are shown.
dtrace="$1"
dir=$(mktemp -d) && trap 'rm -rf "$dir"' EXIT && cd "$dir" || exit 1

cat > shop.d <<'EOF'
provider shop { probe sale(int); };
EOF
cat > helper.d <<'EOF'
dtrace:helper:ustack: { "@thirty bytes that name a frame" }
EOF
cat > main.c <<'EOF'
#include "shop.h"
int main(void) { SHOP_SALE(1); return 0; }
EOF
$dtrace -h -s shop.d && cc -c main.c && $dtrace -G -s shop.d -s helper.d main.o &&
    cc main.o shop.o -o prog || exit 1
$dtrace -c ./prog -q -x droptags -n 'shop$target:::sale { jstack(2, 16); }' |
    sed '/libc.so/d'  # what called main() has a name where the C library's own symbols are installed
$dtrace -c ./prog -q -x droptags -n 'shop$target:::sale { jstack(1, 160); }'
