# panic() ends the emulated machine at once, and says where: nothing is written, nothing else is traced.
$1 -wqn 'syscall::write:entry /pid == $target/ { panic(); system("echo more"); }' \
    -n 'syscall::write:entry { system("echo later"); }' -c 'echo text' 2>&1
echo "status $?"
$1 -wqn 'tick-1ms { panic(); }' 2>&1
echo "status $?"
$1 -wqn 'pid$target::write:entry { panic(); }' -c 'echo text' 2>&1
echo "status $?"
$1 -wqn 'BEGIN { panic(); }' 2>&1
echo "status $?"
$1 -qn 'BEGIN { panic(); }' 2>&1 >/dev/null
echo "status $?"
