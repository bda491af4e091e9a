# One object a line.  How much virtual time goes by until the end is not the subject here.
lines=$(mktemp)
$1 -x oformat=json -n 'BEGIN { @a["k"] = sum(-3); trace("s"); printf("%d\n", 7); exit(4); }' 2>/dev/null >"$lines"
echo "status $?"
sed 's/"timestamp":[0-9]*/"timestamp":TIME/' "$lines"
rm "$lines"
