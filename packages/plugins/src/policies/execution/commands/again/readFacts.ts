import { type Base, type BaseCheck, type Census, type CheckRun, type TestChange, unreported } from "@proofline/kernel"
import { Effect, Schema } from "effect"
import { Baseline, BlobStore, type ProjectReader, Syntax } from "../../../../port/index.ts"
import { type TestsOfFile, testChanges, testsIn } from "../../../evidence/contract.ts"
import { hasPackages, lostPackage, lostPackages, silencedPackages } from "../../tests/go.ts"
import { lostByName, lostByNumber } from "../../tests/lost.ts"
import { ReportedTest, total } from "../../tests/model.ts"

/** What became of the tests in files that were changed, as far as their grammars tell; `fresh`: files that are new. */
export const makeChangesOfTests = Effect.gen(function* () {
  const baseline = yield* Baseline
  const syntax = yield* Syntax

  const testsOf = (path: string, text: string): Effect.Effect<ReadonlyArray<TestsOfFile>> =>
    Effect.map(syntax.outline(path, text), (outline) =>
      outline === null ? [] : [{ path, tests: testsIn(path, text, outline) }]
    )

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

/**
 * Tests that passed at the base and that the runner does not report any more, or their number where it does not tell the name
 * of every test; all of them where it reports nothing any more. `work`: test files that the user's tasks are about, whose tests
 * may go. `isKnown`: the files tell already which tests are not what they were.
 */
export const makeLostTests = Effect.gen(function* () {
  const blobs = yield* BlobStore

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

  return Effect.fnUntraced(function* (
    { census: before, command, output }: Pick<BaseCheck, "census" | "command" | "output">,
    now: Told,
    work: ReadonlyArray<string>,
    isKnown: boolean
  ): Effect.fn.Return<ReadonlyArray<TestChange>> {
    const silenced = yield* ofSilenced(command, output, now)
    if (silenced.length > 0) return silenced
    if (before === undefined) return work.length > 0 ? [] : yield* ofPackages({ output }, now)
    const old = yield* namesOf(before)
    const isWork = ({ file }: ReportedTest) => file !== null && work.some((path) => file.endsWith(path))
    if (now.census === undefined) {
      const mayGo = old.length >= total(before) && old.every(isWork)
      if (total(before) === 0 || mayGo || hasPackages(before.formats, (yield* textOf(now.output)) ?? "")) return []
      return [unreported(before), ...lostByName(old, [])]
    }
    const tests = yield* namesOf(now.census)
    if (tests.length < total(now.census) || old.length < total(before))
      return isKnown || work.length > 0 ? [] : lostByNumber(before, now.census)
    return lostByName(old, tests).filter(({ path }) =>
      path === null ? work.length === 0 : !work.some((file) => path.endsWith(file))
    )
  })
})
