# Faults go to standard error, everything else to standard output; errors have status 1, bad command lines 2.
$1 -qn 'BEGIN { trace(*(int *)8); } BEGIN { printf("out"); exit(0); }' 2>&1 >/dev/null
for line in "-n" "-Q" "-lA" "-B -o x -n BEGIN" "-p nobody -n BEGIN" "-c /nonexistent -n BEGIN" "-s /nonexistent.d" "-s /" "-o / -n BEGIN" "-i 0" "word" "-x nosuch" "-3 3"; do
	$1 $line 2>&1 | head -1
	$1 $line >/dev/null 2>&1
	echo "status $?"
done
