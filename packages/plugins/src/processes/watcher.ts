/*
 * However Proofline ends, what it has started ends too: the system closes the only other end of a channel that a watcher, a
 * shell, reads from. A watcher ignores the signals that end or stop others.
 */

/** The name under which a watcher runs, its `$0`. */
export const WATCHER = "proofline-watcher"

/** Known to a command and all that it starts, wherever that goes; no other command has its value. */
export const ownVariable = "PROOFLINE_COMMAND"

/** The signals that end or stop others. */
export const ignored = "trap '' HUP INT QUIT TERM USR1 USR2 ALRM PIPE TSTP TTIN TTOU"

/** The tools are the system's, whatever lies in the path of an agent. */
export const systemPath = "PATH=/usr/bin:/bin:/usr/sbin:/sbin:$PATH"

/**
 * Kills whoever has one of the variables `$1`, one a line, a few times over: one may start another while we look. Linux alone
 * has `/proc`.
 */
export const killEscaped = `exec >/dev/null
for pass in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
found=$(grep -lF "$1" /proc/[0-9]*/environ)
[ "$found" ] || exit
for at in $found; do
grep -qF "$1" "$at" || continue
at=\${at#/proc/}
kill -s KILL "\${at%/environ}"
done
done`

/**
 * Watches many commands, each the leader of a group of its own. It is told of one a line, by the value of its variable: before
 * it is started, with 0; when it runs, with the number of its group; and when nothing of it is left, with `-`.
 */
export const watchMany = `${ignored}
live=
while read -r own group; do
rest=
for one in $live; do
case $one in "$own":*) ;; *) rest="$rest $one" ;; esac
done
live=$rest
[ "$group" = - ] || live="$live $own:$group"
done
[ "$live" ] || exit
${systemPath}
LC_ALL=C
export LC_ALL
variables=
for one in $live; do
[ "\${one##*:}" = 0 ] || kill -s KILL -- "-\${one##*:}"
variables="\${variables:+$variables
}${ownVariable}=\${one%:*}"
done
set -- "$variables"
${killEscaped}`
