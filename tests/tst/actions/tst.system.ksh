# system() runs a formatted command; its output stays in order with ours.
$1 -wqn 'BEGIN { printf("before\n"); system("echo %s %d", "word", 42); printf("after\n"); exit(0); }'
# It runs in the machine: a process stopped there goes on, and a file made there is nowhere else.
file=/tmp/system.$$
$1 -wqn 'syscall::write:entry /pid == $target/ { stop(); system("echo stopped; kill -CONT %d", pid); }' -c 'echo went on'
$1 -wqn 'BEGIN { system("echo made > '$file'; cat '$file'"); exit(0); }'
test -e $file || echo "not here"
