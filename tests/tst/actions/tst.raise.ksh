# raise() sends the traced program a signal; the program's handler, or its end, tells.
trace() {
	$1 -wqn "syscall::write:entry /pid == \$target && !sent++/ { raise($2); }" -c "sh -c 'trap \"echo caught\" USR1; echo one; echo two'"
}
trace "$1" 10
$1 -wn 'syscall::write:entry /pid == $target/ { raise(9); }' -c 'echo hi' 2>&1 | grep -o 'terminated by .*'
