import { Effect } from "effect"
import { requirementsData } from "../documents.ts"
import { commandFor, print, printDocument, wantsColor } from "../output.ts"
import type { ProjectPaths } from "../paths.ts"
import { requirementsText } from "../render/requirements.ts"
import { styleFor } from "../render/style.ts"
import { readRecord } from "./requirementViews.ts"

/** The end of a requirements run: a document for scripts, a report for people. */
export const reportRequirements = Effect.fnUntraced(function* (run: string, paths: ProjectPaths, json: boolean) {
  const { ended_at, loop, started_at, state } = yield* readRecord(run, paths)
  if (json) return yield* printDocument("run-requirements", requirementsData(loop, state))
  const ids = loop.iterations.flatMap(({ loop_c_history_id }) => loop_c_history_id ?? [])
  const children = new Map(
    yield* Effect.forEach(ids, (id) => Effect.map(readRecord(id, paths), (child) => [id, child.state] as const))
  )
  const text = requirementsText({ loop, state, started_at, ended_at, children }, styleFor(wantsColor(process.stdout)))
  const command = commandFor(paths)
  const next =
    state.status === "completed"
      ? `Everything of it with its evidence: ${command(`report ${run}`)}`
      : `Go on with: ${command(`resume ${run}`)}`
  return yield* print(`\n${text}\n${next}\n`)
})
