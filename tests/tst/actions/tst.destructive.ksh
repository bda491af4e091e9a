# A destructive action needs -w.
$1 -qn 'BEGIN { system("true"); exit(0); }' 2>&1
echo "status $?"
