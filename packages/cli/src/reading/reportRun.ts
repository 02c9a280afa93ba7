import { askedIn, conflictFlag, Engine, EventLog } from "@proofline/kernel"
import { Effect, Stream } from "effect"
import type { ProjectPaths } from "../base/paths.ts"
import { requirementsData, requirementsDocument } from "../documents/requirements.ts"
import { runData, runDocument } from "../documents/run.ts"
import { commandFor, print, printDocument } from "../process/output.ts"
import { type State, stateOf } from "../project/state.ts"
import { waitingLines } from "../render/asked.ts"
import { makeRefusals } from "../render/refusals.ts"
import { runReport } from "../render/report.ts"
import { requirementsText } from "../render/requirements.ts"
import { styleFor, wantsColor } from "../render/style.ts"
import { readRecord } from "./requirementViews.ts"

/** The end of a run: a document for scripts, a report for people. */
export const report = Effect.fnUntraced(function* (state: State, paths: ProjectPaths, json: boolean) {
  if (state.run.kind === "requirements") return yield* reportRequirements(state.run.run_id, paths, json)
  if (json) return yield* printDocument(runDocument, runData(state))
  const style = styleFor(wantsColor(process.stdout))
  const refused = makeRefusals()
  const log = yield* EventLog
  yield* Stream.runForEach(log.read(state.run.run_id), (event) => Effect.sync(() => refused.add(event)))
  yield* print(`\n${runReport(state, style, refused.lines(style), commandFor(paths))}`)
})

/** The end of a requirements run. */
const reportRequirements = Effect.fnUntraced(function* (run: string, paths: ProjectPaths, json: boolean) {
  const refused = makeRefusals()
  const { ended_at, loop, started_at, state } = yield* readRecord(run, paths, refused.add)
  const engine = yield* Engine
  const linked = loop.iterations.flatMap(({ ended, loop_c_history_id: id }) => (id === null ? [] : { id, ended }))
  // one that was to begin, and did not, has nothing to tell
  const begun = yield* Effect.filter(linked, ({ ended, id }) =>
    ended !== null ? Effect.succeed(true) : Effect.map(engine.load(id), (child) => stateOf(child).run.status !== "none")
  )
  const children = new Map(
    yield* Effect.forEach(begun, ({ id }) =>
      Effect.map(readRecord(id, paths, refused.add), (child) => [id, child.state] as const)
    )
  )
  const taskRuns = [...children.values()]
  if (json) return yield* printDocument(requirementsDocument, requirementsData(loop, state, taskRuns))
  const style = styleFor(wantsColor(process.stdout))
  const command = commandFor(paths)
  const asked = taskRuns.flatMap(askedIn)
  // these say themselves how the run goes on
  const waiting = waitingLines({ asked }, style, command, state.run.status === "running")
  const text = requirementsText({ loop, state, started_at, ended_at, children }, style)
  const next =
    state.run.status === "completed"
      ? `Everything of it with its evidence: ${command(`show ${run}`)}`
      : `Go on with: ${command(`resume ${run}${taskRuns.map(conflictFlag).find((flag) => flag !== "") ?? ""}`)}`
  return yield* print(
    `\n${[...waiting, text, ...refused.lines(style), ...(waiting.length === 0 ? [next] : [])].join("\n")}\n`
  )
})
