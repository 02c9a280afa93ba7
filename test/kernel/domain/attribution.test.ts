import { assert, describe, it } from "@effect/vitest"
import { buildsOn, isOwnFile, mayBeOwnFile, type PlannedSubtask, ranTogether } from "@proofline/kernel"
import { aTask } from "@proofline/kernel/testing"
import { aPart, chunking, givenSplit, passes } from "../support/chunks.ts"
import { receipt } from "../support/judge.ts"
import { begun, type Played } from "../support/play.ts"
import { done, end, endReporting, evidence, start } from "../support/words.ts"

type Plan = Partial<PlannedSubtask>

/** Two parts that are begun at the same time. */
const together = (a: Plan = {}, b: Plan = {}, workspace: "shared" | "worktree" = "shared"): Played =>
  givenSplit([aPart("first", a), aPart("second", b)], { reviewer: "critic", ...chunking({ workspace }) }).after(
    start("p-sub-1"),
    start("p-sub-2")
  )

/** Whether a file is the first part's, and whether it may be. */
const ofFirst = (play: Played, path: string) => {
  const task = play.task("p-sub-1")
  return [isOwnFile(play.state, task, path), mayBeOwnFile(play.state, task, path)]
}

const surely = [true, true]
const perhaps = [false, true]
const not = [false, false]

describe("a file that changed while two parts were at work", () => {
  it.each<[string, path: string, a: Plan, b: Plan, expected: ReadonlyArray<boolean>]>([
    ["nothing speaks for either", "x/y.js", {}, {}, perhaps],
    ["the plan lists it for the part", "src/a.js", { paths: ["src/a.js"] }, {}, surely],
    ["the plan lists its end for the part", "src/a.js", { paths: ["a.js"] }, { title: "src a" }, surely],
    ["the plan lists a name that it only ends in", "src/aa.js", { paths: ["a.js"] }, {}, perhaps],
    ["the plan lists it for the other", "src/a.js", { title: "a" }, { paths: ["x.js", "src/a.js"] }, not],
    ["the plan lists it for both", "src/a.js", { paths: ["a.js"] }, { paths: ["src/a.js"] }, perhaps],
    ["it is named after the part", "out/p-sub-1.js", {}, { prompt: "Write p sub 1" }, surely],
    ["it is named after the part, with a word behind", "out/p-sub-1-log.js", {}, {}, surely],
    ["it is named after another number", "out/p-sub-10.js", {}, {}, perhaps],
    ["it is named after the other", "p-sub-2/out.js", { prompt: "Write out" }, {}, not],
    ["the plan lists what is named after the other", "p-sub-2.js", { paths: ["p-sub-2.js"] }, {}, surely],
    ["the words of the part say its name", "src/login.js", { prompt: "Write the Login" }, {}, surely],
    ["its title says its name", "src/login.js", { title: "login" }, {}, surely],
    ["the words of the other say more of its name", "userLogin.ts", { prompt: "login" }, { prompt: "user login" }, not],
    ["the words of both say as much of its name", "user-login.ts", { prompt: "login" }, { prompt: "user" }, perhaps],
    ["only its folder is said", "login/x.js", { prompt: "login" }, {}, perhaps],
    ["only its ending is said", "src/zz.js", { prompt: "js" }, {}, perhaps],
    ["a word of its name is in capitals", "src/Login.js", { prompt: "LOGIN" }, {}, surely],
    ["its name has more than one dot", "src/login.test.js", { prompt: "login" }, { prompt: "test" }, perhaps],
    ["its words stand far from one another", "a--login__user.js", { prompt: "login" }, { prompt: "user login" }, not],
    ["its name has no word that is longer than a letter", "src/a.js", { prompt: "a" }, {}, perhaps]
  ])("when %s", (_, path, a, b, expected) => {
    const plain = { prompt: "Do it.", title: "one" }
    assert.deepStrictEqual(ofFirst(together({ ...plain, ...a }, { ...plain, ...b }), path), expected)
  })

  it("when the other one has ended and did not change it, then it is the part's", () => {
    const ended = (files: ReadonlyArray<string>) => together().after(...passes("p-sub-2", 1, files).slice(1))
    assert.deepStrictEqual(ofFirst(ended(["y.js"]), "x.js"), surely)
    assert.deepStrictEqual(ofFirst(ended(["x.js"]), "x.js"), perhaps)
  })

  it("when each part has a directory of its own, then it is the part's", () => {
    assert.deepStrictEqual(ofFirst(together({}, { paths: ["x.js"] }, "worktree"), "x.js"), surely)
  })

  it("when the other one was not at work then, then it is the part's", () => {
    const plan = [aPart("first"), aPart("second", { paths: ["x.js"] })]
    assert.deepStrictEqual(ofFirst(givenSplit(plan).after(start("p-sub-1")), "x.js"), surely)
    const after = givenSplit(plan).after(...passes("p-sub-1"), start("p-sub-2"))
    assert.deepStrictEqual(ofFirst(after, "x.js"), surely)
    assert.isFalse(ranTogether(after.state, after.task("p-sub-1"), after.task("p-sub-2")))
    assert.isTrue(ranTogether(together().state, after.task("p-sub-1"), after.task("p-sub-2")))
  })

  it("when it is a task's that is no part, then nobody else is asked", () => {
    const play = givenSplit([aPart("a"), aPart("b")], {}, {}, [aTask("other", { checks: [] })]).after(
      start("other"),
      start("p-sub-1")
    )
    const other = play.task("other")
    assert.deepStrictEqual([isOwnFile(play.state, other, "x.js"), mayBeOwnFile(play.state, other, "x.js")], surely)
  })

  it("when one of several others has a better claim, then it is not the part's", () => {
    const plan = [aPart("first", { prompt: "login" }), aPart("second"), aPart("third", { paths: ["login.js"] })]
    const play = givenSplit(plan).after(start("p-sub-1"), start("p-sub-2"), start("p-sub-3"))
    assert.deepStrictEqual(ofFirst(play, "login.js"), not)
  })

  it("when they were at work together once, then that counts, whatever else they did", () => {
    const config = { reviewer: "critic" }
    const play = givenSplit([aPart("first"), aPart("second")], config).after(
      start("p-sub-1"),
      end("p-sub-1", 1, "ERROR"),
      start("p-sub-1", 2),
      start("p-sub-2")
    )
    assert.deepStrictEqual(ofFirst(play, "x.js"), perhaps)
  })

  it("when evidence in it was cited for the part, then that counts more than names", () => {
    const plan = { acceptance_criteria: ["one"] }
    const cited = (b: Plan) =>
      together(plan, b).after(endReporting("p-sub-1", 1, [done("one")]), evidence("p-sub-1", 1, 0))
    assert.deepStrictEqual(ofFirst(cited({ prompt: "p sub" }), receipt.path), surely)
    assert.deepStrictEqual(ofFirst(cited({ paths: [receipt.path] }), receipt.path), not)
    assert.deepStrictEqual(ofFirst(cited({ prompt: "other words" }), `other/${receipt.path}`), perhaps)
    assert.deepStrictEqual(
      ofFirst(together(plan).after(end("p-sub-1"), { ...evidence("p-sub-1", 1), facts: [] }), receipt.path),
      perhaps
    )
  })
})

describe("what a part builds on", () => {
  const plan = [
    aPart("last", { dependencies: [3] }),
    aPart("first"),
    aPart("middle", { dependencies: [2, 4] }),
    aPart("other", { dependencies: [2] }),
    aPart("alone")
  ]
  const play = givenSplit(plan)
  const names = (id: string) => buildsOn(play.state, play.task(id)).map(({ spec }) => spec.id)

  it("is all that it depends on, directly or not, each once and in the order in which they are run", () => {
    assert.deepStrictEqual(names("p-sub-1"), ["p-sub-2", "p-sub-4", "p-sub-3"])
    assert.deepStrictEqual(names("p-sub-4"), ["p-sub-2"])
    assert.deepStrictEqual(names("p-sub-5"), [])
  })

  it("is no task beside", () => {
    const beside = begun([aTask("a"), aTask("b", { depends_on: ["a"] })])
    assert.deepStrictEqual(buildsOn(beside.state, beside.task("b")), [])
  })
})
