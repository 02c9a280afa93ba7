import {
  type AblationRun,
  type Base,
  type BaseCheck,
  baseCheckOf,
  type CheckRun,
  Digest,
  fileUses,
  type HasRun,
  type HasTasks,
  hasPassed,
  isNamed,
  type KernelState,
  type LogUnavailable,
  RecordBaseChecks,
  type RestsOn,
  type ScratchRun,
  tasksOf,
  userCommands
} from "@proofline/kernel"
import { Effect, Schema } from "effect"
import {
  Baseline,
  BlobStore,
  CommandRunner,
  ProjectFiles,
  type ProjectReader,
  type ScratchCheckout,
  ScratchProjects
} from "../../../port/index.ts"
import { shellWords } from "../../../text/shell.ts"
import { isTestFile, namedFiles } from "../../evidence/contract.ts"
import { tailOf } from "../commandRun.ts"
import { Execution } from "../state.ts"
import { type Executed, executedBy, runsTests, withoutParts } from "./executed.ts"
import { foldersOf, namedBy, namedIn, scriptIn, withScript } from "./named.ts"
import { asWritten, atBase, notRun, outcomeOf } from "./outcomes.ts"

/** Runs the user's commands once on the project as it was before the run, each in a directory of its own. */
export const makeBaseChecks = Effect.gen(function* () {
  const commands = yield* CommandRunner
  const blobs = yield* BlobStore
  const projects = yield* ScratchProjects
  const restsOn = yield* makeRestsOn

  const checkAt = Effect.fnUntraced(function* (state: KernelState, base: Base, command: string) {
    const rests_on = yield* restsOn(base, command, state.run.root)
    if (command.includes(state.run.root)) return notRun(command, rests_on, atBase.namesProject)
    const ran = yield* Effect.scoped(
      Effect.flatMap(projects.make({ at: base }), ({ directory }) =>
        commands.run({
          command,
          directory,
          env: baseEnvironment(state, command),
          timeout_ms: state.run.config.check_timeout_ms
        })
      )
    ).pipe(Effect.catchTag("CheckoutRefused", ({ message }) => Effect.succeed(message)))
    if (typeof ran === "string") return notRun(command, rests_on, ran)
    const { output, ...result } = ran
    return {
      command,
      ...outcomeOf(result, tailOf(output)),
      ...result,
      output: output.length > 0 ? yield* blobs.put(output) : null,
      output_tail: tailOf(output),
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

/** Whether the user names a file as a place of the work that a command checks: then it is the work, not the check. */
export const isWorkOf = (state: HasTasks, command: string): ((path: string) => boolean) => {
  const places = tasksOf(state)
    .map(({ spec }) => spec)
    .filter(
      ({ checklist, checks, commands_by }) =>
        commands_by !== "agent" && (checks.includes(command) || checklist.some(({ check }) => check === command))
    )
    .flatMap(({ checklist, instruction }) => [
      ...[...fileUses(instruction)].flatMap(([path, use]) => (use === "written" ? [path] : [])),
      ...checklist.flatMap(({ item }) => namedFiles(item).map(({ name }) => name))
    ])
  return (path) => places.some((name) => isNamed(path, name))
}

/** A command of the user. */
export interface PassedCommand {
  readonly state: HasRun & HasTasks
  readonly env: Readonly<Record<string, string>>
  /** Where the work was done; undefined: in the project. */
  readonly directory?: string | undefined
  /** Evidence shows some of the work too: that the command failed before it is enough. */
  readonly isShownElse: boolean
}

/**
 * What a command that has passed shows: whether what it rests on is still what the user wrote, and, where nothing else
 * shows the work, whether it passes in a copy of the project too, as it failed in one before, and without tests and
 * scripts that were written since.
 */
export const makeSecondLook = Effect.gen(function* () {
  const commands = yield* CommandRunner
  const blobs = yield* BlobStore
  const projects = yield* ScratchProjects
  const baseline = yield* Baseline
  const projectFiles = yield* ProjectFiles
  const { sha256 } = yield* Digest

  const filesOf = (directory: string | undefined): ProjectReader =>
    directory === undefined ? projectFiles : projectFiles.at(directory)

  /** Whether something is not what it was. What cannot be read is not. */
  const isChanged = (files: ProjectReader, { path, script, sha256: before }: RestsOn): Effect.Effect<boolean> =>
    files.readText(path).pipe(
      Effect.map(({ text }) => {
        const now = script === undefined ? text : scriptIn(text, script)
        return now === null || sha256(now) !== before
      }),
      Effect.orElseSucceed(() => true)
    )

  /** Makes what has changed in a copy of the project what it was. */
  const putBack = Effect.fnUntraced(function* (base: Base, changed: ReadonlyArray<RestsOn>, copy: ScratchCheckout) {
    const files = projectFiles.at(copy.directory)
    const whole = changed.flatMap(({ path, script }) => (script === undefined ? [path] : []))
    yield* baseline.restore(base, copy.directory, whole)
    for (const { path, script } of changed) {
      if (script === undefined || whole.includes(path)) continue
      const before = yield* baseline.before(base, path)
      const now = yield* Effect.option(files.readText(path))
      const text =
        before._tag === "text" && now._tag === "Some" ? withScript(now.value.text, before.text, script) : null
      if (text === null) yield* baseline.restore(base, copy.directory, [path])
      else yield* copy.write(path, text)
    }
  })

  const runIn = Effect.fnUntraced(function* (
    { directory, env, state }: PassedCommand,
    command: string,
    prepare: (copy: ScratchCheckout) => Effect.Effect<void, { readonly message: string }>,
    at: Base | "now" = "now"
  ): Effect.fn.Return<ScratchRun, LogUnavailable> {
    const ran = yield* Effect.scoped(
      Effect.gen(function* () {
        const copy = yield* projects.make(directory === undefined || at !== "now" ? { at } : { at, root: directory })
        yield* prepare(copy)
        return yield* commands.run({
          command,
          directory: copy.directory,
          env,
          timeout_ms: state.run.config.check_timeout_ms
        })
      })
    ).pipe(Effect.catch(({ message }) => Effect.succeed(message)))
    if (typeof ran === "string") return { run: null, message: ran }
    const { duration_ms, exit_code, output, timed_out } = ran
    const run: AblationRun = {
      exit_code,
      timed_out,
      duration_ms,
      output: output.length > 0 ? yield* blobs.put(output) : null
    }
    return { run, message: outcomeOf(ran, tailOf(output)).outcome === "green" ? "" : asWritten(run) }
  })

  /** Which of these are there now and were not there before the run; and whether some were there before. */
  const newOf = Effect.fnUntraced(function* (base: Base, files: ProjectReader, paths: ReadonlyArray<string>) {
    const found = { fresh: [] as Array<string>, isOld: false }
    for (const path of new Set(paths)) {
      const entry = yield* Effect.orElseSucceed(files.entryAt(path), () => "missing" as const)
      if (entry === "missing") continue
      const before = yield* baseline.before(base, path)
      if (before._tag === "absent") found.fresh.push(path)
      else found.isOld = true
    }
    return found
  })

  /** What a part of a command runs that was written in this run, and what is left of the part without it; null: nothing. */
  const writtenIn = Effect.fnUntraced(function* (base: Base, files: ProjectReader, text: string, part: Executed) {
    const { end, isAll, needs, start, words } = part
    if (needs.length > 0) {
      const isThere = Effect.fnUntraced(function* ({ path, script }: Executed["needs"][number], isBefore: boolean) {
        const before = isBefore ? yield* baseline.before(base, path) : null
        if (before !== null && before._tag !== "text") return before._tag !== "absent"
        const now = before === null ? yield* Effect.option(files.readText(path)) : null
        const content = before?._tag === "text" ? before.text : now?._tag === "Some" ? now.value.text : null
        return content !== null && (script === null || scriptIn(content, script) !== null)
      })
      const old = yield* Effect.filter(needs, (one) => isThere(one, true))
      const fresh = old.length > 0 ? [] : yield* Effect.filter(needs, (one) => isThere(one, false))
      return fresh.length === 0 ? null : { paths: fresh.map(({ path }) => path), part: { start, end, left: "true" } }
    }
    const written: Array<{ readonly word: string; readonly paths: ReadonlyArray<string> }> = []
    let hasOld = false
    for (const { paths, word } of words) {
      const { fresh, isOld } = yield* newOf(base, files, paths)
      if (isOld) hasOld = true
      else if (fresh.length > 0) written.push({ word, paths: fresh })
      if (!isAll && (isOld || fresh.length > 0)) break
    }
    if (written.length === 0) return null
    const left = hasOld ? written.reduce((now, { word }) => now.replace(word, ""), text.slice(start, end)) : "true"
    return { paths: written.flatMap(({ paths }) => paths), part: { start, end, left } }
  })

  /** What the command runs that was written in this run, and how it ends without that at the base. */
  const withoutWritten = Effect.fnUntraced(function* (request: PassedCommand, base: Base, run: CheckRun) {
    const { command } = run
    const files = filesOf(request.directory)
    const found = yield* Effect.forEach(executedBy(command, request.state.run.root), (part) =>
      writtenIn(base, files, command, part)
    )
    const written = found.filter((one) => one !== null)
    if (written.length === 0) return run
    const text = withoutParts(
      command,
      written.map(({ part }) => part)
    )
    return {
      ...run,
      written: [...new Set(written.flatMap(({ paths }) => paths))],
      ...(text === null ? {} : { without: yield* runIn(request, text, () => Effect.void, base) })
    }
  })

  /** Runs it in a copy of the project as it is; one that runs tests without naming them: with the tests of before. */
  const controlled = Effect.fnUntraced(function* (request: PassedCommand, base: Base, run: CheckRun) {
    const { command } = run
    const named = new Set(namedBy(command, request.state.run.root).paths)
    const isOfTests = (path: string): boolean => (isTestFile(path) || isTestSetup(path)) && !named.has(path)
    let tests: ReadonlyArray<string> = []
    const control = yield* runIn(request, command, (copy) =>
      runsTests(command, request.state.run.root) && !request.state.run.config.proof?.accept.includes("agents_check")
        ? Effect.map(baseline.restoreWhere(base, copy.directory, isOfTests), (paths) => {
            tests = paths
          })
        : Effect.void
    )
    return { ...run, control, ...(tests.length === 0 ? {} : { tests }) }
  })

  return Effect.fnUntraced(function* (
    request: PassedCommand,
    run: CheckRun
  ): Effect.fn.Return<CheckRun, LogUnavailable> {
    const { directory, isShownElse, state } = request
    const { base, config } = state.run
    const before = baseCheckOf(state, run.command)
    if (config.proof === null || base === null || before === undefined || !hasPassed(run)) return run
    if (run.command.includes(state.run.root)) return run
    const isWork = isWorkOf(state, run.command)
    const changed = yield* Effect.filter(
      before.rests_on.filter(({ path, script }) => script !== undefined || !isWork(path)),
      (one) => isChanged(filesOf(directory), one)
    )
    const seen = changed.length === 0 ? run : { ...run, changed: [...new Set(changed.map(({ path }) => path))] }
    const isBentRefused = changed.length > 0 && !config.proof.accept.includes("check_changed")
    const written: CheckRun = isBentRefused
      ? { ...seen, as_written: yield* runIn(request, run.command, (copy) => putBack(base, changed, copy)) }
      : seen
    if (before.outcome !== "red" || isShownElse || !hasPassed(written)) return written
    const looked = config.proof.accept.includes("agents_check")
      ? written
      : yield* withoutWritten(request, base, written)
    return isBentRefused ? looked : yield* controlled(request, base, looked)
  })
})

/** Settings of test runners: which tests are run, and whether none is enough. */
const isTestSetup = (path: string): boolean =>
  /(?:^|\/)(?:pytest\.ini|tox\.ini|\.mocharc(?:\.\w+)?|\.rspec|phpunit(?:\.dist)?\.xml(?:\.dist)?|(?:jest|vitest|playwright|cypress|karma|ava|wdio)\.(?:conf|config|setup)\.\w+)$/.test(
    path
  )
