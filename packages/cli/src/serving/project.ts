import { type Digest, driverOf, Engine, EventLog, Presence } from "@proofline/kernel"
import { liveOutput } from "@proofline/plugins/adapters/command-agent"
import { layer as nodeBaseline } from "@proofline/plugins/adapters/node-baseline"
import { layer as treeSitter } from "@proofline/plugins/adapters/tree-sitter"
import { NotDone, Project } from "@proofline/plugins/frontends/http"
import { presets } from "@proofline/plugins/options"
import type { Baseline, Syntax } from "@proofline/plugins/ports"
import { Effect, Layer } from "effect"
import type { ProjectPaths } from "../base/paths.ts"
import { exitCodes, type Stop } from "../base/problems.ts"
import { version } from "../base/version.ts"
import type { Agents } from "../project/settings.ts"
import { stateOf } from "../project/state.ts"
import { readRows } from "../reading/rows.ts"
import { recordsOf, traced } from "../reading/trace.ts"
import { makeChanges } from "./changes.ts"
import { citedLinesAt, currentEvidenceOf } from "./evidenceNow.ts"
import { makeInputs } from "./inputs.ts"
import { asUnavailable, receiptsOfRun, verifyRun } from "./oversight.ts"
import { makeStarting } from "./startRuns.ts"

export interface ProjectOptions {
  readonly agents: Agents
  /** Runs can be started and taken up again, as processes of their own. */
  readonly canStart: boolean
}

/** What the HTTP front-end asks of a project directory beside its log, over the kernel. */
export const projectLayer = (paths: ProjectPaths, options: ProjectOptions) =>
  Layer.effect(Project, make(paths, options)).pipe(
    // as `proofline verify`: receipts are read with the grammars that are shipped, not with those of plugins
    Layer.provide([treeSitter(), nodeBaseline({ root: paths.root, state: paths.state })])
  )

const make = Effect.fnUntraced(function* (paths: ProjectPaths, { agents, canStart }: ProjectOptions) {
  const services = yield* Effect.context<Baseline | Digest | Engine | EventLog | Syntax>()
  const engine = yield* Engine
  const presence = yield* Presence
  const changes = makeChanges(paths)
  const starting = canStart ? yield* makeStarting(paths) : null
  // what is read from the file, and what another process does, may be of another log by now
  const { check } = yield* EventLog
  const rows = Effect.andThen(check, Effect.mapError(readRows(paths), asUnavailable))

  /** Somebody drives the run, or the one that it is a part of. */
  const isDriven = Effect.fnUntraced(
    function* (run: string) {
      if ((yield* driverOf(run)) !== null) return true
      const { parent_run_id } = stateOf(yield* engine.load(run)).run
      return parent_run_id !== null && (yield* driverOf(parent_run_id)) !== null
    },
    Effect.provideService(Presence, presence)
  )

  return Project.of({
    name: "proofline",
    version,
    root: paths.root,
    agents: [...new Set([...Object.keys(agents), ...presets])],
    runs: rows,
    inputs: yield* Effect.sync(() => makeInputs(paths.root)),
    start: starting === null ? null : (request) => Effect.andThen(check, starting.start(request)),
    resume: starting === null ? null : (run, request) => Effect.andThen(check, starting.resume(run, request)),
    verify: (run) => Effect.provide(verifyRun(run, paths), services),
    receipts: (run) => Effect.provide(receiptsOfRun(run), services),
    report: (run) =>
      Effect.provide(
        Effect.flatMap(recordsOf(run, paths), (records) => traced(records, paths)),
        services
      ).pipe(Effect.catchTag("Stop", (stopped) => Effect.fail(asNotDone(stopped)))),
    changes: (span) => Effect.provide(changes(span), services),
    citedLines: (evidence, then) => Effect.provide(citedLinesAt(evidence, then, paths), services),
    evidenceNow: (item) => Effect.provide(currentEvidenceOf(item, paths), services),
    liveOutput: (attempt, stream, from) => liveOutput(paths.state, { ...attempt, role: "work" }, stream, from),
    isDriven: (run) => Effect.orElseSucceed(isDriven(run), () => true)
  })
})

const asNotDone = ({ exitCode, problems }: Stop): NotDone =>
  new NotDone({
    kind: exitCode === exitCodes.integrity ? "conflict" : (problems[0]?.kind ?? "invalid"),
    problems
  })
