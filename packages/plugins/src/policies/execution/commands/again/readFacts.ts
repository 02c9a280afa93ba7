import type { Base, Census, TestChange } from "@proofline/kernel"
import { Effect, Schema } from "effect"
import { Baseline, BlobStore, type ProjectReader, Syntax } from "../../../../port/index.ts"
import { type TestsOfFile, testChanges, testsIn } from "../../../evidence/contract.ts"
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

/**
 * Tests that passed at the base and that the runner does not report any more, or their number where it does not tell the name
 * of every test. `work`: test files that the user's tasks are about, whose tests may go.
 * `isKnown`: the files tell already which tests are not what they were.
 */
export const makeLostTests = Effect.gen(function* () {
  const blobs = yield* BlobStore

  const namesOf = ({ tests }: Census) =>
    tests === null
      ? Effect.succeed([])
      : blobs.get(tests.sha256).pipe(
          Effect.flatMap((bytes) => Schema.decodeEffect(Names)(new TextDecoder().decode(bytes))),
          // without them nothing is known of single tests
          Effect.orElseSucceed(() => [])
        )

  return Effect.fnUntraced(function* (
    before: Census | undefined,
    now: Census | undefined,
    work: ReadonlyArray<string>,
    isKnown: boolean
  ): Effect.fn.Return<ReadonlyArray<TestChange>> {
    if (before === undefined || now === undefined) return []
    const [old, tests] = [yield* namesOf(before), yield* namesOf(now)]
    if (tests.length < total(now) || old.length < total(before))
      return isKnown || work.length > 0 ? [] : lostByNumber(before, now)
    return lostByName(old, tests).filter(({ path }) =>
      path === null ? work.length === 0 : !work.some((file) => path.endsWith(file))
    )
  })
})
