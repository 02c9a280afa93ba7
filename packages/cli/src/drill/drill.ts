import type { ScratchClone } from "@proofline/plugins/adapters/git-scratch-checkouts"
import { type Templates, testsIn } from "@proofline/plugins/policies/evidence"
import { ProjectFiles } from "@proofline/plugins/ports"
import { Clock, Effect } from "effect"
import type { DrillCase, NotTried } from "../documents/drillCase.ts"
import { count as counted } from "../render/lines.ts"
import { bentCheck } from "./cleanRoom.ts"
import type { RealFunction } from "./functions.ts"
import { isSource, isTest } from "./places.ts"
import { spread } from "./spread.ts"
import { type RealTest, realTests } from "./tests.ts"
import type { Source } from "./text.ts"
import { makeTrial } from "./trial.ts"

/** Cases of a kind, at most. */
const most = { stub: 8, comment: 3, untouched: 3, function: 4, test: 3, commit: 8 }
/** Files that are read for them. */
const mostFiles = { source: 60, test: 30 }
/** Commits that are looked at. */
const mostCommits = 120

interface Found<A> {
  readonly source: Source
  readonly one: A
}

/** When to stop, in ms since 1970. */
export interface Limits {
  /** No case is begun after it. */
  readonly cases: number
  /** What is begun has ended by then. */
  readonly all: number
}

/** Everything that is planted in the copy, in an order that is always the same. */
export const drilled = Effect.fnUntraced(function* (
  clone: ScratchClone,
  templates: Templates,
  until: Limits,
  tell: (one: DrillCase) => Effect.Effect<void>
) {
  const trial = yield* makeTrial(clone, templates)
  const cases: Array<DrillCase> = []
  const notTried: Array<NotTried> = []
  const isOver = Effect.map(Clock.currentTimeMillis, (now) => now >= until.cases)
  let isCut = false

  const keep = Effect.fnUntraced(function* (one: DrillCase) {
    cases.push(one)
    yield* tell(one)
  })

  const sourcesOf = Effect.fnUntraced(function* (paths: ReadonlyArray<string>, limit: number) {
    const found: Array<Source> = []
    const known = new Set(yield* Effect.filter(new Set(paths.map(extensionOf)), trial.knows))
    const readable = paths.filter((path) => known.has(extensionOf(path)))
    for (const path of spread(readable, extensionOf, limit * 2)) {
      if (found.length >= limit || (yield* isOver)) break
      const source = yield* trial.sourceAt(path)
      if (source !== null) found.push(source)
    }
    return found
  })

  /** Tries one after the other until there are enough of a kind. */
  const plant = Effect.fnUntraced(function* <A>(
    what: string,
    from: ReadonlyArray<Found<A>>,
    limit: number,
    make: (source: Source, one: A, turn: number) => Effect.Effect<DrillCase | null, unknown>
  ) {
    let made = 0
    for (const { one, source } of from) {
      if (made >= limit) break
      if (yield* isOver) {
        isCut = true
        break
      }
      const done = yield* Effect.orElseSucceed(make(source, one, made), () => null)
      if (done === null) continue
      made++
      yield* keep(done)
    }
    if (made === 0 && from.length > 0 && !isCut)
      notTried.push({ what, why: "It could not be planted in any of those that were found." })
  })

  const paths = yield* (yield* ProjectFiles).paths
  const own = paths.filter(isSource)
  const sources = yield* sourcesOf(own, mostFiles.source)
  const functions = spread(
    sources.flatMap((source) =>
      spread(trial.functionsOf(source), () => "", 4).map((one): Found<RealFunction> => ({ source, one }))
    ),
    ({ one }) => one.language,
    sources.length * 4
  )
  if (functions.length === 0) {
    const why =
      sources.length === 0
        ? `None of its ${counted(own.length, "file")} is in a language that Proofline has a grammar for.`
        : `No function of three lines of code was found in ${counted(sources.length, "file")}.`
    notTried.push({ what: "Functions left empty, untouched or only commented", why })
    notTried.push({ what: "Functions written anew", why })
  }
  const from = (start: number) => [...functions.slice(start), ...functions.slice(0, start)]
  yield* plant("Stubs", functions, most.stub, trial.stub)
  yield* plant("Lines that nobody touched", from(most.stub), most.untouched, trial.untouched)
  yield* plant("Comments and blank lines", from(most.stub + most.untouched), most.comment, trial.remark)

  const testPaths = paths.filter(isTest)
  const testSources = yield* sourcesOf(testPaths, mostFiles.test)
  // tests may stand beside what they test
  const tests = spread(
    [...testSources, ...sources].flatMap((source) =>
      spread(realTests(source, testsIn(source.path, source.text, source.outline)), () => "", 4).map(
        (one): Found<RealTest> => ({ source, one })
      )
    ),
    ({ one }) => one.language,
    (testSources.length + sources.length) * 4
  )
  if (tests.length === 0) {
    notTried.push({
      what: "Tests that are skipped, emptied, deleted or assert nothing",
      why:
        testPaths.length === 0
          ? "No test files were found."
          : `No test that asserts something was found in ${counted(testSources.length, "test file")} that can be read.`
    })
  }
  yield* plant("A test skipped", tests, most.test, trial.skipTest)
  yield* plant("A test without its assertions", tests.slice(1).concat(tests.slice(0, 1)), most.test, trial.stripTest)
  yield* plant("A test deleted", tests.slice(2).concat(tests.slice(0, 2)), most.test, trial.deleteTest)
  yield* plant("An empty test", tests.slice(3).concat(tests.slice(0, 3)), most.test, trial.addEmptyTest)
  yield* plant("Functions written anew", from(most.stub), most.function, trial.putBack)

  const steps = yield* Effect.orElseSucceed(clone.history(mostCommits), () => [])
  let replayed = 0
  for (const step of steps) {
    if (replayed >= most.commit) break
    if (yield* isOver) {
      isCut = true
      break
    }
    const done = yield* Effect.orElseSucceed(trial.commit(step, isSource), () => null)
    if (done === null) continue
    replayed++
    yield* keep(done)
  }
  if (replayed === 0 && !isCut) {
    notTried.push({
      what: "Commits as honest work",
      why:
        steps.length === 0
          ? "There is no commit with a parent to compare with."
          : `None of the last ${counted(steps.length, "commit")} adds two new lines to a function in a known language.`
    })
  }
  if (isCut) notTried.push({ what: "The rest of the cases", why: "The time was used up." })
  yield* Effect.ignore(clone.checkout(clone.commit))
  const bent = yield* bentCheck(clone, until.all)
  if ("side" in bent) yield* keep(bent)
  else notTried.push(bent)
  return { cases, notTried }
})

const extensionOf = (path: string): string => {
  const name = path.slice(path.lastIndexOf("/") + 1)
  return name.includes(".") ? name.slice(name.lastIndexOf(".")) : ""
}
