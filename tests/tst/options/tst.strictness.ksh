# Options about what a program may leave out or be.
try() { echo "$*: $(timeout 60 $dtrace "$@" 2>&1 | head -1 | sed 's/.*: //')"; }
dtrace=$1
script=$(mktemp)
echo 'BEGIN { printf("%d%s", $1, $$2); exit(0); }' > "$script"
arguments() { $dtrace -q "$@" 2>&1 | head -1 | sed "s,$script,SCRIPT,"; }
arguments -s "$script"
arguments -x defaultargs -s "$script"
arguments -s "$script" 1 two three
arguments -x argref -s "$script" 1 two three
: > "$script"
arguments -s "$script"
arguments -x empty -Z -s "$script" -n 'BEGIN { exit(0); }'
rm "$script"
try -q -n 'nosuch' -n 'BEGIN { exit(0); }'
try -q -x zdefs -n 'nosuch' -n 'BEGIN { trace("accepted"); exit(0); }'
try -x errtags -q -n 'BEGIN { trace(nosuch); }'
try -q -x amin=Stable/Stable/Common -n 'dtrace:::BEGIN { trace(curthread->t_tid); exit(0); }'
try -q -x amin=Private/Private/Unknown -n 'dtrace:::BEGIN { trace("accepted"); exit(0); }'
try -q -x version=1.0 -n 'BEGIN { trace(strlen("four")); exit(0); }'
try -q -x version=9.9 -n 'BEGIN { exit(0); }'
try -q -x nolibs -n 'BEGIN { trace(curpsinfo->pr_pid); exit(0); }'
try -q -x knodefs -n 'BEGIN { trace(`nosuch); exit(0); }'
try -q -x nosuch -n 'BEGIN { exit(0); }'
try -q -x quiet=perhaps -n 'BEGIN { exit(0); }'
