# stop() stops a program before it runs on in its own code: the call during which it is stopped still ends.
$1 -wqn 'syscall::write:entry /pid == $target/ { stop(); } tick-1s { exit(0); }' -c "sh -c 'echo one; echo two'"
