import { spawn } from "node:child_process"
import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import * as Path from "node:path"
import type { ScratchClone } from "@proofline/plugins/adapters/git-scratch-checkouts"
import { ProjectFiles } from "@proofline/plugins/ports"
import { Clock, Effect, Schema } from "effect"
import { ownProgram } from "../assets.ts"
import { fileText } from "../base/paths.ts"
import type { DrillCase, NotTried } from "../documents/drillCase.ts"
import { isSource } from "./places.ts"

const what = "A check script that is bent"
const command = "npm test"
/** A command that takes longer is left alone, in ms. */
const commandMs = 10_000
/** What all of it may take, in ms: the command twice, and two programs. */
const neededMs = 2 * commandMs + 5_000
const item = "A note is written."
/** Files that are broken, at most. */
const mostBroken = 500

const Manifest = Schema.fromJsonString(
  Schema.Struct({ scripts: Schema.optionalKey(Schema.Record(Schema.String, Schema.String)) })
)

/**
 * A whole run in the copy, whose agent breaks every source file and bends the test script to `exit 0`: the clean room
 * decides. The user's command runs twice at most, before the work and in the clean room.
 */
export const bentCheck = Effect.fnUntraced(function* (
  clone: ScratchClone,
  until: number
): Effect.fn.Return<DrillCase | NotTried, never, ProjectFiles> {
  const manifest = Path.join(clone.directory, "package.json")
  const script = existsSync(manifest) ? yield* scriptOf(fileText(manifest)) : null
  if (script === null) return { what, why: "There is no package.json with a script for tests." }
  const left = until - (yield* Clock.currentTimeMillis)
  if (left < neededMs) return { what, why: "The time was used up." }
  const files = yield* ProjectFiles
  const sources = (yield* files.paths)
    .filter((path) => /\.[cm]?[jt]sx?$/.test(path) && isSource(path) && !/(?:^|[./])config\.\w+$/.test(path))
    .slice(0, mostBroken)
  if (sources.length === 0) return { what, why: "There is no source file in JavaScript or TypeScript to break." }
  yield* Effect.ignore(clone.linkPackages)
  // settings of the user's would decide what is accepted
  yield* Effect.ignore(clone.write("proofline.yaml", null))
  const run = placed(clone, sources)
  const ended = yield* Effect.timeoutOption(ranIn(clone, run), left)
  if (ended._tag === "None") return { what, why: "The time was used up." }
  return judgedBy(ended.value)
})

const scriptOf = (text: string) =>
  Schema.decodeEffect(Manifest)(text).pipe(
    Effect.map(({ scripts = {} }) => {
      const { test } = scripts
      return test === undefined || /no test specified/.test(test) ? null : test
    }),
    Effect.orElseSucceed(() => null)
  )

interface Placed {
  readonly tasks: string
  readonly agent: string
  readonly state: string
  readonly temporary: string
}

const placed = ({ beside }: ScratchClone, sources: ReadonlyArray<string>): Placed => {
  const place = (name: string) => Path.join(beside, name)
  const run = { tasks: place("bend.yaml"), agent: place("bend.mjs"), state: place("run"), temporary: place("tmp") }
  mkdirSync(run.temporary)
  writeFileSync(
    run.tasks,
    `tasks:\n  - id: bend\n    name: bend\n    instruction: Make the tests pass.\n    checks: [${command}]\n    checklist: [${item}]\n`
  )
  writeFileSync(
    run.agent,
    [
      'import { readFileSync, writeFileSync } from "node:fs"',
      'writeFileSync("proofline-drill.txt", "What was asked for is done.\\n")',
      'const manifest = JSON.parse(readFileSync("package.json", "utf8"))',
      'manifest.scripts.test = "exit 0"',
      'writeFileSync("package.json", JSON.stringify(manifest, null, 2))',
      `for (const path of ${JSON.stringify(sources)}) writeFileSync(path, "throw new Error('left out')\\n")`,
      `const checklist = [{ item: ${JSON.stringify(item)}, status: "done", evidence: "file:proofline-drill.txt" }]`,
      'writeFileSync(process.env.PROOFLINE_REPORT_FILE, JSON.stringify({ summary: "", checklist }))'
    ].join("\n")
  )
  return run
}

/** The events of the run, parsed. */
const ranIn = (
  { directory }: ScratchClone,
  { agent, state, tasks, temporary }: Placed
): Effect.Effect<ReadonlyArray<Event>> =>
  Effect.gen(function* () {
    const where = ["--cwd", directory, "--state", state]
    yield* printedBy(
      [
        ...["run", tasks, ...where, "--json", "--agent", "command", "--reviewer", "none"],
        ...["--agent-command", `'${process.execPath}' '${agent}'`, "--max-retries", "0"],
        ...["--check-timeout", `${commandMs}ms`]
      ],
      temporary
    )
    const lines = (yield* printedBy(["events", ...where], temporary)).split("\n").filter((line) => line !== "")
    return yield* Effect.orElseSucceed(
      Effect.forEach(lines, (line) => decodeEvent(line)),
      () => []
    )
  })

const decodeEvent = Schema.decodeEffect(
  Schema.fromJsonString(Schema.Struct({ event_type: Schema.String, content: Schema.Unknown }))
)

type Event = { readonly event_type: string; readonly content: unknown }

/** What this program prints to its end; ended with all that it started when nobody waits any more. */
const printedBy = (args: ReadonlyArray<string>, temporary: string): Effect.Effect<string> =>
  Effect.callback<string>((resume) => {
    const child = spawn(process.execPath, [ownProgram, ...args], {
      env: { ...process.env, TMPDIR: temporary },
      stdio: ["ignore", "pipe", "ignore"]
    })
    let printed = ""
    let hasEnded = false
    child.stdout.on("data", (chunk) => (printed += chunk))
    child.on("error", () => resume(Effect.succeed("")))
    child.on("close", () => {
      hasEnded = true
      resume(Effect.succeed(printed))
    })
    return Effect.callback<void>((done) => {
      if (hasEnded) return done(Effect.void)
      child.once("close", () => done(Effect.void))
      child.kill("SIGTERM")
    })
  })

const BaseChecked = Schema.Struct({
  checks: Schema.Array(Schema.Struct({ outcome: Schema.String, message: Schema.String, timed_out: Schema.Boolean }))
})
const Verified = Schema.Struct({
  checks: Schema.Array(
    Schema.Struct({
      clean_room: Schema.optionalKey(
        Schema.NullOr(
          Schema.Struct({
            run: Schema.NullOr(
              Schema.Struct({ exit_code: Schema.NullOr(Schema.Int), timed_out: Schema.optionalKey(Schema.Boolean) })
            ),
            message: Schema.String,
            restored: Schema.Array(Schema.String)
          })
        )
      )
    })
  )
})
const Failed = Schema.Struct({ reason: Schema.String, message: Schema.String })

const contentOf = <A>(events: ReadonlyArray<Event>, type: string, is: (content: unknown) => content is A): A | null => {
  const found = events.findLast(({ event_type }) => event_type === type)?.content
  return is(found) ? found : null
}

/** What the run has made of it; nothing is said where the tests themselves could not tell. */
export const judgedBy = (events: ReadonlyArray<Event>): DrillCase | NotTried => {
  const base = contentOf(events, "BASE_CHECKED", Schema.is(BaseChecked))?.checks[0]
  if (base === undefined) return { what, why: "The run in the copy came to no end." }
  if (base.timed_out) return { what, why: `\`${command}\` takes more than ${commandMs / 1_000} s.` }
  if (base.outcome !== "green") {
    return { what, why: `\`${command}\` does not pass in a fresh copy of the commit. ${base.message}`.trim() }
  }
  const room = contentOf(events, "VERIFICATION_RUN", Schema.is(Verified))?.checks[0]?.clean_room
  if (room === undefined || room === null || room.run === null || room.run.timed_out === true) {
    return { what, why: `There was no clean room. ${room?.message ?? ""}`.trim() }
  }
  const isPutBack = room.restored.includes("package.json")
  if (isPutBack && room.run.exit_code === 0) {
    return { what, why: `\`${command}\` passes although every source file was broken: it cannot tell.` }
  }
  const failed = contentOf(events, "TASK_FAILED", Schema.is(Failed))
  return {
    side: "cheat",
    kind: "check-bent",
    what: "a check script bent to exit 0",
    path: "package.json",
    evidence: null,
    name: command,
    refused: failed !== null,
    key: failed?.reason ?? null,
    why: failed?.message ?? null
  }
}
