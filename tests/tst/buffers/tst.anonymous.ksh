# -A saves an enabling, -a claims what a kernel that booted with it has traced.
file=$(mktemp)
$1 -A -o "$file" -n 'tick-10ms { trace(i++); } tick-35ms { exit(0); }' 2>/dev/null
$1 -a -x anon="$file" -q 2>/dev/null | head -1

# Saving again replaces it; -A alone removes it.
$1 -A -o "$file" -n 'tick-10ms { exit(3); }' 2>&1 | sed "s,$file,FILE,"
grep -c dof-data "$file"
$1 -a -x anon="$file" -q
echo $?
$1 -A -o "$file" 2>&1 | sed "s,$file,FILE,"
wc -c < "$file"
$1 -a -x anon="$file" -q 2>&1 | sed "s,$file,FILE,"
rm "$file"
$1 -a -x anon="$file" -q 2>&1 | sed "s,$file,FILE,"
