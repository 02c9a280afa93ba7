import {
  type Base,
  type BaseCheck,
  baseCheckOf,
  type CheckRun,
  type CleanRoom,
  Digest,
  type HasRun,
  type HasTasks,
  hasPassed,
  isGreen,
  type LogUnavailable,
  type RestsOn,
  type ScratchRun,
  type TestChange,
  type WeakReason
} from "@proofline/kernel"
import { Effect, Result, type Scope } from "effect"
import {
  Baseline,
  type BaseRefused,
  type CheckoutRefused,
  type EscrowRefused,
  ProjectFiles,
  type ProjectReader,
  type ScratchCheckout,
  ScratchProjects
} from "../../../../port/index.ts"
import { isTestFile } from "../../../evidence/contract.ts"
import { countedRun, running } from "../../commandRun.ts"
import {
  endsGoTests,
  holdsTests,
  isOfRunner,
  isOfTests,
  isProtectedBy,
  isWorkOf,
  ofScript,
  ofTests
} from "../checkFiles.ts"
import { type Executed, executedBy, runsTests, withoutParts } from "../executed.ts"
import { namedBy, scriptIn, withScript } from "../named.ts"
import { asWritten, atBase, isUnstarted, notStarted, outcomeOf } from "../outcomes.ts"
import { makeChangesOfTests, makeLostTests } from "./readFacts.ts"

/** A command of the user. */
export interface PassedCommand {
  readonly state: HasRun & HasTasks
  readonly env: Readonly<Record<string, string>>
  /** Where the work was done; undefined: in the project. */
  readonly directory?: string | undefined
  /** Evidence shows some of the work too: that the command failed before it is enough. */
  readonly isShownElse: boolean
  /** Whether a file is a place of the work by what the user says elsewhere than in a task. */
  readonly isWork?: (path: string) => boolean
}

/** A command that agents do not see. */
export interface HiddenCommand extends PassedCommand {
  readonly command: string
  readonly timeout_ms: number
  readonly before: Pick<BaseCheck, "outcome" | "rests_on"> | undefined
  /** What it needs beside the project, made anew for every run: nothing that a run leaves there can decide another. */
  readonly withChecks: Effect.Effect<Readonly<Record<string, string>>, EscrowRefused, Scope.Scope>
}

/** What is asked of a run in a copy. */
type Trial = PassedCommand & Partial<Pick<HiddenCommand, "timeout_ms" | "withChecks">>

/** What the clean room is made by. */
interface Ruled {
  readonly command: string
  readonly rests_on: ReadonlyArray<RestsOn>
  readonly isWork: (path: string) => boolean
  readonly areTests: boolean
}

/** Looks at commands in copies of the project. */
export const makeLooks = Effect.gen(function* () {
  const services = yield* running
  const projects = yield* ScratchProjects
  const baseline = yield* Baseline
  const projectFiles = yield* ProjectFiles
  const changesOfTests = yield* makeChangesOfTests
  const lostOf = yield* makeLostTests
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
  const putBack = Effect.fnUntraced(function* (base: Base, changed: ReadonlyArray<PutBack>, copy: ScratchCheckout) {
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
    { directory, env, state, timeout_ms = state.run.config.check_timeout_ms, withChecks }: Trial,
    command: string,
    prepare: (copy: ScratchCheckout) => Effect.Effect<void, CheckoutRefused | BaseRefused>,
    at: Base | "now" = "now"
  ): Effect.fn.Return<ScratchRun, LogUnavailable> {
    const ran = yield* Effect.scoped(
      Effect.gen(function* () {
        const copy = yield* projects.make(directory === undefined || at !== "now" ? { at } : { at, root: directory })
        yield* prepare(copy)
        return yield* countedRun(withChecks === undefined ? services : { ...services, blobs: null }, {
          command,
          directory: copy.directory,
          root: copy.directory,
          env: withChecks === undefined ? env : { ...env, ...(yield* withChecks) },
          timeout_ms,
          reports: state.run.config.proof.test_reports ?? []
        })
      })
    ).pipe(
      Effect.catchTag(["CheckoutRefused", "BaseRefused", "EscrowRefused"], ({ message }) => Effect.succeed(message))
    )
    if (typeof ran === "string") return { run: null, message: ran }
    const { output_tail, signal, ...run } = ran
    if (withChecks !== undefined && isUnstarted(ran)) return { run: null, message: notStarted }
    return { run, message: outcomeOf(ran, output_tail).outcome === "green" ? "" : asWritten(run) }
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
  const withoutWritten = Effect.fnUntraced(function* (request: Trial, base: Base, run: CheckRun) {
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

  /** How the command ends at the base with what other branches have brought, and nothing of the work. */
  const withBrought = Effect.fnUntraced(function* (
    request: Trial,
    base: Base,
    run: CheckRun
  ): Effect.fn.Return<CheckRun, LogUnavailable> {
    const found = yield* Effect.result(baseline.came(base, request.directory))
    if (Result.isFailure(found)) {
      return { ...run, brought: { commits: [], run: null, message: found.failure.message } }
    }
    const came = found.success
    if (came === null) return run
    const tried = yield* runIn(request, run.command, ({ directory }) => came.into(directory), base)
    return { ...run, brought: { commits: came.commits, ...tried } }
  })

  /** What of the check is not what it was: files that were there, and new ones that it does not name. */
  const ownFiles = Effect.fnUntraced(function* (request: PassedCommand, base: Base, ruled: Ruled) {
    const { directory, state } = request
    const { areTests, command, isWork, rests_on } = ruled
    const { accept, protected: globs = [] } = state.run.config.proof
    const files = filesOf(directory)
    // tests are changed by one task for another
    const isWorkOfAny = isWorkOf(state, null)
    const isProtected = isProtectedBy(globs)
    const named = namedBy(command, state.run.root).paths
    const changed = yield* Effect.filter(
      rests_on.filter(
        ({ path, script }) =>
          // a package file holds more than the script
          isProtected(path) || !(script === undefined ? isWork(path) : isWorkOf(state, command, ofScript(script))(path))
      ),
      (one) => isChanged(files, one)
    )
    const isAsked = (path: string) => isProtected(path) || (areTests && (isOfTests(path) || holdsTests(path)))
    const differing =
      areTests || globs.length > 0 ? yield* baseline.changedIn(base, directory ?? state.run.root, isAsked) : []
    // where tests stand beside the code, naming the file says nothing of them
    const isWorkOfTests = isWorkOf(state, null, ofTests)
    const isBeside = (path: string) => !isProtected(path) && !isOfTests(path)
    const isFree = (path: string) => !isProtected(path) && (isBeside(path) ? isWorkOfTests(path) : isWorkOfAny(path))
    const work = differing.filter(isFree)
    const found = differing.filter((path) => !isFree(path) && !isBeside(path))
    const beside = differing.filter((path) => !isFree(path) && isBeside(path))
    const fresh = yield* Effect.filter(found, (path) =>
      Effect.map(baseline.before(base, path), ({ _tag }) => _tag === "absent")
    )
    const old = found.filter((path) => !fresh.includes(path))
    const known = new Set(changed.map(({ path }) => path))
    return {
      changed: [...changed, ...old.flatMap((path): ReadonlyArray<PutBack> => (known.has(path) ? [] : [{ path }]))],
      fresh: accept.includes("agents_check") ? [] : fresh.filter((path) => isProtected(path) || !named.includes(path)),
      work,
      beside
    } satisfies OwnFiles
  })

  /** New Go test files that can end the tests of their package, where it had some before. */
  const endingOthers = Effect.fnUntraced(function* ({ directory }: Trial, base: Base, { changed, fresh }: OwnFiles) {
    const files = filesOf(directory)
    const ending = yield* Effect.filter(fresh.filter(isOfGo), (path) =>
      files.readText(path).pipe(
        Effect.map(({ text }) => endsGoTests(text)),
        Effect.orElseSucceed(() => false)
      )
    )
    if (ending.length === 0) return []
    const others = [...(yield* files.paths), ...pathsOf(changed)].filter(
      (path) => isOfGo(path) && !fresh.includes(path)
    )
    const old = yield* Effect.filter(others, (path) =>
      Effect.map(baseline.before(base, path), ({ _tag }) => _tag !== "absent")
    )
    const folders = new Set(old.map(folderOf))
    return ending.filter((path) => folders.has(folderOf(path)))
  })

  /** The run that decides. Where it fails for want of new tests, it is run with them too. */
  const cleanRoom = Effect.fnUntraced(function* (request: Trial, base: Base, command: string, own: OwnFiles) {
    const isAccepted = request.state.run.config.proof.accept.includes("check_changed")
    const changed = isAccepted ? [] : own.changed
    const { fresh: left_out } = own
    const restored = pathsOf(changed)
    const without = yield* runIn(request, command, (copy) =>
      Effect.andThen(putBack(base, changed, copy), baseline.restore(base, copy.directory, left_out))
    )
    const room: CleanRoom = { ...without, restored, left_out }
    if (without.run === null || isGreen(without) || failsItself(without)) return room
    // whoever writes the settings of a runner decides how tests end that agents do not see
    const hidden = request.withChecks === undefined ? [] : left_out.filter(isOfRunner)
    const never = [...hidden, ...(yield* endingOthers(request, base, own))]
    if (left_out.length === never.length) return room
    const with_new = yield* runIn(request, command, (copy) =>
      Effect.andThen(putBack(base, changed, copy), baseline.restore(base, copy.directory, never))
    )
    return { ...room, with_new }
  })

  /**
   * What a command that has passed shows: whether it passes in the clean room, a fresh copy of the work in which what it
   * rests on is what the user wrote, and, where nothing else shows the work, whether it shows something without scripts
   * that were written since.
   */
  const again = Effect.fnUntraced(function* (
    request: PassedCommand,
    run: CheckRun
  ): Effect.fn.Return<CheckRun, LogUnavailable> {
    const { directory, isShownElse, state } = request
    const { base, config } = state.run
    const before = baseCheckOf(state, run.command)
    if (base === null || before === undefined || !hasPassed(run)) return run
    const { accept, clean_room: isOn = true } = config.proof
    if (run.command.includes(state.run.root)) {
      return isOn ? { ...run, clean_room: untried(atBase.namesProject) } : { ...run, clean_room: null }
    }
    const ruled = {
      command: run.command,
      rests_on: before.rests_on,
      isWork: eitherOf(isWorkOf(state, run.command), request.isWork),
      areTests: runsTests(run.command, state.run.root)
    }
    const own = yield* Effect.result(ownFiles(request, base, ruled))
    if (Result.isFailure(own)) {
      const compared = { base, files: filesOf(directory), work: [], isKnown: false, isAsBefore: false }
      const lost = judgedTests(yield* lostOf(before, run, compared), accept)
      return { ...run, clean_room: isOn ? untried(own.failure.message) : null, ...lost }
    }
    const { beside, changed, fresh, work } = own.success
    const paths = pathsOf(changed)
    const room = isOn ? yield* cleanRoom(request, base, run.command, own.success) : null
    const files = filesOf(directory)
    const restored = yield* changesOfTests(base, files, paths.filter(isTestFile), fresh.filter(isTestFile))
    const others = yield* changesOfTests(base, files, beside, [])
    const known = [
      // only the clean room tells whether they pass as they were
      ...restored.map((one) => ({ ...one, isLost: room?.run == null })),
      ...others.map((one) => ({ ...one, isLost: true }))
    ]
    const there = decisiveOf(room)
    // what was up to date in the project may run in the copy alone
    const isLeftOut = run.census === undefined && (there ?? room?.run)?.census !== undefined
    const here = isLeftOut
      ? []
      : yield* lostOf(before, run, {
          ...{ base, files, work, isKnown: known.length > 0 },
          // where there is a clean room, it tells of tests whose files were changed
          isAsBefore: there === null && paths.length === 0
        })
    const copied =
      there === null
        ? []
        : yield* lostOf(before, there, {
            ...{ base, files, work, isKnown: others.length > 0 },
            isAsBefore: !accept.includes("check_changed")
          })
    const reported = [...here, ...copied.filter(({ test }) => !here.some((one) => one.test === test))]
    const seen: CheckRun = {
      ...run,
      ...(paths.length === 0 ? {} : { changed: paths }),
      clean_room: room,
      ...judgedTests([...known, ...withoutKnown(reported, known)], accept)
    }
    if (before.outcome !== "red" || isShownElse || !hasPassed(seen)) return seen
    const told = yield* withBrought(request, base, seen)
    return accept.includes("agents_check") ? told : yield* withoutWritten(request, base, told)
  })

  /** A command that is run in the clean room alone, and whose output is not kept. A text: there is none, and why. */
  const alone = Effect.fnUntraced(function* (
    request: HiddenCommand,
    base: Base
  ): Effect.fn.Return<CheckRun | string, LogUnavailable> {
    const { before, command, isShownElse, state } = request
    // whatever it runs there, it may run tests
    const isWork = eitherOf(isWorkOf(state, null), request.isWork)
    const ruled = { command, rests_on: before?.rests_on ?? [], isWork, areTests: true }
    const own = yield* Effect.result(ownFiles(request, base, ruled))
    if (Result.isFailure(own)) return own.failure.message
    const room = yield* cleanRoom(request, base, command, own.success)
    const decisive = room.with_new?.run ?? room.run
    if (decisive === null) return room.message
    const run: CheckRun = {
      ...{ command, item_index: null, signal: null, output_tail: "", ablation: null },
      ...decisive,
      clean_room: room
    }
    const accept = state.run.config.proof.accept
    if (before?.outcome !== "red" || isShownElse || !hasPassed(run)) return run
    const known = yield* withBrought(request, base, run)
    return accept.includes("agents_check") ? known : yield* withoutWritten(request, base, known)
  })

  return { again, alone }
})

const eitherOf =
  (one: (path: string) => boolean, other: (path: string) => boolean = () => false) =>
  (path: string): boolean =>
    one(path) || other(path)

/** A second look at commands that have passed in the project. */
export const makeSecondLook = Effect.map(makeLooks, ({ again }) => again)

/** What is put back where it was changed; `script`: of a package file this script only. */
type PutBack = Pick<RestsOn, "path" | "script">

const isOfGo = (path: string): boolean => path.endsWith("_test.go")

const folderOf = (path: string): string => path.slice(0, path.lastIndexOf("/") + 1)

/** Several scripts may stand in one file. */
const pathsOf = (all: ReadonlyArray<PutBack>): ReadonlyArray<string> => [...new Set(all.map(({ path }) => path))]

interface OwnFiles {
  readonly changed: ReadonlyArray<PutBack>
  readonly fresh: ReadonlyArray<string>
  /** Files of tests that are not what they were, and that the user's tasks name as places of the work. */
  readonly work: ReadonlyArray<string>
  /** Sources that are not what they were, and may hold tests beside their code: they cannot be put back. */
  readonly beside: ReadonlyArray<string>
}

/** The run of a clean room that decides; null: none passed there. */
const decisiveOf = (room: CleanRoom | null) => {
  if (room === null) return null
  return [room, room.with_new].find((ran) => ran !== undefined && isGreen(ran))?.run ?? null
}

const untried = (message: string): CleanRoom => ({ run: null, message, restored: [], left_out: [] })

/** Tests that were there before have failed: new ones cannot mend that. */
const failsItself = ({ run }: ScratchRun): boolean => (run?.census?.failed ?? 0) > 0

/** Those of a runner, without those that the files tell of too. */
const withoutKnown = (
  reported: ReadonlyArray<TestChange>,
  known: ReadonlyArray<TestChange>
): ReadonlyArray<TestChange> => {
  const names = new Set(known.map(({ test }) => test))
  return reported.filter(({ test }) => !names.has(test) && !names.has(test.slice(test.lastIndexOf(" > ") + 3)))
}

/** `isLost`: it counts against the command whatever became of it. */
interface FoundChange extends TestChange {
  readonly isLost?: boolean
}

/** Tests that ran and do not any more, or ask for less, count against the command, unless the user accepts it. */
const judgedTests = (
  tests: ReadonlyArray<FoundChange>,
  accept: ReadonlyArray<WeakReason>
): Pick<CheckRun, "lost_tests" | "changed_tests"> => {
  const counts = ({ how, isLost = false }: FoundChange) =>
    (how !== "changed" || isLost) && !accept.includes("check_changed")
  const plain = ({ how, path, test }: FoundChange): TestChange => ({ test, path, how })
  const lost_tests = tests.filter(counts).slice(0, maxTests).map(plain)
  const changed_tests = tests
    .filter((one) => !counts(one))
    .slice(0, maxTests)
    .map(plain)
  return {
    ...(lost_tests.length === 0 ? {} : { lost_tests }),
    ...(changed_tests.length === 0 ? {} : { changed_tests })
  }
}

/** More are not recorded. */
const maxTests = 100
