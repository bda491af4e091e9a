# Options for the program of -c: its environment.
$1 -q -x setenv=TOLD=yes -x setenv=GONE=1 -x unsetenv=GONE -n 'BEGIN { }' -c "sh -c 'echo \$TOLD \${GONE-gone}'"
$1 -x unsetenv=A=b -n BEGIN 2>&1
echo "status $?"
