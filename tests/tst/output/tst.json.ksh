# One object a line.
$1 -x oformat=json -n 'BEGIN { @a["k"] = sum(-3); trace("s"); printf("%d\n", 7); exit(4); }' 2>/dev/null
echo "status $?"
