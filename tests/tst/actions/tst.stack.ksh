# A stack is a newline and its frames, indented; options limit and indent them.
where='syscall::write:entry /pid == $target/'
frames() { sed -e 's/[^ ].*/FRAME/'; }
$1 -qn "$where { stack(1); exit(0); }" -c 'echo' | frames
echo "options:"
$1 -q -x stackframes=1 -x stackindent=4 -n "$where { stack(); exit(0); }" -c 'echo' | frames
echo "program's:"
$1 -q -x ustackframes=3 -x stackindent=2 -n "$where { ustack(); exit(0); }" -c 'echo' | frames
echo "with strings:"
$1 -q -x jstackframes=2 -x jstackstrsize=64 -n "$where { jstack(); exit(0); }" -c 'echo' | frames
echo "none:"
$1 -qn "$where { stack(0); exit(0); }" -c 'echo' 2>&1 | sed 's/^.*: //;1q'
