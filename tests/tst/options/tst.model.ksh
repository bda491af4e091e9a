# -32 and -64 choose the data model of programs; in another one than the kernel's, kernel types are unknown.
for model in -32 -64; do
	$1 $model -qn 'BEGIN { printf("%d %d", sizeof (long), sizeof (void *)); exit(0); }'
done
$1 -32 -qn 'BEGIN { trace(curthread->t_tid); }' 2>&1 | head -1 | sed 's/.*: //'
