# -C and the options that go to the preprocessor; -L adds D libraries.
dir=$(mktemp -d)
echo '#define FROM_FILE 7' > "$dir/told.h"
cat > "$dir/script.d" <<'D'
#include <told.h>
BEGIN
{
#ifdef __linux__
	trace("predefined ");
#endif
	printf("%d %d", NUMBER, FROM_FILE);
	exit(0);
}
D
run() { $dtrace -qC -I "$dir" "$@" -s "$dir/script.d" 2>&1 | sed "s,$dir,DIR,g;1q"; }
dtrace=$1
run -D NUMBER=5
run -x define=NUMBER=6 -U __linux__
run -D NUMBER=5 -U __linux__ -x undef=NUMBER
run -D NUMBER=5 -H
run -D NUMBER=5 -X q
mkdir "$dir/lib"
echo 'inline int told = 41;' > "$dir/lib/told.d"
$1 -q -L "$dir/lib" -n 'BEGIN { printf("%d\n", told + 1); exit(0); }'
$1 -q -x libdir="$dir/lib" -n 'BEGIN { printf("%d\n", told + 1); exit(0); }'
rm -r "$dir"
