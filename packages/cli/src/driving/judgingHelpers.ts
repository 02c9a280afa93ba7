import { type ChildProcess, spawn } from "node:child_process"
import { availableParallelism } from "node:os"
import type { EvidenceVerdict } from "@proofline/plugins/policies/evidence"
import { Effect, type Scope, Semaphore } from "effect"
import { ownProgram } from "../assets.ts"

export interface Line {
  readonly evidence: string
  /** What it is called by in messages: `line 7`. */
  readonly item: string
}

/** Judges lines that are looked at together: a file that they cite more than once is read once. */
export type Judge = (lines: ReadonlyArray<Line>) => Effect.Effect<ReadonlyArray<EvidenceVerdict>>

interface Asked {
  readonly id: number
  readonly lines: ReadonlyArray<Line>
}

interface Answered {
  readonly id: number
  readonly verdicts: ReadonlyArray<EvidenceVerdict>
}

/** So many lines at once, and so often of each other process. */
export const together = 32
const atOnce = 3

/** Processes that judge together, this one among them, and what each may take of the memory. */
const maxProcesses = 4
const bytesEach = 2 ** 29

const othersHere = (): number =>
  Math.max(0, Math.min(availableParallelism(), maxProcesses, Math.floor(process.availableMemory() / bytesEach)) - 1)

/** Other processes that judge, until the scope is closed. Where one ends before that, `here` judges in its place. */
export const judgingHelpers = (
  root: string,
  here: Judge,
  count = othersHere()
): Effect.Effect<ReadonlyArray<Judge>, never, Scope.Scope> =>
  Effect.forEach(Array.from({ length: count }), () => helper(root, here))

const helper = (root: string, here: Judge): Effect.Effect<Judge, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => asking(root)),
      ({ child }) => Effect.sync(() => child.kill("SIGKILL"))
    ),
    ({ ask }) =>
      (lines) =>
        Effect.flatMap(ask(lines), (verdicts) => (verdicts === null ? here(lines) : Effect.succeed(verdicts)))
  )

const asking = (root: string) => {
  const child: ChildProcess = spawn(process.execPath, [ownProgram, "evidence", "part", "--cwd", root], {
    cwd: root,
    stdio: ["ignore", "ignore", "ignore", "ipc"]
  })
  const waiting = new Map<number, (verdicts: Answered["verdicts"] | null) => void>()
  let asked = 0
  let isGone = false
  const gone = () => {
    isGone = true
    for (const answer of waiting.values()) answer(null)
    waiting.clear()
  }
  child.once("error", gone)
  child.once("disconnect", gone)
  child.on("message", (message) => {
    const { id, verdicts } = message as Answered
    waiting.get(id)?.(verdicts)
    waiting.delete(id)
  })
  const ask = (lines: ReadonlyArray<Line>) =>
    Effect.callback<Answered["verdicts"] | null>((resume) => {
      if (isGone) return resume(Effect.succeed(null))
      const id = asked++
      waiting.set(id, (verdicts) => resume(Effect.succeed(verdicts)))
      // what cannot be sent ends as what is not answered: the child is disconnected
      child.send({ id, lines } satisfies Asked, () => {})
      return Effect.sync(() => waiting.delete(id))
    })
  return { child, ask }
}

/**
 * What cites a file goes to the same judge, who has read it then, unless another has nothing else to do. All are told in their
 * order.
 */
export const judgedTogether = (
  own: Judge,
  others: ReadonlyArray<Judge>,
  lines: ReadonlyArray<Line>,
  tell: (verdicts: ReadonlyArray<EvidenceVerdict>) => Effect.Effect<void>
): Effect.Effect<void> =>
  Effect.suspend(() => {
    const judges = [own, ...others]
    const shares = judges.map((): Array<number> => [])
    for (const [i, { evidence }] of lines.entries()) shares[numberOf(evidence) % judges.length]?.push(i)
    const judged = new Map<number, EvidenceVerdict>()
    let told = 0
    const oneAtATime = Semaphore.makeUnsafe(1)
    const tellNext = Effect.suspend(() => {
      const next: Array<EvidenceVerdict> = []
      for (let verdict = judged.get(told); verdict !== undefined; verdict = judged.get(told)) {
        next.push(verdict)
        judged.delete(told++)
      }
      return next.length === 0 ? Effect.void : tell(next)
    })
    const taken = (at: number): ReadonlyArray<number> => {
      const share = shares[at] ?? []
      if (share.length > 0) return share.splice(0, together)
      const longest = shares.reduce((one, other) => (other.length > one.length ? other : one), share)
      return longest.length > worthReading ? longest.splice(-together) : []
    }
    const work = Effect.fnUntraced(function* (at: number) {
      for (let part = taken(at); part.length > 0; part = taken(at)) {
        const verdicts = yield* (judges[at] ?? own)(part.flatMap((i) => lines[i] ?? []))
        for (const [k, i] of part.entries()) judged.set(i, verdicts[k] as EvidenceVerdict)
        yield* oneAtATime.withPermit(tellNext)
        // what others have answered is taken
        yield* Effect.yieldNow
      }
    })
    // each of the others has its next lines before it is done with those it has
    const places = [0, ...others.flatMap((_, i) => Array.from({ length: atOnce }, () => i + 1))]
    return Effect.forEach(places, work, { concurrency: "unbounded", discard: true })
  })

/** Of fewer lines more are in files that their judge has read already. */
const worthReading = 8 * together

/** The same for all that cites a file. */
const numberOf = (evidence: string): number => {
  let number = 0
  for (let at = evidence.lastIndexOf(":") - 1; at >= 0; at--) number = (number * 31 + evidence.charCodeAt(at)) >>> 0
  return number
}

/** In such a process: judges what it is asked, until whoever asks is gone. */
export const judgeAsAsked = (judge: Judge): Effect.Effect<void> =>
  Effect.callback((resume) => {
    let before: Promise<unknown> = Promise.resolve()
    process.on("message", (message) => {
      const { id, lines } = message as Asked
      before = before.then(async () => {
        const verdicts = await Effect.runPromise(judge(lines))
        process.send?.({ id, verdicts } satisfies Answered)
      })
    })
    process.once("disconnect", () => resume(Effect.void))
  })
