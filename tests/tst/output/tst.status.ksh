# Exit statuses: exit()'s argument, 1 for errors, 2 for a bad command line.
$1 -qn 'BEGIN { exit(3); }'; echo "$?"
$1 -qn 'BEGIN { trace(}' 2>/dev/null; echo "$?"
$1 -qn 'nosuch:::' 2>/dev/null; echo "$?"
$1 -Y 2>/dev/null; echo "$?"
$1 -lA 2>/dev/null; echo "$?"
$1 -s /nonexistent 2>/dev/null; echo "$?"
