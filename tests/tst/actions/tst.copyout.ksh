# copyout() and copyoutstr() write to the memory of the traced program: it prints other text.
$1 -wqn 'syscall::write:entry /pid == $target/ { copyoutstr("HEY\n", arg1, 4); }' -c 'echo one'
$1 -wqn 'syscall::write:entry /pid == $target/ { this->text = (char *)alloca(2); this->text[0] = 79; this->text[1] = 78; copyout(this->text, arg1, 2); }' -c 'echo one'
$1 -wqn 'syscall::write:entry /pid == $target/ { copyoutstr("x", 8, 1); } ERROR { printf("fault %d", arg4); }' -c 'echo one' 2>/dev/null
