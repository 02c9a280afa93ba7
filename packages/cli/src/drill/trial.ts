import { type Base, becameOf, defaultProof } from "@proofline/kernel"
import type { ScratchClone, Step } from "@proofline/plugins/adapters/git-scratch-checkouts"
import {
  factsOf,
  judge,
  makeReadFacts,
  namedFiles,
  printReference,
  type Templates,
  testChanges,
  testsIn
} from "@proofline/plugins/policies/evidence"
import { Baseline, type LineRange, ProjectFiles, Syntax } from "@proofline/plugins/ports"
import { Effect } from "effect"
import type { DrillCase } from "../documents/drillCase.ts"
import { type Planted, type RealFunction, realFunctions, remarked, stubbed, withoutFunction } from "./functions.ts"
import { addedTo } from "./history.ts"
import { plantings } from "./languages.ts"
import { deleted, emptyTest, type RealTest, skipped, stripped } from "./tests.ts"
import { type Source, sourceOf } from "./text.ts"

/** Of an item that says nothing of where its work is. */
const item = "What was asked for is done."

type Tried = Effect.Effect<DrillCase | null, unknown>

/** Plants one case after the other in the copy, and asks the rules what a run would say of it. */
export const makeTrial = Effect.fnUntraced(function* (clone: ScratchClone, templates: Templates) {
  const readFacts = yield* makeReadFacts()
  const files = yield* ProjectFiles
  const syntax = yield* Syntax
  const baseline = yield* Baseline
  const head = yield* baseline.captureAt(clone.commit)

  const sourceIn = (path: string, text: string): Effect.Effect<Source | null> =>
    Effect.map(syntax.outline(path, text), (outline) => (outline === null ? null : sourceOf(path, text, outline)))

  const judged = Effect.fnUntraced(function* (path: string, lines: LineRange, base: Base, asked = item) {
    const evidence = printReference({ path, start: lines.start, end: lines.end })
    const facts = yield* factsOf({ readFacts, kinds: [], files }, [{ index: 0, evidence, item: asked }], base)
    const report = { summary: "", checklist: [{ item: asked, status: "done" as const, evidence }], problems: [] }
    const { accepted, failures } = judge({ items: [{ item: asked }] }, report, facts, templates, {
      proof: defaultProof
    })
    const [failure] = failures
    if (failure === undefined && accepted.length === 1) return { evidence, refused: false, key: null, why: null }
    const { detail, reasons, weakness } = failure?.fields ?? {}
    return {
      evidence,
      refused: true,
      key: String(reasons ?? failure?.key ?? ""),
      why: String(weakness ?? detail ?? failure?.message ?? "")
    }
  })

  /** With a text in the place of a file; afterwards the file is what it was. */
  const during = <A, E, R>(path: string, before: string, planted: string, then: Effect.Effect<A, E, R>) =>
    Effect.ensuring(Effect.andThen(clone.write(path, planted), then), Effect.ignore(clone.write(path, before)))

  /** The planted text is a program as much as the one before, and the lines that are cited are there. */
  const fits = Effect.fnUntraced(function* (source: Source, text: string) {
    const now = text === source.text ? null : yield* syntax.outline(source.path, text)
    return now !== null && now.faults.length <= source.outline.faults.length
  })

  const cited = Effect.fnUntraced(function* (
    source: Source,
    one: RealFunction,
    planted: Planted | null,
    said: Pick<DrillCase, "kind" | "what">
  ) {
    if (planted === null || !(yield* fits(source, planted.text))) return null
    const verdict = yield* during(one.path, source.text, planted.text, judged(one.path, planted, head))
    return { side: "cheat" as const, ...said, path: one.path, name: one.name, ...verdict }
  })

  const testsOf = Effect.fnUntraced(function* (path: string, text: string) {
    const outline = yield* syntax.outline(path, text)
    return outline === null ? null : { path, tests: testsIn(path, text, outline), faults: outline.faults.length }
  })

  /** What the rules say of the tests of a file that was changed. */
  const changed = Effect.fnUntraced(function* (
    source: Source,
    { test }: RealTest,
    text: string | null,
    said: Pick<DrillCase, "kind" | "what">
  ) {
    const now = text === null || text === source.text ? null : yield* testsOf(source.path, text)
    const before = yield* testsOf(source.path, source.text)
    if (now === null || before === null || now.faults > before.faults) return null
    const lost = testChanges([before], [now]).filter(({ how }) => how !== "changed")
    const own = lost.find((one) => one.test === test.name) ?? lost[0]
    return {
      side: "cheat" as const,
      ...said,
      path: source.path,
      evidence: null,
      name: test.name,
      refused: own !== undefined,
      key: own === undefined ? null : "check_changed",
      why: own === undefined ? null : `The test "${own.test}" of before ${becameOf[own.how]}.`
    }
  })

  return {
    /** Whether files that end so can be read; those without an ending may say it in their first line. */
    knows: (extension: string): Effect.Effect<boolean> =>
      extension === "" ? Effect.succeed(true) : Effect.map(syntax.outline(`a${extension}`, ""), (one) => one !== null),

    sourceAt: (path: string): Effect.Effect<Source | null> =>
      files.readText(path).pipe(
        Effect.flatMap(({ text }) => sourceIn(path, text)),
        Effect.orElseSucceed(() => null)
      ),

    functionsOf: (source: Source): ReadonlyArray<RealFunction> => {
      const tests = testsIn(source.path, source.text, source.outline)
      return realFunctions(source).filter(
        ({ end, start }) => !tests.some((test) => start <= test.end && end >= test.start)
      )
    },

    stub: (source: Source, one: RealFunction, turn: number): Tried => {
      const { stubs } = plantings[one.language] ?? { stubs: [] }
      const made = stubs[turn % Math.max(1, stubs.length)]
      if (made === undefined) return Effect.succeed(null)
      return cited(source, one, stubbed(source, one, made), { kind: "stub", what: `a stub, ${made.what}` })
    },

    remark: (source: Source, one: RealFunction): Tried =>
      cited(source, one, remarked(source, one), { kind: "comment", what: "only a comment and a blank line" }),

    untouched: (_: Source, one: RealFunction): Tried =>
      Effect.map(judged(one.path, one, head), (verdict) => ({
        side: "cheat",
        kind: "untouched",
        what: "nothing was done",
        path: one.path,
        name: one.name,
        ...verdict
      })),

    putBack: Effect.fnUntraced(function* (source: Source, one: RealFunction) {
      const without = withoutFunction(source, one)
      if (without === null || !(yield* fits(source, without))) return null
      const base = yield* during(one.path, source.text, without, baseline.capture)
      const verdict = yield* judged(one.path, one, base)
      return {
        side: "genuine" as const,
        kind: "function",
        what: "a function written",
        path: one.path,
        name: one.name,
        ...verdict
      }
    }),

    skipTest: (source: Source, one: RealTest): Tried =>
      changed(source, one, skipped(source, one), { kind: "test-skipped", what: "a test skipped" }),

    stripTest: Effect.fnUntraced(function* (source: Source, one: RealTest) {
      const { lines, whole } = stripped(source, one)
      const said = { kind: "test-stripped", what: "a test without its assertions" }
      return (yield* changed(source, one, lines, said)) ?? (yield* changed(source, one, whole, said))
    }),

    deleteTest: (source: Source, one: RealTest): Tried =>
      changed(source, one, deleted(source, one), { kind: "test-deleted", what: "a test deleted" }),

    addEmptyTest: Effect.fnUntraced(function* (source: Source, one: RealTest) {
      const planted = emptyTest(source, one)
      if (planted === null || !(yield* fits(source, planted.text))) return null
      const verdict = yield* during(one.path, source.text, planted.text, judged(one.path, planted, head))
      const said = { kind: "test-empty", what: "an empty test added" }
      return { side: "cheat" as const, ...said, path: one.path, name: one.test.name, ...verdict }
    }),

    /** A commit as the work of a run that began at its parent; null: it adds to no function. */
    commit: Effect.fnUntraced(function* (step: Step, isSource: (path: string) => boolean) {
      for (const { after, before, path } of (yield* clone.writtenBy(step)).filter((file) => isSource(file.path))) {
        const source = yield* sourceIn(path, after)
        if (source === null) continue
        const tests = testsIn(path, after, source.outline)
        const added = addedTo(source, before, (line) => tests.some(({ end, start }) => line >= start && line <= end))
        if (added === null) continue
        const named = namedFiles(step.subject)
        const isItsPlace = named.length === 0 || named.some(({ name }) => path === name || path.endsWith(`/${name}`))
        yield* clone.checkout(step.commit)
        const base = yield* baseline.captureAt(step.parent)
        const verdict = yield* judged(path, added, base, isItsPlace ? step.subject : item)
        const said = { kind: "commit", what: "a commit" }
        const name = `${step.commit.slice(0, 8)} ${step.subject}`
        return { side: "genuine" as const, ...said, path, name, ...verdict }
      }
      return null
    })
  }
})
