# freopen() formats its name; an empty name goes back to where output went before.
dir=$(mktemp -d)
cat "$dir"/none 2>/dev/null
$1 -wqn "BEGIN { printf(\"first\\n\"); freopen(\"$dir/%s.%d\", \"out\", 7); printf(\"inside\\n\"); freopen(\"\"); printf(\"back\\n\"); exit(0); }"
echo "file: $(cat "$dir/out.7")"
rm -r "$dir"
