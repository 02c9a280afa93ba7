import { type Away, genesisHash, makeRecent, type RunSummary, type Summaries } from "@proofline/kernel"
import type { Commands } from "./commands.ts"
import { remade } from "./remade.ts"
import { awayOf } from "./rows.ts"
import type { Statements } from "./statements.ts"
import { summaryIn } from "./summaryDigest.ts"

/** The end of a stream. */
export interface Head {
  readonly version: number
  readonly hash: string
  readonly summary: RunSummary | null
  /** Null: it is here. */
  readonly away: Away | null
}

/** Streams whose end is remembered; a forgotten one costs a read. */
const remembered = 1_024

/**
 * Where the log and its streams end, as the running transaction sees it. Answers from memory what no other connection
 * can have changed: `enter` is called with the write lock held, and forgets everything when somebody else has written.
 */
export interface Heads {
  /** With the number that changes when another connection has committed. */
  readonly enter: (dataVersion: unknown) => void
  /** After a rollback. */
  readonly forget: () => void
  readonly position: () => number
  readonly of: (stream: string) => Head
  readonly advance: (stream: string, head: Head, position: number) => void
}

export const makeHeads = (statements: Statements, summaries: Summaries, commands: Commands): Heads => {
  const byStream = makeRecent<string, Head>(remembered)
  let last: number | null = null
  let seen: unknown = null
  const forget = () => {
    byStream.clear()
    commands.forget()
    last = null
  }
  return {
    enter: (current) => {
      if (current !== seen) forget()
      seen = current
    },
    forget,
    position: () => (last ??= statements.lastPosition.get()?.position ?? 0),
    of: (stream) => {
      const known = byStream.get(stream)
      if (known !== undefined) return known
      const head = readHead(statements, summaries, stream)
      byStream.set(stream, head)
      return head
    },
    advance: (stream, head, position) => {
      last = position
      byStream.set(stream, head)
    }
  }
}

const readHead = (statements: Statements, summaries: Summaries, stream: string): Head => {
  const row = statements.lastOfStream.get(stream)
  const left = statements.away.get(stream)
  const away = left === undefined ? null : awayOf(left)
  if (row === undefined) return { version: 0, hash: genesisHash, summary: null, away }
  const stored = statements.summary.get(stream)
  const summary = stored === undefined ? null : (summaryIn(stored) ?? remade(statements, summaries, stream))
  return { ...row, summary, away }
}
