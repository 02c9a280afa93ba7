/**
 * What other rules make of claims whose truth is known: `npm run bench:backtest`. Runs the sessions of `bench:proof`, with --data
 * claims of `bench:false-done` too, keeps their logs as one, and asks `proofline backtest` of it.
 */
import { spawnSync } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import * as Path from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { type ChangedDecision, EventLog, type Recorded, scoresOf, type Truth, WeakReason } from "@proofline/kernel"
import { layer as digest } from "@proofline/plugins/adapters/node-digest"
import { layer as sqliteLog } from "@proofline/plugins/adapters/sqlite-log"
import { Effect, Layer } from "effect"
import { general } from "../plugins/proof/cheats/general.ts"
import { ofLanguages } from "../plugins/proof/cheats/ofLanguages.ts"
import { honest } from "../plugins/proof/honest.ts"
import { placed, runOf } from "../plugins/proof/sessions.ts"
import { claimsOf } from "./false-done/claims.ts"
import { exercisesOf } from "./false-done/exercises.ts"
import { isAsItsKindSays, sessionsOf } from "./false-done/judge.ts"
import { tracks } from "./false-done/tracks.ts"
import type { TrackName } from "./false-done/types.ts"
import { prepared } from "./false-done/workshop.ts"

const usage = `usage: npm run bench:backtest -- [options]

  --data DIR         where cases.jsonl.gz is, as for bench:false-done; its claims are tried too
  --tasks N          tasks of it that are used (6)
  --keep DIR         keep the log there: an empty project directory
`

const launcher = fileURLToPath(new URL("../../packages/cli/bin/proofline.cjs", import.meta.url))

const print = (line: string): void => {
  process.stdout.write(`${line}\n`)
}

/** What is known of a claim, by run and task; of an item where one stands there. */
type Labels = Map<string, boolean>
const labelOf = (run: string, task: string, item?: number): string =>
  JSON.stringify([run, task, ...(item === undefined ? [] : [item])])

type Refused = Pick<ChangedDecision, "item_index" | "run_id" | "task_id">

const main = Effect.gen(function* () {
  const { values } = parseArgs({
    options: {
      data: { type: "string" },
      tasks: { type: "string", default: "6" },
      keep: { type: "string" },
      help: { type: "boolean", default: false }
    }
  })
  if (values.help) return print(usage)
  const project = values.keep ?? mkdtempSync(Path.join(tmpdir(), "proofline-backtest-"))
  const state = Path.join(project, ".proofline", "state")
  mkdirSync(Path.join(state, "blobs"), { recursive: true })
  const labels: Labels = new Map()
  const recorded = new Map<string, "accepted" | "refused">()

  yield* Effect.gen(function* () {
    const log = yield* EventLog
    const keep = (run: string) => (events: ReadonlyArray<Recorded>, blobs: string) =>
      Effect.gen(function* () {
        yield* log.adopt(run, 0, events)
        cpSync(blobs, Path.join(state, "blobs"), { recursive: true })
        for (const [key, outcome] of outcomesIn(run, events)) recorded.set(key, outcome)
      }).pipe(Effect.orDie)
    const ran = (run: string, sessions: Parameters<typeof runOf>[0]) => runOf(sessions, { run, keep: keep(run) })

    for (const [i, session] of honest.entries()) {
      const { sessions } = yield* ran(`run_honest_${i}`, [session])
      for (const { items, root } of sessions)
        for (const at of items.keys()) labels.set(labelOf(`run_honest_${i}`, root, at), true)
      labels.set(labelOf(`run_honest_${i}`, "task_1"), true)
    }
    for (const [i, { items, language: _, twin: __, ...session }] of ofLanguages.entries()) {
      yield* ran(`run_cheat_${i}`, [{ ...session, items: items.map(([item, shown]) => [item, shown] as const) }])
      for (const at of items.keys()) labels.set(labelOf(`run_cheat_${i}`, "task_1", at), false)
      labels.set(labelOf(`run_cheat_${i}`, "task_1"), false)
    }
    yield* ran(
      "run_general",
      general.map((cheat, i) => placed(`p${i}`, cheat))
    )
    // of a cheat in several steps not every one is false
    for (const [i, { later }] of general.entries())
      if (later === undefined) labels.set(labelOf("run_general", `task_${i + 1}`), false)
    if (values.data !== undefined) yield* exercised(values.data, Number(values.tasks), ran, labels)
  }).pipe(
    Effect.provide(Layer.provideMerge(sqliteLog({ file: Path.join(state, "proofline.db"), summarizers: [] }), digest)),
    Effect.scoped
  )

  const truths = [...labels.values()]
  print(
    `${labels.size} labelled claims: ${truths.filter((one) => one).length} true, ${truths.filter((one) => !one).length} false`
  )
  print("")
  print(
    "| rules | false items let through | true items let through | false attempts let through | precision | recall |"
  )
  print("|---|---|---|---|---|---|")
  print(rowOf("ours", [], labels, recorded))
  const all = WeakReason.literals.join(",")
  const policies: ReadonlyArray<readonly [name: string, ...args: ReadonlyArray<string>]> = [
    ["`evidence-regex`", "--policy", "evidence-regex"],
    ["`evidence-regex`, all reasons accepted", "--policy", "evidence-regex", "--accept", all],
    ["all reasons accepted", "--accept", all],
    ...WeakReason.literals.map((reason) => [`without \`${reason}\``, "--accept", reason] as const)
  ]
  for (const [name, ...args] of policies) {
    const { status, stderr, stdout } = spawnSync(
      process.execPath,
      [launcher, "backtest", ...args, "--cwd", project, "--json"],
      {
        encoding: "utf8",
        maxBuffer: 1 << 30
      }
    )
    if (status !== 0 && status !== 1) throw new Error(stderr)
    const { changed, not_judgeable } = JSON.parse(stdout).data
    print(rowOf(`${name}${not_judgeable === 0 ? "" : ` (${not_judgeable} not judgeable)`}`, changed, labels, recorded))
  }
  if (values.keep === undefined) rmSync(project, { recursive: true, force: true })
})

/** Claims of exercises, each with the visible tests as its check. */
const exercised = Effect.fnUntraced(function* (
  data: string,
  many: number,
  ran: (run: string, sessions: Parameters<typeof runOf>[0]) => ReturnType<typeof runOf>,
  labels: Labels
) {
  const names = Object.keys(tracks) as ReadonlyArray<TrackName>
  for (const name of names) {
    let left = Math.ceil(many / names.length)
    for (const exercise of exercisesOf(data, name, "dev")) {
      if (left === 0) break
      const task = yield* Effect.promise(() => prepared(exercise))
      if (typeof task === "string") continue
      left--
      for (const [i, claim] of claimsOf(task).entries()) {
        const { is } = yield* Effect.promise(() => isAsItsKindSays(task, claim))
        if (!is) continue
        const run = `run_${name}_${exercise.name}_${i}`
        yield* ran(run, [sessionsOf(task, claim).checked])
        labels.set(labelOf(run, "task_1"), claim.isTrue)
      }
      process.stderr.write(`${name}: ${left} tasks left\n`)
    }
  }
})

/** How items and attempts were decided; an attempt as its task ended. */
const outcomesIn = (run: string, events: ReadonlyArray<Recorded>): ReadonlyMap<string, "accepted" | "refused"> => {
  const found = new Map<string, "accepted" | "refused">()
  for (const { content, event_type } of events) {
    const { index, task_id } = content as { readonly index?: number | null; readonly task_id: string }
    if (event_type === "CHECKLIST_ITEM_ACCEPTED") found.set(labelOf(run, task_id, index as number), "accepted")
    if (event_type === "CHECKLIST_ITEM_REJECTED" && index != null) found.set(labelOf(run, task_id, index), "refused")
    if (event_type === "TASK_COMPLETED") found.set(labelOf(run, task_id), "accepted")
    if (event_type === "TASK_FAILED") found.set(labelOf(run, task_id), "refused")
  }
  return found
}

const keyOf = ({ item_index, run_id, task_id }: Refused): string =>
  item_index === null ? labelOf(run_id, task_id) : labelOf(run_id, task_id, item_index)

const rowOf = (
  name: string,
  changed: ReadonlyArray<ChangedDecision>,
  labels: Labels,
  recorded: ReadonlyMap<string, "accepted" | "refused">
): string => {
  const changes = new Map(changed.map((one) => [keyOf(one), one.policy.outcome]))
  const judged = [...labels].flatMap(([key, isTrue]) => {
    const was = recorded.get(key)
    if (was === undefined) return []
    const truth: Truth = isTrue ? "held" : "did_not_hold"
    const isItem = (JSON.parse(key) as ReadonlyArray<unknown>).length === 3
    return [{ isItem, isTrue, truth, recorded: { outcome: was }, policy: { outcome: changes.get(key) ?? was } }]
  })
  const through = (isItem: boolean, isTrue: boolean): string => {
    const all = judged.filter((one) => one.isItem === isItem && one.isTrue === isTrue)
    return `${all.filter(({ policy }) => policy.outcome !== "refused").length} of ${all.length}`
  }
  const { precision, recall } = scoresOf(judged.filter(({ isItem }) => isItem)).policy
  const percent = (rate: number | null): string => (rate === null ? "-" : `${(rate * 100).toFixed(1)} %`)
  return `| ${name} | ${through(true, false)} | ${through(true, true)} | ${through(false, false)} | ${percent(precision)} | ${percent(recall)} |`
}

await Effect.runPromise(main)
