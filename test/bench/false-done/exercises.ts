import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import * as Path from "node:path"
import { gunzipSync } from "node:zlib"
import type { Exercise, Half, TrackName } from "./types.ts"

/** Tasks of the same name are in the same half in every track. */
export const halfOf = (exercise: string): Half =>
  (createHash("sha256").update(`false-done${exercise}`).digest()[0] ?? 0) % 2 === 0 ? "dev" : "held-out"

interface Line {
  readonly track: string
  readonly exercise: string
  readonly kind: "stub" | "solution" | "test"
  readonly path: string
  readonly text: string
}

/** The exercises of a track, in an order that says nothing of what they are; other halves are not made. */
export const exercisesOf = (directory: string, track: TrackName, half: Half): ReadonlyArray<Exercise> => {
  const lines = gunzipSync(readFileSync(Path.join(directory, "cases.jsonl.gz")))
    .toString("utf8")
    .trim()
    .split("\n")
  const all = new Map<string, Map<Line["kind"], Line>>()
  for (const line of lines) {
    const one = JSON.parse(line) as Line
    if (one.track !== track || halfOf(one.exercise) !== half) continue
    const of = all.get(one.exercise) ?? new Map()
    all.set(one.exercise, of.set(one.kind, one))
  }
  return [...all]
    .flatMap(([name, of]): ReadonlyArray<Exercise> => {
      const [stub, solution, test] = [of.get("stub"), of.get("solution"), of.get("test")]
      if (stub === undefined || solution === undefined || test === undefined) return []
      const path = Path.posix.basename(solution.path)
      const testPath = Path.posix.basename(test.path)
      return [{ track, name, path, testPath, stub: stub.text, solution: solution.text, test: test.text }]
    })
    .map((one) => ({ one, key: createHash("sha256").update(`order ${one.track} ${one.name}`).digest("hex") }))
    .toSorted((a, b) => (a.key < b.key ? -1 : 1))
    .map(({ one }) => one)
}
