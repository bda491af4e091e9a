# panic() ends the emulated machine, and says where; nothing else happens to anyone.
$1 -wqn 'syscall::write:entry /pid == $target/ { panic(); }' -c 'echo' 2>&1 >/dev/null
echo "status $?"
$1 -qn 'BEGIN { panic(); }' 2>&1 >/dev/null
echo "status $?"
