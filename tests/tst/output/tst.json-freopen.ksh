# freopen() moves the objects of its firing and of those after; a failed one is an error and moves nothing.
file=$(mktemp)
$1 -w -x oformat=json -n "BEGIN { freopen(\"$file\"); } BEGIN { freopen(\"/nonexistent/x\"); }
BEGIN { printf(\"inside\"); } BEGIN { freopen(\"\"); printf(\"back\"); exit(0); }" 2>/dev/null | grep -o '"text":"[a-z]*"'
echo "file:"
grep -o '"text":"[a-z/]*"\|"type":"[a-z]*"\|"fault":[0-9]*' "$file" | grep -v tmp
rm "$file"
