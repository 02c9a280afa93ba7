/**
 * What becomes of labelled claims that something is done: true and false ones are made of exercises with stubs, solutions
 * and tests, and judged by the rules with real parts.
 */
import { writeFileSync } from "node:fs"
import { parseArgs } from "node:util"
import { claimsOf } from "./claims.ts"
import { exercisesOf } from "./exercises.ts"
import { type Judged, judged } from "./judge.ts"
import { rowsOf, tableOf } from "./report.ts"
import { tracks } from "./tracks.ts"
import type { Half, TrackName } from "./types.ts"
import { prepared } from "./workshop.ts"

const usage = `usage: npm run bench:false-done -- --data DIR [options]

  --data DIR         where cases.jsonl.gz is: lines {track, exercise, kind: "stub" | "solution" | "test", path, text}
  --half WHICH       dev or held-out (dev)
  --tasks N          tasks that are used, the same number of each track (20)
  --track a,b        only these of ${Object.keys(tracks).join(", ")}
  --json FILE        all of it as one JSON document, too
  --wrong            tell every false claim that was taken for done, and every true one that was not (never of held-out)

It needs python3 for the tasks in Python.
`

const print = (line: string): void => {
  process.stdout.write(`${line}\n`)
}

const fail = (sentence: string): number => {
  process.stderr.write(`${sentence}\n\n${usage}`)
  return 2
}

const main = async (): Promise<number> => {
  const { values } = parseArgs({
    options: {
      data: { type: "string" },
      half: { type: "string", default: "dev" },
      tasks: { type: "string", default: "20" },
      track: { type: "string", default: Object.keys(tracks).join(",") },
      json: { type: "string" },
      wrong: { type: "boolean", default: false },
      help: { type: "boolean", default: false }
    },
    allowPositionals: true
  })
  if (values.help) {
    process.stdout.write(usage)
    return 0
  }
  const { data } = values
  const half = values.half as Half
  const many = Number(values.tasks)
  const chosen = values.track.split(",") as ReadonlyArray<TrackName>
  const unknown = chosen.find((name) => !Object.hasOwn(tracks, name))
  if (data === undefined) return fail("--data says where the exercises are.")
  if (half !== "dev" && half !== "held-out") return fail(`--half is dev or held-out, not ${values.half}.`)
  if (!Number.isInteger(many) || many < 1) return fail(`--tasks is a count, not ${values.tasks}.`)
  if (unknown !== undefined) return fail(`There is no track ${unknown}.`)

  const started = performance.now()
  const unusable = new Map<string, number>()
  const notMade = new Map<string, number>()
  const used: Array<string> = []
  const all: Array<Judged> = []
  const count = (counts: Map<string, number>, key: string) => counts.set(key, (counts.get(key) ?? 0) + 1)

  const ofTrack = async (name: TrackName): Promise<void> => {
    let left = Math.ceil(many / chosen.length)
    for (const exercise of exercisesOf(data, name, half)) {
      if (left === 0) return
      const task = await prepared(exercise)
      if (typeof task === "string") {
        count(unusable, `${name}: ${task}`)
        continue
      }
      left--
      used.push(`${name}/${exercise.name}`)
      for (const claim of claimsOf(task)) {
        const one = await judged(task, claim)
        if (one === null) count(notMade, claim.kind)
        else all.push(one)
      }
      process.stderr.write(`${name}: ${left} tasks left\n`)
    }
  }
  await Promise.all(chosen.map(ofTrack))

  const rows = rowsOf(all)
  const seconds = Math.round((performance.now() - started) / 1_000)
  print(`${half}: ${used.length} tasks (${chosen.join(", ")}), ${all.length} claims, ${seconds} s`)
  for (const [reason, times] of unusable) print(`cannot be used: ${times} × ${reason}`)
  for (const [kind, times] of notMade) print(`turned out to be something else: ${times} × ${kind}`)
  for (const line of tableOf(rows)) print(line)
  for (const [reason, times] of reasonsOf(all)) print(`  ${reason} ${times}`)
  // whoever changes rules must not see the other half
  if (values.wrong && half === "dev") for (const line of all.flatMap(wrongOf)) print(line)
  if (values.json !== undefined) {
    const counts = { unusable: Object.fromEntries(unusable), not_made: Object.fromEntries(notMade) }
    const shown = half === "dev" ? all : all.map(({ said: _, ...one }) => one)
    writeFileSync(
      values.json,
      `${JSON.stringify({ half, tasks: used, ...counts, seconds, rows, claims: shown }, null, 2)}\n`
    )
  }
  return 0
}

/** Why false claims were not taken for done. */
const reasonsOf = (all: ReadonlyArray<Judged>): ReadonlyArray<readonly [string, number]> => {
  const counts = new Map<string, number>()
  for (const { isTrue, reasons } of all) {
    const [first] = reasons.filter((reason) => reason !== "payload_mismatch")
    if (first !== undefined)
      counts.set(
        `${isTrue ? "true" : "false"}: ${first}`,
        (counts.get(`${isTrue ? "true" : "false"}: ${first}`) ?? 0) + 1
      )
  }
  return [...counts].toSorted((a, b) => b[1] - a[1])
}

const wrongOf = ({ exercise, isTrue, kind, outcomes, reasons, said, track }: Judged): ReadonlyArray<string> => {
  const rules = outcomes["+ base, clean room, census, ablation"]
  return (rules === "done") === isTrue
    ? []
    : [`--- ${track}/${exercise} ${kind}: ${rules} ${reasons.join(", ")}`, ...said.map((words) => `    ${words}`)]
}

process.exitCode = await main()
