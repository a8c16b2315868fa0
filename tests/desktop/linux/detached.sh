#!/bin/sh
# Starts a process that does everything to get away: a session of its own, no parent, no environment, deaf to SIGTERM.
# Its pid is written to the file $1.
setsid sh -c 'env -i /bin/sh -c "trap \"\" TERM HUP INT; echo \$\$ > \"$1.part\" && mv \"$1.part\" \"$1\"; while :; do /bin/sleep 1000; done" sh "$1" &' sh "$1" >/dev/null 2>&1 &
