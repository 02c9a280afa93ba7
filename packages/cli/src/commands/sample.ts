import { readFileSync, rmSync, writeFileSync } from "node:fs"
import { isFull } from "@proofline/plugins/log"
import { Effect } from "effect"
import { asset } from "../assets.ts"
import type { sampleKinds } from "../base/choices.ts"
import { pathsOf, placeNamed } from "../base/paths.ts"
import { exitCodes, type Stop, stop } from "../base/problems.ts"
import { freeSpace } from "../base/writeWhole.ts"
import { fittedTasks } from "../detected/fittedTasks.ts"
import { projectAt } from "../detected/projectAt.ts"
import { testCommandsOf } from "../detected/testCommands.ts"
import { print, say } from "../process/output.ts"

/** A requirements.yaml to begin with, as text; it is valid. */
export const sampleRequirements = (): string => readFileSync(asset("templates", "requirements.yaml"), "utf8")

/** A tasks.yaml to begin with, as text; it is valid, and fits the project. */
export const sampleTasks = (root: string): string => {
  const project = projectAt(root)
  return fittedTasks(readFileSync(asset("templates", "tasks.yaml"), "utf8"), project, testCommandsOf(project))
}

const samples = { requirements: sampleRequirements, tasks: sampleTasks }

/** `proofline sample <kind>`: an example with comments, on stdout or as a new file. */
export const sample = Effect.fnUntraced(function* (options: {
  readonly kind: (typeof sampleKinds)[number]
  /** Where `out` is looked for; the current directory when left out. */
  readonly cwd?: string | undefined
  readonly out?: string | undefined
}) {
  const text = samples[options.kind](pathsOf(options).root)
  if (options.out === undefined) yield* print(text)
  else {
    yield* writeNew(placeNamed(options.out, pathsOf(options)), text)
    yield* say(`Wrote ${options.out}.`)
  }
  return exitCodes.proven
})

/** What exists is never touched, not even by two at the same time. */
const writeNew = (file: string, text: string): Effect.Effect<void, Stop> =>
  Effect.try({
    try: () => {
      try {
        writeFileSync(file, text, { flag: "wx" })
      } catch (cause) {
        // what was begun of it
        if ((cause as NodeJS.ErrnoException).code !== "EEXIST") rmSync(file, { force: true })
        throw cause
      }
    },
    catch: (cause) => {
      const { code, message } = cause as NodeJS.ErrnoException
      return code === "EEXIST"
        ? stop(exitCodes.usage, {
            code: "out_exists",
            message: `${file} exists already, and nothing was written.`,
            hint: "Name another file with --out, or leave --out out and take what you need."
          })
        : stop(exitCodes.usage, {
            code: "out_unwritable",
            message: `${file} cannot be written: ${message}.`,
            hint: isFull(cause) ? freeSpace : "Name a file in a directory that exists and can be written."
          })
    }
  })
