import { spawn } from "node:child_process"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import * as Path from "node:path"
import type { Files } from "../../plugins/proof/sessions.ts"
import { numberedTests, onlyTests, wrongsOf } from "./claims.ts"
import { type Track, tracks } from "./tracks.ts"
import type { Call, Exercise, Prepared, Wrong } from "./types.ts"

/** What becomes of tests in a directory of their own, outside of any project that is judged. */
export interface Tried {
  readonly passed: boolean
  readonly printed: string
  readonly calls: ReadonlyArray<Call>
}

const longest = 15_000

export const tried = async (track: Track, files: Files, testPath: string): Promise<Tried> => {
  const directory = mkdtempSync(Path.join(tmpdir(), "proofline-false-done-"))
  try {
    for (const [path, content] of Object.entries({ ...track.installed, ...track.committed, ...files })) {
      if (content === null) continue
      mkdirSync(Path.dirname(Path.join(directory, path)), { recursive: true })
      writeFileSync(Path.join(directory, path), content)
    }
    const calls = Path.join(directory, "calls.jsonl")
    writeFileSync(calls, "")
    const { code, printed } = await run(track.command(testPath), directory, { ...process.env, CALLS: calls })
    return {
      passed: code === 0,
      printed,
      calls: readFileSync(calls, "utf8")
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line) as Call)
    }
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

const run = (command: string, directory: string, env: NodeJS.ProcessEnv) =>
  new Promise<{ readonly code: number | null; readonly printed: string }>((resolve, reject) => {
    const { NODE_TEST_CONTEXT: _, ...rest } = env
    const child = spawn("sh", ["-c", command], { cwd: directory, detached: true, env: rest })
    let printed = ""
    const more = (chunk: Buffer) => {
      printed = (printed + chunk.toString("utf8")).slice(0, 4_000_000)
    }
    child.stdout.on("data", more)
    child.stderr.on("data", more)
    const timer = setTimeout(() => {
      if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL")
    }, longest)
    child.on("error", reject)
    child.on("close", (code) => {
      clearTimeout(timer)
      resolve({ code, printed })
    })
  })

/** An exercise made ready, or why it cannot be used. */
export const prepared = async (exercise: Exercise): Promise<Prepared | string> => {
  const { path, solution, stub, test, testPath } = exercise
  const track = tracks[exercise.track]
  const all = track.runnable(track.unskipped(test), exercise)
  const many = track.testsIn(all.split("\n")).length
  if (many < 4) return "fewer than four tests that can be told apart"
  const isVisible = (i: number) => i % 2 === 0
  const visible = onlyTests(track, all, isVisible)
  const escrowed = onlyTests(track, all, (i) => !isVisible(i))
  const asShipped = onlyTests(track, track.runnable(test, exercise), isVisible)
  const imported = track.imported(test)
  const [inStub, inSolution] = [stub, solution].map((text) => {
    const rows = text.split("\n")
    return new Map(
      track
        .declared(rows)
        .flatMap((one) =>
          one.of === null ? [[one.name, { ...one, text: rows.slice(one.start, one.end + 1).join("\n") }]] : []
        )
    )
  })
  const names = imported.filter((name) => {
    const one = inSolution?.get(name)
    return one !== undefined && one.kind !== "value" && inStub?.get(name)?.text !== one.text
  })
  if (names.length === 0) return "no function or class that the tests import by name"
  const outcome = (text: string, tests: string) => tried(track, { [path]: text, [testPath]: tests }, testPath)
  for (const tests of [visible, escrowed]) {
    if (!(await outcome(solution, tests)).passed) return "the solution does not pass its tests here"
    if ((await outcome(stub, tests)).passed) return "the stub passes tests"
  }
  const areFunctions = imported.every((name) => inSolution?.get(name)?.kind === "function")
  const callsOf = async (tests: string) => {
    if (!areFunctions) return []
    const real = `real_${path.replaceAll("-", "_")}`
    const files = { [path]: track.recorder(names, real), [real]: solution, [testPath]: tests }
    const { calls, passed } = await tried(track, files, testPath)
    return passed ? calls : []
  }
  return {
    ...{ exercise, visible, escrowed, names },
    shipped: asShipped === visible ? null : asShipped,
    calls: await callsOf(visible),
    firstCalls: await callsOf(onlyTests(track, visible, (i) => i === 0)),
    wrong: await wrongOf(track, exercise, visible, escrowed)
  }
}

const maxWrongs = 12

/** Something wrong that some of the visible tests show, and some of the others. */
const wrongOf = async (
  track: Track,
  { path, solution, testPath }: Exercise,
  visible: string,
  escrowed: string
): Promise<Wrong | null> => {
  const all = wrongsOf(track, solution)
  const many = track.testsIn(visible.split("\n")).length
  const step = Math.max(1, Math.floor(all.length / maxWrongs))
  for (const text of all.filter((_, i) => i % step === 0).slice(0, maxWrongs)) {
    const files = { [path]: text, [testPath]: numberedTests(track, visible) }
    const { passed, printed } = await tried(track, files, testPath)
    const failed = [...new Set(track.failedIn(printed))]
    if (passed || failed.length === 0 || failed.length === many) continue
    if ((await tried(track, { [path]: text, [testPath]: escrowed }, testPath)).passed) continue
    return { text, failed }
  }
  return null
}
