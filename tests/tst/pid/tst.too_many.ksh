# Every instruction of a library is more than is reasonable, also where it comes with the program.
for what in 'pid$target:libc::' 'pid$target:::'; do
	$1 -x errtags -n "$what { }" -c true 2>&1 | grep -o 'D_PROC_CREATEFAIL'
done
