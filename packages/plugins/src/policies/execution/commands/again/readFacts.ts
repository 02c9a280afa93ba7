import { type Base, type BaseCheck, type Census, type CheckRun, type TestChange, unreported } from "@proofline/kernel"
import { Effect, Schema } from "effect"
import { Baseline, BlobStore, type ProjectReader, Syntax } from "../../../../port/index.ts"
import { type TestsOfFile, testChanges, testsIn } from "../../../evidence/contract.ts"
import { certainTests, unreportedOf } from "../../tests/certain.ts"
import { hasPackages, lostPackage, lostPackages, silencedPackages } from "../../tests/go.ts"
import { failedFiles, lostByName, lostByNumber } from "../../tests/lost.ts"
import { ReportedTest, total } from "../../tests/model.ts"

const testsBy =
  (syntax: Syntax["Service"]) =>
  (path: string, text: string): Effect.Effect<ReadonlyArray<TestsOfFile>> =>
    Effect.map(syntax.outline(path, text), (outline) =>
      outline === null ? [] : [{ path, tests: testsIn(path, text, outline) }]
    )

/** What became of the tests in files that were changed, as far as their grammars tell; `fresh`: files that are new. */
export const makeChangesOfTests = Effect.gen(function* () {
  const baseline = yield* Baseline
  const syntax = yield* Syntax

  const testsOf = testsBy(syntax)

  const textNow = (files: ProjectReader, path: string) =>
    files.readText(path).pipe(
      Effect.map(({ text }) => text),
      Effect.orElseSucceed(() => null)
    )

  return Effect.fnUntraced(function* (
    base: Base,
    files: ProjectReader,
    changed: ReadonlyArray<string>,
    fresh: ReadonlyArray<string>
  ): Effect.fn.Return<ReadonlyArray<TestChange>> {
    const old = yield* Effect.forEach(changed, (path) =>
      Effect.flatMap(baseline.before(base, path), (before) =>
        before._tag === "text" ? testsOf(path, before.text) : Effect.succeed([])
      )
    )
    if (old.length === 0) return []
    const now = yield* Effect.forEach([...changed, ...fresh], (path) =>
      Effect.flatMap(textNow(files, path), (text) => (text === null ? Effect.succeed([]) : testsOf(path, text)))
    )
    return testChanges(old.flat(), now.flat())
  })
})

const Names = Schema.fromJsonString(Schema.Array(ReportedTest))

/** A run of a command, as far as it tells of tests. */
type Told = Pick<CheckRun, "census" | "output">

/** What is known of a run whose tests are compared with those of the base. */
interface Compared {
  readonly base: Base
  readonly files: ProjectReader
  /** Test files that the user's tasks are about, whose tests may go. */
  readonly work: ReadonlyArray<string>
  /** The files tell already which tests are not what they were. */
  readonly isKnown: boolean
  /** All other test files are what they were: tests that failed must be there too. */
  readonly isAsBefore: boolean
}

/**
 * Tests that ran at the base and that the runner does not report any more, or their number where it does not tell the name
 * of every test; all of them where it reports nothing any more.
 */
export const makeLostTests = Effect.gen(function* () {
  const baseline = yield* Baseline
  const blobs = yield* BlobStore
  const testsOf = testsBy(yield* Syntax)

  const textOf = (blob: Census["tests"]) =>
    blob === null
      ? Effect.succeed(null)
      : blobs.get(blob.sha256).pipe(
          Effect.map((bytes) => new TextDecoder().decode(bytes)),
          // without it nothing is known of single tests
          Effect.orElseSucceed(() => null)
        )

  const namesOf = ({ tests }: Census) =>
    Effect.flatMap(textOf(tests), (text) =>
      text === null
        ? Effect.succeed([])
        : Schema.decodeEffect(Names)(text).pipe(Effect.orElseSucceed((): ReadonlyArray<ReportedTest> => []))
    )

  /** What counts no tests may still name the packages that passed. */
  const ofPackages = Effect.fnUntraced(function* (before: Told, now: Told) {
    const [old, text] = [yield* textOf(before.output), yield* textOf(now.output)]
    return old === null ? [] : lostPackages(old, text ?? "")
  })

  /** Packages that are silent now and were not before. */
  const ofSilenced = Effect.fnUntraced(function* (command: string, output: Told["output"], now: Told) {
    if (now.census?.formats.includes("go") !== true) return []
    const silent = silencedPackages(command, (yield* textOf(now.output)) ?? "")
    const before = silent.length === 0 ? [] : silencedPackages(command, (yield* textOf(output)) ?? "")
    return silent.filter((name) => !before.includes(name)).map(lostPackage)
  })

  /** Tests of files that could not be loaded at the base: their runner named none of them then. */
  const ofUnloaded = Effect.fnUntraced(function* (
    { base, files, work }: Compared,
    before: ReadonlyArray<ReportedTest>,
    now: ReadonlyArray<ReportedTest>
  ): Effect.fn.Return<ReadonlyArray<TestChange>> {
    const failed = failedFiles(before)
    if (failed.length === 0) return []
    const paths = yield* files.paths
    const lost = yield* Effect.forEach(failed, (name) =>
      Effect.gen(function* () {
        // a runner says a file from where it ran
        const [near, ...more] = paths.includes(name) ? [] : paths.filter((path) => path.endsWith(`/${name}`))
        const path = near === undefined || more.length > 0 ? name : near
        const old = work.includes(path) ? null : yield* baseline.before(base, path)
        if (old?._tag !== "text") return []
        const found = yield* testsOf(path, old.text)
        const names = found.flatMap(({ tests }) => certainTests(old.text, tests))
        return unreportedOf(names, now).map((test) => ({ test, path, how: "vanished" as const }))
      })
    )
    return lost.flat()
  })

  return Effect.fnUntraced(function* (
    { census: before, command, output }: Pick<BaseCheck, "census" | "command" | "output">,
    now: Told,
    compared: Compared
  ): Effect.fn.Return<ReadonlyArray<TestChange>> {
    const { isAsBefore, isKnown, work } = compared
    const silenced = yield* ofSilenced(command, output, now)
    if (silenced.length > 0) return silenced
    if (before === undefined) return work.length > 0 ? [] : yield* ofPackages({ output }, now)
    const old = yield* namesOf(before)
    const isWork = ({ file }: ReportedTest) => file !== null && work.some((path) => file.endsWith(path))
    if (now.census === undefined) {
      const mayGo = old.length >= total(before) && old.every(isWork)
      if (total(before) === 0 || mayGo || hasPackages(before.formats, (yield* textOf(now.output)) ?? "")) return []
      return [unreported(before), ...lostByName(old, [], false)]
    }
    const tests = yield* namesOf(now.census)
    if (tests.length < total(now.census) || old.length < total(before))
      return isKnown || work.length > 0 ? [] : lostByNumber(before, now.census, isAsBefore)
    const unloaded = isAsBefore ? yield* ofUnloaded(compared, old, tests) : []
    const named = lostByName(old, tests, isAsBefore).filter(({ path }) =>
      path === null ? work.length === 0 : !work.some((file) => path.endsWith(file))
    )
    // its tests say more than the file
    return [...named.filter(({ test }) => !unloaded.some(({ path }) => path?.endsWith(test))), ...unloaded]
  })
})
