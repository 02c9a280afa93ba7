import type { Base, TestChange } from "@proofline/kernel"
import { Effect } from "effect"
import { Baseline, type ProjectReader, Syntax } from "../../../../port/index.ts"
import { isTestFile, type TestsOfFile, testChanges, testsIn } from "../../../evidence/contract.ts"

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
    const old = yield* Effect.forEach(changed.filter(isTestFile), (path) =>
      Effect.flatMap(baseline.before(base, path), (before) =>
        before._tag === "text" ? testsOf(path, before.text) : Effect.succeed([])
      )
    )
    if (old.length === 0) return []
    const now = yield* Effect.forEach([...changed, ...fresh].filter(isTestFile), (path) =>
      Effect.flatMap(textNow(files, path), (text) => (text === null ? Effect.succeed([]) : testsOf(path, text)))
    )
    return testChanges(old.flat(), now.flat())
  })
})
