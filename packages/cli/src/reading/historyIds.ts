import { lstatSync, readFileSync } from "node:fs"
import * as Path from "node:path"
import { Engine } from "@proofline/kernel"
import type { RunOverview } from "@proofline/plugins/adapters/sqlite-log/summary"
import { runsMeant } from "@proofline/plugins/options"
import { Effect } from "effect"
import type { ProjectPaths } from "../base/paths.ts"
import { exitCodes, stop } from "../base/problems.ts"
import { type State, stateOf } from "../project/state.ts"
import { withKernel } from "../project/withKernel.ts"
import { noRun } from "./oneRun.ts"
import { withStorageToRead } from "./readable.ts"

/** Where `history export` writes to when nothing else is said. */
export const exportDirectory = ({ root }: ProjectPaths): string => Path.join(root, ".task-orchestrator-history")

/** The folder of requirements runs in it. */
export const loops = "loopb"

/** Of the file it came from; nothing in it that a file system could take amiss. */
const stemOf = ({ run: { input, kind } }: State): string => {
  const name = Path.posix.basename((input?.path ?? "").replaceAll("\\", "/")).replace(/\.[^.]*$/, "")
  const safe = name.replaceAll(/[^\p{L}\p{N}._-]+/gu, "-").replace(/^[.-]+/, "")
  return [...safe].slice(0, 80).join("") || kind
}

/** The name of a run in an export before it gets a number: stem of its file and second of its beginning, in UTC. */
export const baseOf = (state: State, started_at: string): string => `${stemOf(state)}_${secondOf(started_at)}`

const secondOf = (at: string): string => at.slice(0, 19).replaceAll(/[-:]/g, "").replace("T", "_")

/** The run a file tells of; null for a file of somebody else. */
export const runIn = (file: string): string | null => {
  try {
    if (!lstatSync(file).isFile()) return null
    const { run_id } = JSON.parse(readFileSync(file, "utf8")) as { readonly run_id?: unknown }
    return typeof run_id === "string" ? run_id : null
  } catch {
    return null
  }
}

const exported = /^(.+_\d{8}_\d{6})(?:_(\d{1,4}))?$/

/**
 * The id of a run that is named whole, as `last`, or by the beginning of its id or of the end of that (`k3x9q2`); a name
 * that means none is given back as it is.
 */
export const runMeant = Effect.fnUntraced(function* (
  named: string,
  rows: ReadonlyArray<Pick<RunOverview, "run_id" | "parent_run_id">>
) {
  const found = runsMeant(named, rows)
  if (found.length > 1) {
    const ids = found.map(({ run_id }) => run_id)
    return yield* ambiguous(named, ids, `may be any of ${ids.length} runs`)
  }
  return found[0]?.run_id ?? named
})

/**
 * The same, of a run in a log, which may be named as `history export` does too. That name follows from the log; a number behind it also
 * from the files that are there.
 */
export const runNamed = Effect.fnUntraced(function* (
  named: string,
  rows: ReadonlyArray<RunOverview>,
  paths: ProjectPaths
) {
  const name = named.replace(/^.*[\\/]/, "").replace(/\.json$/, "")
  const [, base, number = "1"] = exported.exec(name) ?? []
  const meant = yield* runMeant(named, rows)
  if (base === undefined || rows.some(({ run_id }) => run_id === meant)) return meant
  const none: ReadonlyArray<string> = []
  const found = yield* withStorageToRead(paths, Effect.succeed(none), withKernel(paths, {}, runsOf(base, rows)))
  const written = [name, `${loops}/${name}`].flatMap((one) => {
    const run = runIn(Path.join(exportDirectory(paths), `${one}.json`))
    return run !== null && found.includes(run) ? [run] : []
  })
  if (written[0] === undefined && found.length > 1 && name === base) {
    return yield* ambiguous(named, found, `may be any of ${found.length} runs of that second`)
  }
  return written[0] ?? found[Number(number) - 1] ?? named
})

/** The ids of runs that are named so, all of which are there. */
export const runsThere = Effect.fnUntraced(function* (
  named: ReadonlyArray<string>,
  rows: ReadonlyArray<RunOverview>,
  paths: ProjectPaths
) {
  const meant = yield* Effect.forEach(named, (run) => runNamed(run, rows, paths))
  const unknown = meant.find((run) => rows.every(({ run_id }) => run_id !== run))
  return unknown === undefined ? meant : yield* noRun(unknown, paths)
})

/** The runs of one name, the oldest first. */
const runsOf = Effect.fnUntraced(function* (base: string, rows: ReadonlyArray<RunOverview>) {
  const engine = yield* Engine
  const near = rows.toReversed().filter(({ started_at }) => base.endsWith(`_${secondOf(started_at)}`))
  const names = yield* Effect.forEach(near, ({ run_id, started_at }) =>
    Effect.map(engine.load(run_id), (snapshot) => ({ run_id, name: baseOf(stateOf(snapshot), started_at) }))
  )
  return names.flatMap(({ name, run_id }) => (name === base ? [run_id] : []))
})

const ambiguous = (named: string, runs: ReadonlyArray<string>, may: string) =>
  stop(exitCodes.usage, {
    code: "run_ambiguous",
    message: `${named} ${may}: ${runs.slice(0, 10).join(", ")}${runs.length > 10 ? ", …" : ""}.`,
    hint: "Name one of these ids."
  })
