# Sizes and policies of buffers: what is granted, what is refused, what is told.
begin='BEGIN { printf("traced"); exit(0); }'
try() {
	echo "$*: $(timeout 20 $dtrace -q $* -n "$begin" 2>&1 | sed 's/.*dtrace: //' | tr '\n' ' ')"
}
dtrace=$1
try -b 64k
try -b 4
try -x bufsize=0
try -x bufsize=8x
try -x bufsize=99999999999t
try -x bufpolicy=fill
try -x bufpolicy=ring -x bufresize=manual
try -x bufpolicy=spiral
try -x bufresize=auto
try -x aggsize=1m -x specsize=2m -x nspec=4
try -x nspec=99999999999
try -x dynvarsize=2t
try -x strsize=16
try -x strsize=1g
try -x cleanrate=1000000hz
try -x cleanrate=3hour
try -x cleanrate=10parsec
try -x statusrate=20ms -x switchrate=5hz -x aggrate=1min
try -x statusrate=1day
try -x temporal -x flowindent=no
try -x cpu=0
try -x cpu=one
