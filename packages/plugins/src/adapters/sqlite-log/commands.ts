import type { Statements } from "./statements.ts"

/** Which events of a stream a command has written. */
export interface Written {
  readonly first_version: number
  readonly events: number
}

/**
 * Which commands the streams have taken, as the running transaction sees it. Each has a row of its own in a table. It lies in a
 * page that nothing else of an append writes, so where many commits follow upon each other the rows are written together: until
 * then the events themselves say it, from the position on that `command_left` holds.
 */
export interface Commands {
  /** At the start of a transaction. */
  readonly enter: () => void
  /** After a rollback, and when another connection has written. */
  readonly forget: () => void
  readonly get: (stream: string, command: string) => Written | undefined
  /** Once its events are written, the first of them at this position. */
  readonly put: (stream: string, command: string, written: Written, position: number) => void
  /** Whether this process has left any without a row. */
  readonly areLeft: () => boolean
  /** Writes the rows that are missing. */
  readonly writeDown: () => void
}

/** Commits of this connection alone, no further apart than that (ms), after which those that follow leave the rows for later. */
const commitsMin = 8
const apartMs = 100

/** Events of commands without a row at most: whoever opens the log reads them. */
const leftMax = 2_000

export const makeCommands = (statements: Statements): Commands => {
  const left = new Map<string, Map<string, Written>>()
  /** From which position on the rows are missing; null: none is, undefined: nothing is known. */
  let from: number | null | undefined
  let commits = 0
  let enteredAt = 0
  const add = (stream: string, command: string, written: Written) => {
    const ofStream = left.get(stream) ?? new Map<string, Written>()
    left.set(stream, ofStream)
    const before = ofStream.get(command)
    ofStream.set(command, before === undefined ? written : joined(before, written))
  }
  const load = (): number | null => {
    if (from !== undefined) return from
    left.clear()
    from = statements.commandsLeft.get()?.position ?? null
    if (from === null) return null
    for (const { command_id, events, first_version, stream } of statements.commandsFrom.all(from)) {
      add(stream, command_id, { first_version, events })
    }
    return from
  }
  const writeDown = () => {
    const position = load()
    if (position === null) return
    statements.writeCommands.run(position)
    statements.noneLeft.run()
    left.clear()
    from = null
  }
  return {
    enter: () => {
      const now = performance.now()
      commits = now - enteredAt < apartMs ? commits + 1 : 0
      enteredAt = now
    },
    forget: () => {
      from = undefined
      commits = 0
    },
    get: (stream, command) => {
      load()
      const row = statements.command.get(stream, command)
      const unwritten = left.get(stream)?.get(command)
      return row === undefined || unwritten === undefined ? (row ?? unwritten) : joined(row, unwritten)
    },
    put: (stream, command, written, position) => {
      const isLeft = commits >= commitsMin
      let first = load()
      if (first === null && isLeft) {
        statements.leaveCommands.run(position)
        first = from = position
      }
      if (isLeft) add(stream, command, written)
      else statements.insertCommand.run(stream, command, written.first_version, written.events)
      if (first !== null && (!isLeft || position + written.events - first >= leftMax)) writeDown()
    },
    areLeft: () => typeof from === "number",
    writeDown
  }
}

/** A run that comes from another log comes in parts, and the events of a command may be in two of them. */
const joined = (one: Written, other: Written): Written => {
  const first_version = Math.min(one.first_version, other.first_version)
  const end = Math.max(one.first_version + one.events, other.first_version + other.events)
  return { first_version, events: end - first_version }
}
