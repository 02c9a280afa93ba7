import {
  type AdoptOptions,
  type Away,
  type ChainBroken,
  Conflict,
  continuing,
  type Digest,
  notAsItLeft,
  type Recorded
} from "@proofline/kernel"
import { Result } from "effect"
import { store } from "./append.ts"
import { addEmptied } from "./emptied.ts"
import type { Session } from "./session.ts"

export interface AdoptRequest extends AdoptOptions {
  readonly stream: string
  readonly expected: number
  readonly events: ReadonlyArray<Recorded>
  /** Canonical JSON of the content of each event. */
  readonly contents: ReadonlyArray<string>
}

/** Takes over events of another log within the running transaction. Throws `LogUnavailable` where they are not what left. */
export const adopt = (
  session: Session,
  sha256: Digest["Service"]["sha256"],
  { arriving, contents, events, expected, stream }: AdoptRequest
): Result.Result<ReadonlyArray<Recorded>, Conflict | ChainBroken> => {
  const { commands, heads, statements } = session
  const head = heads.of(stream)
  if (head.version !== expected) return Result.fail(new Conflict({ stream, expected, actual: head.version }))
  const end = { stream, version: head.version, hash: head.hash }
  const taken = continuing(stream, end, heads.position(), events, sha256)
  if (Result.isFailure(taken)) return Result.fail(taken.failure)
  store(session, stream, head, taken.success, contents)
  for (const [command, written] of Map.groupBy(taken.success, ({ command_id }) => command_id)) {
    const [first] = written
    if (first === undefined) continue
    commands.put(stream, command, { first_version: first.version, events: written.length }, first.position)
  }
  if (arriving === undefined) {
    const hashAt = head.away === null ? null : (statements.hashAt.get(stream, head.away.version)?.hash ?? null)
    const fault = notAsItLeft(stream, head.away, hashAt)
    if (fault !== null) throw fault
    statements.comesHome.run(stream)
  } else if (head.away === null) {
    statements.putAway.run(stream, "arriving", arriving.place, arriving.at, 0, "", 0)
  }
  heads.forget()
  session.news = true
  return taken
}

/** Says where a stream is from now on, within the running transaction, and takes the events of an archived one out. */
export const leave = (
  session: Session,
  stream: string,
  expected: number,
  { at, kind, place }: Pick<Away, "kind" | "place" | "at">
): Result.Result<Away, Conflict> => {
  const { heads, loss, statements } = session
  const { hash, version } = heads.of(stream)
  if (version === 0 || version !== expected) return Result.fail(new Conflict({ stream, expected, actual: version }))
  const position = kind === "archived" ? (statements.lastPositionOf.get(stream)?.position ?? 0) : 0
  statements.putAway.run(stream, kind, place, at, version, hash, position)
  statements.cancelOf.run(stream)
  if (kind === "archived") {
    addEmptied(session.db, Number(statements.removeEvents.run(stream).changes))
    statements.removeCommands.run(stream)
    statements.removeItems.run(stream)
    loss.forget(stream)
  }
  heads.forget()
  session.news = true
  return Result.succeed({ kind, place, at, version, hash })
}
