import { type AnyCommand, Engine, EventLog, type Recorded, Runner } from "@proofline/kernel"
import { Effect, Fiber, Stream } from "effect"
import type { ProjectPaths } from "../base/paths.ts"
import { exitCodes } from "../base/problems.ts"
import { commandFor, say } from "../process/output.ts"
import { pluginSentence } from "../project/pluginSentence.ts"
import { noteProject } from "../project/recentProjects.ts"
import { stateOf } from "../project/state.ts"
import { missingWorkers } from "../reading/missingWorkers.ts"
import { report } from "../reading/reportRun.ts"
import { folding } from "../reading/wholeRun.ts"
import { showProgress } from "../render/progress.ts"
import { tellWhenBegun } from "./begun.ts"
import { budgetOf, within } from "./budget.ts"
import { broughtHome } from "./handOver.ts"
import { childOf, endAll, reportEnd } from "./runEnd.ts"
import { terminal } from "./terminal.ts"

/** How often it is looked whether the database is there. */
const lookEvery = "10 seconds"

/**
 * Carries out the command that starts or resumes a run, and watches the workers until it has ended, and reports. Whoever
 * watches may go: the run goes on without them. Null: it goes on already.
 */
export const watchToEnd = Effect.fnUntraced(function* (
  run: string,
  command: AnyCommand | null,
  options: {
    readonly paths: ProjectPaths
    readonly json: boolean
    readonly labels: ReadonlyArray<string>
    /** How workers get the project, recorded with the command. */
    readonly handOver?: AnyCommand | undefined
  }
) {
  noteProject(options.paths)
  const runner = yield* Runner
  const engine = yield* Engine
  const seen = command === null ? 0 : (yield* engine.load(run)).version
  const begun = command === null ? Effect.void : tellWhenBegun(run)
  const changes = Stream.merge(Stream.unwrap(changesOf(run, seen)), missingWorkers(options.labels, options.paths))
  const showing = Effect.scoped(
    Effect.andThen(
      begun,
      Effect.flatMap(terminal(options.paths), (here) => showProgress(changes, here, pluginSentence(engine)))
    )
  )
  const meanwhile = yield* Effect.forkChild(showing, { startImmediately: true })
  const budget = yield* budgetOf(run, command)
  const commandLine = commandFor(options.paths)
  const watching = Effect.raceFirst(runner.watch(run, command, options.handOver), databaseGone)
  const ended = yield* within(budget.max_duration_ms, watching, (exhausted) =>
    Effect.andThen(
      Effect.catchTag(endAll(run, exhausted), "Rejection", () => Effect.void),
      engine.load(run)
    )
  ).pipe(
    Effect.ensuring(Fiber.interrupt(meanwhile)),
    Effect.onInterrupt(() =>
      Effect.gen(function* () {
        if (options.json) yield* report(stateOf(yield* engine.load(run)), options.paths, true)
        yield* say(
          `The run goes on; watch it with: ${commandLine(`show ${run} --follow`)}; end it with: ${commandLine(`cancel ${run}`)}`
        )
      }).pipe(Effect.ignore)
    )
  )
  const isHere = yield* broughtHome(stateOf(ended), options.paths)
  const exitCode = yield* reportEnd(run, stateOf(ended), budget.max_calls !== null, options)
  return isHere || exitCode !== exitCodes.proven ? exitCode : exitCodes.needsPerson
})

/** Fails when the database is away for longer than it is waited for: nobody watches for good what cannot be seen. */
const databaseGone = Effect.flatMap(EventLog, ({ check }) =>
  Effect.forever(Effect.andThen(check, Effect.sleep(lookEvery)))
)

/** What happens in a run and in those it drives, whoever appends it; of the run itself what is newer than `seen`. */
const changesOf = Effect.fnUntraced(function* (run: string, seen: number) {
  const log = yield* EventLog
  const { add, wholeOf } = yield* folding
  const positions = new Map<string, number>()
  const fold = (event: Recorded): void => {
    positions.set(event.stream, event.position)
    add(event)
  }
  const changeOf = (event: Recorded) => ({ event, snapshot: wholeOf(event.stream).fold.snapshot })
  const read = (stream: string) => Stream.runForEach(log.read(stream), (event) => Effect.sync(() => fold(event)))
  const before: Array<Recorded> = []
  yield* log.read(run).pipe(
    Stream.runForEach((event) =>
      Effect.sync(() => {
        fold(event)
        if (event.version > seen) before.push(event)
      })
    )
  )
  const from = positions.get(run) ?? 0
  const child = childOf(wholeOf(run).fold.snapshot)
  if (child !== null) yield* read(child)
  const isNew = ({ position, stream }: Recorded): boolean => position > (positions.get(stream) ?? 0)
  const isOurs = (event: Recorded): boolean =>
    positions.has(event.stream) ||
    (event.event_type === "RUN_STARTED" &&
      (event.content as { readonly parent_run_id?: unknown }).parent_run_id === run)
  const later = log.follow(from + 1).pipe(
    Stream.filter((event) => isOurs(event) && isNew(event)),
    Stream.map((event) => {
      fold(event)
      return changeOf(event)
    })
  )
  return Stream.concat(Stream.fromIterable(before.map(changeOf)), later)
})
