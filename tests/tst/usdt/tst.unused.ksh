# A provider without a probe site cannot be linked, and says so in one line.
dtrace="$1"
dir=$(mktemp -d) && trap 'rm -rf "$dir"' EXIT && cd "$dir" || exit 1

echo 'provider part { probe go(int); };' > part.d
echo 'int x;' > part.c
cc -c part.c || exit 1
$dtrace -G -s part.d part.o -o out.o 2>&1
echo "status $?"
test -e out.o && echo "wrote an object"
exit 0
