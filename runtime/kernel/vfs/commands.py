"""The machine's own small commands: shell scripts on what /proc shows of zones.

They do what illumos' commands of these names do, as far as a machine whose zones all run needs it.
"""

from __future__ import annotations

FOLDER = "/usr/bin"

ZONENAME = b"""\
#!/bin/sh
# Prints the name of the zone that it runs in.
read -r name </proc/self/zone && echo "$name"
"""

ZONEADM = b"""\
#!/bin/sh
# Lists the zones: by name, in a table (-v), or for programs (-p).
usage() {
    echo 'usage: zoneadm list [-cipv]' >&2
    exit 2
}
[ "$1" = list ] || usage
shift
form=name
while getopts cipv option; do
    case $option in
        p) form=line ;;
        v) form=table ;;
        c | i) ;;
        *) usage ;;
    esac
done
row='%4s %-16s %-10s %-30s %-8s %s\\n'
[ $form != table ] || printf "$row" ID NAME STATUS PATH BRAND IP
while IFS=: read -r id name state path; do
    case $form in
        name) echo "$name" ;;
        line) echo "$id:$name:$state:$path::lx:excl" ;;
        table) printf "$row" "$id" "$name" "$state" "$path" lx excl ;;
    esac
done </proc/zones
"""

ZLOGIN = b"""\
#!/bin/sh
# Runs a command, or a shell, in another zone, as root there or as another user of that zone.
usage() {
    echo 'usage: zlogin [-l user] zone [command [argument ...]]' >&2
    exit 2
}
user=
while getopts l: option; do
    case $option in
        l) user=$OPTARG ;;
        *) usage ;;
    esac
done
shift $((OPTIND - 1))
[ $# -gt 0 ] || usage
zone=$1
shift
read -r here </proc/self/zone
if [ "$here" != global ]; then
    echo "zlogin: 'zlogin' may only be used from the global zone" >&2
    exit 1
fi
known=
while IFS=: read -r id name state path; do
    [ "$name" != "$zone" ] || known=$id
done </proc/zones
if [ "${known:-0}" = 0 ]; then
    echo "zlogin: zone '$zone' unknown" >&2
    exit 1
fi
if ! echo "$zone $user" 2>/dev/null >/proc/self/zone; then
    if [ -n "$user" ]; then
        echo "zlogin: the machine has no user '$user', or you lack privileges (proc_zone, proc_setid)" >&2
    else
        echo 'zlogin: You lack sufficient privilege to enter a zone (proc_zone)' >&2
    fi
    exit 1
fi
[ $# -gt 0 ] || exec /bin/sh
exec /bin/sh -c "$*"
"""

COMMANDS = {"zlogin": ZLOGIN, "zoneadm": ZONEADM, "zonename": ZONENAME}
