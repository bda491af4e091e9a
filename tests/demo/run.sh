#!/bin/sh
# Build a C program with USDT probes the way any project does, run it
# natively, then trace it in the emulated kernel.  usage: run.sh BUILD-DIR
set -e
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
cd "$1"
CC=${CC:-cc}

say() { printf '\n\033[1m# %s\033[0m\n' "$*"; }
run() { printf '$ %s\n' "$*"; "$@"; }

say "1. The header with the probe macros"
run dtrace -h -s "$here/shop.d" -o provider.h
grep -A3 'define.*SHOP_ORDER_START' provider.h

say "2. The program, its objects, and the object that -G makes"
run $CC -O1 -g -I. -I"$here" -c "$here/stock.c" -o stock.o
run $CC -O1 -g -I. -I"$here" -c "$here/orders.c" -o orders.o
run dtrace -G -s "$here/shop.d" stock.o orders.o -o shop.o
run $CC stock.o orders.o shop.o -o shop

say "3. Natively the probes are inert"
run ./shop 100

say "4. The D program as DOF, and the DIF within"
run dc "$here/trace.d" -o trace.dof
run difdis trace.dof | sed -n '1,24p'
echo '  ...'

say "5. The probes of the program"
run dtrace -l -n 'shop$target:::' -c './shop 100'

say "6. The program traced in the emulated kernel"
run dtrace -s "$here/trace.d" -c './shop 100'
