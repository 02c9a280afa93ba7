import { setTimeout as pause } from "node:timers/promises"
import { isDead, processIds, readProc, readStat } from "./proc.ts"

/** How long a group may take to disappear after KILL, in ms. Only a process stuck in the system kernel takes longer. */
const KILL_LIMIT_MS = 10_000
const SHORTEST_LOOK_MS = 1
const LONGEST_LOOK_MS = 50

/** The name under which the watcher of a group runs, its `$0`. */
const WATCHER = "proofline-watcher"

/**
 * Starts the watcher, then becomes the command. `$1` is the command, `$2` the shell, descriptor 3 the read end of a
 * channel that only Proofline keeps open.
 *
 * However Proofline ends, the system closes its end, the watcher reads the end of the file and kills the group it is
 * part of. It is started before the command, so there is no moment without it, and it ignores the signals that end or
 * stop the others. The command never sees it: the inner parentheses make it nobody's child, so that a command which
 * waits for all of its children does not wait for this one, and descriptor 3 is closed.
 *
 * As long as the watcher lives, the system cannot give the number of the group to anybody else.
 */
export const wrapper = (mergeStderr: boolean): string =>
  `(trap '' HUP INT QUIT TERM USR1 USR2 ALRM PIPE TSTP TTIN TTOU; cd /
"$2" -c 'read -r _ <&3; kill -s KILL 0' ${WATCHER} </dev/null >/dev/null 2>&1 &)
exec "$2" -c "$1" sh 3<&-${mergeStderr ? " 2>&1" : ""}`

/** False when there is nobody left that we may signal. */
const signalGroup = (group: number, signal: NodeJS.Signals | 0): boolean => {
  try {
    return process.kill(-group, signal)
  } catch {
    return false
  }
}

const liveMembers = (group: number): ReadonlyArray<number> =>
  processIds().filter((pid) => {
    const stat = readStat(pid)
    return stat !== null && stat.group === group && !isDead(stat)
  })

const isWatcher = (pid: number): boolean => readProc(pid, "cmdline")?.split("\0").includes(WATCHER) ?? false

/** The dead that nobody collects still count for `kill`, and where no init collects them they stay for ever. */
const isGone = (group: number): boolean =>
  !signalGroup(group, 0) || (process.platform === "linux" && liveMembers(group).length === 0)

/** Without `/proc` the members cannot be told apart; there the leader stands for them. */
const commandIsGone = (group: number, leaderEnded: () => boolean): boolean =>
  process.platform === "linux" ? liveMembers(group).every(isWatcher) : leaderEnded()

/** Looks at the world until the condition holds; false when it did not within `limit` ms. Real time, not the run's clock. */
const until = async (condition: () => boolean, limit: number): Promise<boolean> => {
  const start = performance.now()
  let wait = SHORTEST_LOOK_MS
  while (!condition()) {
    if (performance.now() - start >= limit) return false
    await pause(Math.min(wait, limit))
    wait = Math.min(wait * 2, LONGEST_LOOK_MS)
  }
  return true
}

/**
 * Ends every process of the group and resolves when none is left; false when some could not be ended within
 * `KILL_LIMIT_MS`. A command that still runs gets TERM and `grace_ms` first. What is left of a command that has ended
 * is killed at once.
 */
export const endGroup = async (group: number, leaderEnded: () => boolean, grace_ms: number): Promise<boolean> => {
  if (!leaderEnded()) {
    signalGroup(group, "SIGTERM")
    await until(() => commandIsGone(group, leaderEnded), grace_ms)
  }
  return await until(() => {
    // Again at every look: not every system kills a group in one step, so a fork may slip through.
    signalGroup(group, "SIGKILL")
    return isGone(group)
  }, KILL_LIMIT_MS)
}
