# -o appends, and errors still go to standard error.
file=$(mktemp)
echo kept > "$file"
$1 -q -o "$file" -n 'BEGIN { printf("added\n"); exit(0); }'
cat "$file"
rm "$file"
