import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import {
  type Composition,
  composePlugins,
  Engine,
  EventLog,
  type Recorded,
  type RunConfig,
  verifyChain
} from "@proofline/kernel"
import { aRun, aTask, scripted } from "@proofline/kernel/testing"
import { Effect, Fiber, Result, Stream } from "effect"
import { judge } from "../kernel/support/judge.ts"
import { digest, replayOf } from "../kernel/support/recorded.ts"
import { execute } from "../plugins/postgres-log/support.ts"
import { sleeping } from "./engine.ts"

/** Names of so many runs. */
export const named = (runs: number): ReadonlyArray<string> => Array.from({ length: runs }, (_, i) => `run_${i}`)

const program = fileURLToPath(new URL("workerProcess.ts", import.meta.url))

/** A worker of a cluster. */
export interface Spawned {
  readonly name: string
  readonly child: ChildProcess
}

let workers = 0

/** Ended with the scope, however it is. */
export const spawnWorker = (url: string, slots: number, attemptMs: number, failing = 0) =>
  Effect.acquireRelease(
    Effect.promise(async (): Promise<Spawned> => {
      const name = `w${++workers}`
      const flags = ["--conditions=@proofline/source", "--no-warnings"]
      const args = [program, url, name, ...[slots, attemptMs, failing].map(String)]
      const child = spawn(process.execPath, [...flags, ...args], { stdio: ["ignore", "pipe", "inherit"] })
      const dies = once(child, "exit").then(([code]) => {
        throw new Error(`Worker ${name} ended with ${code} before it had begun.`)
      })
      await Promise.race([once(child.stdout as NonNullable<typeof child.stdout>, "data"), dies])
      // what comes later is asked for elsewhere
      dies.catch(() => {})
      return { name, child }
    }),
    ({ child }) => Effect.promise(() => end(child))
  )

export const end = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill("SIGKILL")
  await once(child, "exit")
}

/** Starts runs of so many tasks each, which need nothing of one another. */
export const startRuns = Effect.fnUntraced(function* (
  names: ReadonlyArray<string>,
  tasks: number,
  config: Partial<RunConfig> = {}
) {
  const engine = yield* Engine
  const specs = Array.from({ length: tasks }, (_, i) => aTask(`t${i}`))
  const all = { retry_delay_ms: 0, workers: tasks, ...config }
  yield* Effect.forEach(names, (run) => engine.execute(run, aRun(specs, all, run)), { concurrency: 8, discard: true })
})

/** Keeps so many runs open: one is started for each that ends. Gives what ends that, and says how many there were. */
export const keepRunning = Effect.fnUntraced(function* (open: number, tasks: number) {
  const log = yield* EventLog
  let started = 0
  const another = Effect.uninterruptible(Effect.suspend(() => startRuns([`run_${started++}`], tasks)))
  yield* Effect.replicateEffect(another, open)
  const refilling = yield* log.follow(1).pipe(
    Stream.filter(({ event_type }) => isEnd(event_type)),
    Stream.runForEach(() => another),
    Effect.forkScoped
  )
  return Effect.andThen(
    Fiber.interrupt(refilling),
    Effect.sync(() => started)
  )
})

/** Waits until so many runs have ended, and gives the whole log. */
export const whenEnded = Effect.fnUntraced(function* (runs: number) {
  const log = yield* EventLog
  let ended = 0
  return yield* log.follow(1).pipe(
    Stream.takeUntil(({ event_type }) => isEnd(event_type) && ++ended === runs),
    Stream.runCollect
  )
})

/** Waits until a worker has begun something, as the log has it from a position on. */
export const whenWorking = ({ name }: Spawned, from = 1) =>
  whenSaid(
    ({ content, event_type }) =>
      event_type === "ATTEMPT_STARTED" && String((content as Content)["worker_id"]).startsWith(`${name}/`),
    from
  )

/**
 * Stops a worker while it is at work, and gives when that was. Nothing waits for ever: it dies when the work of `ending`
 * is over before that.
 */
export const stopAtWork = Effect.fnUntraced(function* <A, E>(
  { name, child }: Spawned,
  { goOn, pause }: { readonly pause: () => void; readonly goOn: () => void },
  ending: Fiber.Fiber<A, E>
) {
  const log = yield* EventLog
  const over = Effect.andThen(Fiber.join(ending), Effect.die(`${name} was never caught at work before all was done`))
  for (let from = 1; ; ) {
    yield* Effect.raceFirst(whenWorking({ name, child }, from), over)
    const at = Date.now()
    pause()
    const events = yield* Stream.runCollect(log.readAll())
    // however long that took: others may have it by now
    if (interruptedBy(attemptsOf(events), { worker: name, at }).length > 0) return at
    // what was seen of it had ended: the next time it begins something
    goOn()
    from = events.length + 1
  }
})

/** Waits until there is such an event. */
export const whenSaid = Effect.fnUntraced(function* (isIt: (event: Recorded) => boolean, from = 1) {
  const log = yield* EventLog
  yield* log.follow(from).pipe(Stream.takeUntil(isIt), Stream.runDrain)
})

const isEnd = (type: string): boolean => /^RUN_(COMPLETED|FAILED|INCOMPLETE|CANCELLED)$/.test(type)

type Content = Readonly<Record<string, unknown>>

interface Attempt {
  readonly run: string
  readonly task: string
  readonly worker: string
  readonly item: string
  /** How often that item of work had been handed out by then. */
  readonly lease: number
  readonly startedAt: number
  endedAt: number | null
  outcome: string | null
}

/** What is right about a log whatever happened while it was written. */
export const account = (events: ReadonlyArray<Recorded>, runs: number, tasks: number) => {
  const count = (type: string) => {
    const found = new Map<string, number>()
    for (const { content, event_type, stream } of events) {
      if (event_type !== type) continue
      const key = `${stream}/${(content as Content)["task_id"] ?? ""}`
      found.set(key, (found.get(key) ?? 0) + 1)
    }
    return found
  }
  const [tasksDone, runsDone] = [count("TASK_COMPLETED"), count("RUN_COMPLETED")]
  const twice = (found: ReadonlyMap<string, number>) => [...found.values()].filter((n) => n > 1).length
  const byRun = Map.groupBy(events, ({ stream }) => stream)
  const attempts = attemptsOf(events)
  const done = attempts.filter(({ outcome }) => outcome === "COMPLETE")
  return {
    lost: runs * tasks - tasksDone.size + (runs - runsDone.size),
    double_done: twice(tasksDone),
    double_completed: twice(runsDone),
    /** Completed attempts beyond the first of each task: work that was done again although it had been done. */
    done_again: done.length - new Set(done.map(({ run, task }) => `${run}/${task}`)).size,
    holes: events.filter(({ position }, i) => position !== i + 1).length,
    broken_chains: [...byRun.values()].filter((run) => Result.isFailure(verifyChain(run, digest.sha256))).length,
    other_decisions: [...byRun.values()].filter((run) => divergence(run) !== null).length,
    /** Attempts of which two ends are told: a late report that was taken. */
    ended_twice: twice(endsOf(events)),
    attempts
  }
}

const endsOf = (events: ReadonlyArray<Recorded>): ReadonlyMap<string, number> => {
  const found = new Map<string, number>()
  for (const { content, event_type, stream } of events) {
    if (event_type !== "ATTEMPT_ENDED") continue
    const { attempt, task_id } = content as Content
    const key = `${stream}/${task_id}/${attempt}`
    found.set(key, (found.get(key) ?? 0) + 1)
  }
  return found
}

/** How often each item of work was handed out. */
export const leasesOf = (url: string) =>
  Effect.map(
    Effect.promise(() => execute(url, "select id, lease::int from proofline.work_item")),
    (rows) => new Map(rows.map(({ id, lease }) => [String(id), Number(lease)]))
  )

/** What must be there of none. */
export const nothingWrong = {
  lost: 0,
  double_done: 0,
  double_completed: 0,
  done_again: 0,
  holes: 0,
  broken_chains: 0,
  other_decisions: 0,
  ended_twice: 0
}

const attemptsOf = (events: ReadonlyArray<Recorded>): ReadonlyArray<Attempt> => {
  const open = new Map<string, Attempt>()
  const all: Array<Attempt> = []
  for (const { content, event_type, stream, timestamp } of events) {
    const { attempt, item_id, lease, outcome, task_id, worker_id } = content as Content
    const key = `${stream}/${task_id}/${attempt}`
    const at = Date.parse(timestamp)
    if (event_type === "ATTEMPT_STARTED") {
      const worker = String(worker_id).split("/")[0] ?? ""
      const task = String(task_id)
      const one: Attempt = {
        run: stream,
        task,
        worker,
        item: String(item_id),
        lease: Number(lease),
        startedAt: at,
        endedAt: null,
        outcome: null
      }
      open.set(key, one)
      all.push(one)
    }
    const one = open.get(key)
    if (event_type === "ATTEMPT_ENDED" && one !== undefined) {
      one.endedAt = at
      one.outcome = String(outcome)
    }
  }
  return all
}

/** Nobody is taken for dead earlier, ms. */
const fenceMs = 2_000

/** That a worker was stopped, and when. */
interface Failure {
  readonly worker: string
  readonly at: number
}

const composition: Composition = composePlugins([scripted(sleeping(0)), judge])

const divergence = (run: ReadonlyArray<Recorded>) => {
  return replayOf(composition, run).divergence
}

/** What a worker was at when it was stopped. */
const interruptedBy = (attempts: ReadonlyArray<Attempt>, { at, worker }: Failure) =>
  attempts.filter((one) => one.worker === worker && one.startedAt <= at && (one.endedAt === null || one.endedAt > at))

/**
 * How long it took until what a worker was at when it was stopped began elsewhere, and how long nobody ended anything; ms.
 * Whoever took it may have been stopped too before it began: then the time counts from there, and `twice` counts it.
 */
export const afterFailure = (
  attempts: ReadonlyArray<Attempt>,
  { at, worker }: Failure,
  all: ReadonlyArray<Failure> = [],
  handedOut: ReadonlyMap<string, number> = new Map()
) => {
  const interrupted = interruptedBy(attempts, { at, worker })
  const restarts = interrupted.flatMap(({ item, lease, run, task }) => {
    const next = attempts.find(
      (one) => one.run === run && one.task === task && one.startedAt > at && one.worker !== worker
    )
    if (next === undefined) return []
    // somebody else had it in between, and was stopped so long ago that it was taken for dead
    const isTwice = (handedOut.get(item) ?? 0) > lease + 1 || next.lease > 1
    const again = all.flatMap((other) => (isTwice && other.at < next.startedAt - fenceMs ? [other.at] : []))
    return [{ after: next.startedAt - Math.max(at, ...again), isTwice }]
  })
  const ends = attempts
    .flatMap(({ endedAt, outcome }) => (outcome === "COMPLETE" && endedAt !== null ? [endedAt] : []))
    .sort((one, other) => one - other)
  const around = ends.filter((one) => one > at - 2_000 && one < at + 6_000)
  const silence = Math.max(0, ...around.slice(1).map((end, i) => end - (around[i] as number)))
  return {
    interrupted: interrupted.length,
    restarted: restarts.length,
    restart: Math.max(0, ...restarts.map(({ after }) => after)),
    twice: restarts.filter(({ isTwice }) => isTwice).length,
    silence
  }
}
