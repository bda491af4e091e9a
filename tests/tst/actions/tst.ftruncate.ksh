# ftruncate() empties the output file; a pipe cannot be emptied.
file=$(mktemp)
$1 -wqo "$file" -n 'BEGIN { printf("first\n"); ftruncate(); printf("second"); exit(0); }'
cat "$file"
rm "$file"
$1 -wqn 'BEGIN { printf("first\n"); ftruncate(); printf("second"); exit(0); }' | cat
