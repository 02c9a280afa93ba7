import {
  type Base,
  type BaseCheck,
  baseCheckOf,
  Digest,
  type KernelState,
  RecordBaseChecks,
  type RestsOn,
  tasksOf,
  userCommands
} from "@proofline/kernel"
import { Effect, Schema } from "effect"
import { Baseline, ScratchProjects } from "../../../../port/index.ts"
import { shellWords } from "../../../../text/shell.ts"
import { countedRun, running } from "../../commandRun.ts"
import { Execution } from "../../state.ts"
import { executedBy } from "../executed.ts"
import { foldersOf, namedBy, namedIn, scriptIn } from "../named.ts"
import { atBase, notRun, outcomeOf } from "../outcomes.ts"

/** Runs the user's commands once on the project as it was before the run, each in a directory of its own. */
export const makeBaseChecks = Effect.gen(function* () {
  const services = yield* running
  const projects = yield* ScratchProjects
  const restsOn = yield* makeRestsOn

  const checkAt = Effect.fnUntraced(function* (state: KernelState, base: Base, command: string) {
    const rests_on = yield* restsOn(base, command, state.run.root)
    if (command.includes(state.run.root)) return notRun(command, rests_on, atBase.namesProject)
    const ran = yield* Effect.scoped(
      Effect.flatMap(projects.make({ at: base }), ({ directory }) =>
        countedRun(services, {
          command,
          directory,
          root: directory,
          env: baseEnvironment(state, command),
          timeout_ms: state.run.config.check_timeout_ms,
          reports: state.run.config.proof?.test_reports ?? []
        })
      )
    ).pipe(Effect.catchTag("CheckoutRefused", ({ message }) => Effect.succeed(message)))
    if (typeof ran === "string") return notRun(command, rests_on, ran)
    return {
      command,
      ...outcomeOf(ran, ran.output_tail),
      ...ran,
      rests_on
    } satisfies BaseCheck
  })

  return Execution.activity("base_checks", {
    input: Schema.Struct({}),
    run: Effect.fnUntraced(function* (_, { state }) {
      const { base } = state.run
      if (base === null) return null
      const unknown = userCommands(state).filter((command) => baseCheckOf(state, command) === undefined)
      const checks = yield* Effect.forEach(unknown, (command) => checkAt(state, base, command))
      return RecordBaseChecks({ checks })
    })
  })
})

/** The first task that has the command stands for all of them. */
const baseEnvironment = (state: KernelState, command: string): Readonly<Record<string, string>> => {
  const task = tasksOf(state).find(
    ({ spec }) => spec.checks.includes(command) || spec.checklist.some(({ check }) => check === command)
  )
  return {
    PROOFLINE_RUN_ID: state.run.run_id,
    PROOFLINE_TASK_ID: task?.spec.id ?? "",
    PROOFLINE_ATTEMPT: "0"
  }
}

/**
 * What a command rests on and what was there at the base: the scripts, tests and build files that it runs, with what
 * they are given. What a program only looks at, as `grep` does, is the work and not the check.
 */
const makeRestsOn = Effect.gen(function* () {
  const baseline = yield* Baseline
  const { sha256 } = yield* Digest

  const fileAt = Effect.fnUntraced(function* (base: Base, path: string) {
    const before = yield* baseline.before(base, path)
    if (before._tag === "text") return [{ path, sha256: sha256(before.text) }]
    return before._tag === "other" && before.sha256 !== null ? [{ path, sha256: before.sha256 }] : []
  })

  return Effect.fnUntraced(function* (base: Base, command: string, root: string) {
    const scripts: Array<RestsOn> = []
    const paths = new Set(runPathsOf(command, root))
    for (const { path, script } of namedBy(command, root).scripts) {
      const before = yield* baseline.before(base, path)
      const text = before._tag === "text" ? scriptIn(before.text, script) : null
      if (text === null) continue
      scripts.push({ path, script, sha256: sha256(text) })
      const folder = path.split("/").slice(0, -1).join("/")
      // one level: what the scripts of the script name is not looked for
      for (const name of runPathsOf(folder === "" ? text : `cd ${folder} && ${text}`, root)) paths.add(name)
    }
    const files = yield* Effect.forEach(paths, (path) => fileAt(base, path))
    return [...scripts, ...files.flat()] satisfies ReadonlyArray<RestsOn>
  })
})

/** Paths that stand in the parts of a command that run something of the project. */
const runPathsOf = (command: string, root: string): ReadonlyArray<string> => {
  const words = shellWords(command)
  const folders = foldersOf(words)
  // a quoted command, such as that of `sh -c`, is one too
  return [command, ...words.filter((word) => /\s/.test(word))].flatMap((text) =>
    executedBy(text, root).flatMap(({ end, start }) => namedIn(shellWords(text.slice(start, end)), folders, root).paths)
  )
}
