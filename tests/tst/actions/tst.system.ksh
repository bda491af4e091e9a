# system() runs a formatted command; its output stays in order with ours.
$1 -wqn 'BEGIN { printf("before\n"); system("echo %s %d", "word", 42); printf("after\n"); exit(0); }'
