# -B: every piece of output with what it comes from.
$1 -B -q -n 'BEGIN { trace(7); @n["one", 2] = count(); printa(@n); @m = sum(3); exit(0); }' |
	grep -E 'buffered =>|flags|offset|dtagd_name'
