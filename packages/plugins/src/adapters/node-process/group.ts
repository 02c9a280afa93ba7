import { setTimeout as pause } from "node:timers/promises"
import { isDead, type Moment, processesSince, readProc, readStat } from "../../processes/proc.ts"
import { ignored, killEscaped, ownVariable, systemPath, WATCHER } from "../../processes/watcher.ts"

/** How long a group may take to disappear after KILL, in ms. Only a process stuck in the system kernel takes longer. */
const KILL_LIMIT_MS = 10_000
const SHORTEST_LOOK_MS = 1
const LONGEST_LOOK_MS = 50
/** So often it is only asked whether the group is there: it mostly is not for long, and to list its members takes more. */
const QUICK_LOOKS = 3

/**
 * The watcher, with what kills the escaped as its `$1` and the shell as its `$2`. It does not look for them itself, which
 * takes a while: another process does, in a session of its own and without the variable, and the group is killed once that
 * one is out of it, or cannot be started.
 */
const watch = `read -r _ <&3
${systemPath}
: "$(LC_ALL=C ${ownVariable}= setsid "$2" -c "$1" sh "${ownVariable}=$${ownVariable}" &)"
kill -s KILL 0`

/** What the shell is given for a command, after `-c`. */
export const shellArguments = (command: string, shell: string, mergeStderr: boolean): ReadonlyArray<string> => [
  wrapper(mergeStderr),
  "sh",
  command,
  shell,
  watch,
  killEscaped
]

/**
 * Starts the watcher, then becomes the command. `$1` is the command, `$2` the shell, `$3` the watcher and `$4` its `$1`,
 * descriptor 3 the read end of a channel that only Proofline keeps open.
 *
 * However Proofline ends, the system closes its end, the watcher reads the end of the file and kills the group it is
 * part of, and what has left that. It is started before the command, so there is no moment without it, and it ignores the
 * signals that end or stop the others. The command never sees it: the inner parentheses make it nobody's child, so that a
 * command which waits for all of its children does not wait for this one, and descriptor 3 is closed.
 *
 * As long as the watcher lives, the system cannot give the number of the group to anybody else.
 */
const wrapper = (mergeStderr: boolean): string =>
  `(${ignored}; cd /
"$2" -c "$3" ${WATCHER} "$4" "$2" </dev/null >/dev/null 2>&1 &)
exec "$2" -c "$1" sh 3<&-${mergeStderr ? " 2>&1" : ""}`

/** False when there is nobody left that we may signal. */
const signalGroup = (group: number, signal: NodeJS.Signals | 0): boolean => {
  try {
    return process.kill(-group, signal)
  } catch {
    return false
  }
}

/** A group whose leader was made after a moment. */
export interface Group {
  readonly id: number
  readonly since: Moment | null
}

const liveMembers = ({ id, since }: Group): ReadonlyArray<number> =>
  processesSince(since).filter((pid) => {
    const stat = readStat(pid)
    return stat !== null && stat.group === id && !isDead(stat)
  })

const isWatcher = (pid: number): boolean => readProc(pid, "cmdline")?.split("\0").includes(WATCHER) ?? false

/** The dead that nobody collects still count for `kill`, and where no init collects them they stay for ever. */
const isGone = (group: Group, look: number): boolean =>
  !signalGroup(group.id, 0) || (process.platform === "linux" && look >= QUICK_LOOKS && liveMembers(group).length === 0)

/** Without `/proc` the members cannot be told apart; there the leader stands for them. */
const commandIsGone = (group: Group, leaderEnded: () => boolean): boolean =>
  process.platform === "linux" ? liveMembers(group).every(isWatcher) : leaderEnded()

/** Looks at the world until the condition holds; false when it did not within `limit` ms. Real time, not the run's clock. */
const until = async (condition: (look: number) => boolean, limit: number): Promise<boolean> => {
  const start = performance.now()
  let wait = SHORTEST_LOOK_MS
  for (let look = 0; !condition(look); look++) {
    if (performance.now() - start >= limit) return false
    await pause(Math.min(wait, limit))
    wait = Math.min(wait * 2, LONGEST_LOOK_MS)
  }
  return true
}

/**
 * Whether the number of a group whose leader was collected is somebody else's by now. As long as anybody is left in it,
 * such as a watcher, the system gives the number to nobody.
 */
const isGivenAway = (id: number): boolean => readStat(id) !== null

/**
 * Ends every process of the group and resolves when none is left; false when some could not be ended within
 * `KILL_LIMIT_MS`. A command that still runs gets TERM and `grace_ms` first. What is left of a command that has ended
 * is killed at once.
 */
export const endGroup = async (group: Group, leaderEnded: () => boolean, grace_ms: number): Promise<boolean> => {
  if (!leaderEnded()) {
    signalGroup(group.id, "SIGTERM")
    await until(() => commandIsGone(group, leaderEnded), grace_ms)
  }
  return await until((look) => {
    if (leaderEnded() && isGivenAway(group.id)) return true
    // Again at every look: not every system kills a group in one step, so a fork may slip through.
    signalGroup(group.id, "SIGKILL")
    return isGone(group, look)
  }, KILL_LIMIT_MS)
}
