import { EventLog } from "@proofline/kernel"
import { Effect, Stream } from "effect"
import { runData, runDocument } from "../documents/run.ts"
import { commandFor, print, printDocument, wantsColor } from "../output.ts"
import type { ProjectPaths } from "../paths.ts"
import { makeRefusals } from "../render/refusals.ts"
import { runReport } from "../render/report.ts"
import { styleFor } from "../render/style.ts"
import type { State } from "../state.ts"
import { reportRequirements } from "./reportRequirements.ts"

/** The end of a run: a document for scripts, a report for people. */
export const report = Effect.fnUntraced(function* (state: State, paths: ProjectPaths, json: boolean) {
  if (state.run.kind === "requirements") return yield* reportRequirements(state.run.run_id, paths, json)
  if (json) return yield* printDocument(runDocument, runData(state))
  const log = yield* EventLog
  const style = styleFor(wantsColor(process.stdout))
  const refusals = makeRefusals()
  yield* Stream.runForEach(log.read(state.run.run_id), (event) => Effect.sync(() => refusals.add(event)))
  yield* print(`\n${runReport(state, style, refusals.lines(style), commandFor(paths))}`)
})
