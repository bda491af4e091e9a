# -A saves an enabling, -a claims what a kernel that booted with it has traced.
file=$(mktemp)
$1 -A -o "$file" -n 'tick-10ms { trace(i++); } tick-35ms { exit(0); }' 2>/dev/null
$1 -a -x anon="$file" -q 2>/dev/null | head -1
rm "$file"
