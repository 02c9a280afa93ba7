import { type ChildProcess, spawn } from "node:child_process"
import { availableParallelism } from "node:os"
import type { EvidenceVerdict } from "@proofline/plugins/policies/evidence"
import { Effect, type Scope, Semaphore } from "effect"
import { ownProgram } from "../assets.ts"

/** Evidence that is looked at together, and what the first of it is called by: `line 7`. */
export interface Part {
  readonly evidence: ReadonlyArray<string>
  readonly noun: string
  readonly first: number
}

export type Judge = (part: Part) => Effect.Effect<ReadonlyArray<EvidenceVerdict>>

interface Asked extends Part {
  readonly id: number
}

interface Answered {
  readonly id: number
  readonly verdicts: ReadonlyArray<EvidenceVerdict>
}

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
      (part) =>
        Effect.flatMap(ask(part), (verdicts) => (verdicts === null ? here(part) : Effect.succeed(verdicts)))
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
  const ask = (part: Part) =>
    Effect.callback<Answered["verdicts"] | null>((resume) => {
      if (isGone) return resume(Effect.succeed(null))
      const id = asked++
      waiting.set(id, (verdicts) => resume(Effect.succeed(verdicts)))
      // what cannot be sent ends as what is not answered: the child is disconnected
      child.send({ id, ...part } satisfies Asked, () => {})
      return Effect.sync(() => waiting.delete(id))
    })
  return { child, ask }
}

/** `own` and who is free of the others take the next part each; they are told in their order. */
export const judgedTogether = (
  own: Judge,
  others: ReadonlyArray<Judge>,
  parts: ReadonlyArray<Part>,
  tell: (verdicts: ReadonlyArray<EvidenceVerdict>) => Effect.Effect<void>
): Effect.Effect<void> =>
  Effect.suspend(() => {
    const judged = new Map<number, ReadonlyArray<EvidenceVerdict>>()
    let [next, told] = [0, 0]
    const oneAtATime = Semaphore.makeUnsafe(1)
    const tellNext = Effect.gen(function* () {
      for (let verdicts = judged.get(told); verdicts !== undefined; verdicts = judged.get(told)) {
        judged.delete(told++)
        yield* tell(verdicts)
      }
    })
    const work = Effect.fnUntraced(function* (judge: Judge) {
      for (let i = next++; i < parts.length; i = next++) {
        judged.set(i, yield* judge(parts[i] as Part))
        yield* oneAtATime.withPermit(tellNext)
        // what others have answered is taken
        yield* Effect.yieldNow
      }
    })
    // twice: each of the others has its next part before it is done with one
    return Effect.forEach([own, ...others, ...others], work, { concurrency: "unbounded", discard: true })
  })

/** In such a process: judges what it is asked, until whoever asks is gone. */
export const judgeAsAsked = (judge: Judge): Effect.Effect<void> =>
  Effect.callback((resume) => {
    let before: Promise<unknown> = Promise.resolve()
    process.on("message", (message) => {
      const { id, ...part } = message as Asked
      before = before.then(async () => {
        const verdicts = await Effect.runPromise(judge(part))
        process.send?.({ id, verdicts } satisfies Answered)
      })
    })
    process.once("disconnect", () => resume(Effect.void))
  })
