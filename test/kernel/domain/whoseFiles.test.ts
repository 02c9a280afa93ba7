import { assert, describe, it } from "@effect/vitest"
import { type AnyCommand, isWorkOfOther, type RunConfig } from "@proofline/kernel"
import { aTask } from "@proofline/kernel/testing"
import { aPart, givenSplit } from "../support/chunks.ts"
import { begun, type Played } from "../support/play.ts"
import { end, start, task, verified } from "../support/words.ts"

type Spec = Parameters<typeof aTask>[1]

const two = (a: Spec, b: Spec, config: Partial<RunConfig> = {}) =>
  begun([aTask("a", { checks: [], ...a }), aTask("b", { checks: [], ...b })], config)

const found = (files_modified: ReadonlyArray<string> | null, files_undecided: ReadonlyArray<string> = []) =>
  files_undecided.length === 0 ? { files_modified } : { files_modified, files_undecided }

/** How the end of an attempt of `a` is recorded, while `b` is at work. */
const recorded = (a: Spec, b: Spec, files: ReturnType<typeof found>) => {
  const then = two(a, b).after(start("a"), start("b"), end("a", 1, "COMPLETE", files))
  const { files_modified, files_undecided } = then.content("ATTEMPT_ENDED")
  return [files_modified, files_undecided]
}

describe("given a file that changed while two tasks were at work", () => {
  it("when one of them is asked to write it and the other is not, then it is the work of that one", () => {
    assert.deepStrictEqual(recorded({ instruction: "Create x.js" }, {}, found(["own.js"], ["src/x.js", "y.js"])), [
      ["own.js", "src/x.js"],
      ["y.js"]
    ])
    assert.deepStrictEqual(
      recorded({ checklist: [{ item: "x.js exists" }] }, { instruction: "Like x.js" }, found([], ["x.js"])),
      [["x.js"], undefined]
    )
  })

  it("when both are, or none, or it is only to read it, then nobody can tell", () => {
    const both = { instruction: "Add a line to x.js" }
    assert.deepStrictEqual(recorded(both, both, found([], ["x.js"])), [[], ["x.js"]])
    assert.deepStrictEqual(recorded({}, {}, found([], ["x.js"])), [[], ["x.js"]])
    assert.deepStrictEqual(recorded({ instruction: "Do it like x.js" }, {}, found([], ["x.js"])), [[], ["x.js"]])
  })

  it("when one of several others is asked to write it too, then nobody can tell", () => {
    const ask = { checks: [], instruction: "Create x.js" }
    const ids = ["a", "b", "c"]
    const run = begun([aTask("a", ask), aTask("b", ask), aTask("c", { checks: [] })]).after(
      ...ids.map((id) => start(id))
    )
    const then = run.when(end("a", 1, "COMPLETE", found([], ["x.js"])))
    assert.deepStrictEqual(then.content("ATTEMPT_ENDED").files_undecided, ["x.js"])
  })

  it("when the other that is asked to write it has not begun, then it is the work of the one at work", () => {
    const ask = { instruction: "Create x.js" }
    const then = two(ask, ask).after(start("a"), end("a", 1, "COMPLETE", found([], ["x.js"])))
    assert.deepStrictEqual(then.content("ATTEMPT_ENDED").files_modified, ["x.js"])
  })

  it("when the report of one claims it, then that decides nothing", () => {
    const checklist = [{ item: "A", status: "done", evidence: "x.js:1" }] as const
    const run = two({ checklist: [{ item: "A" }] }, {}).after(start("a"), start("b"))
    const ended = end("a", 1, "COMPLETE", {
      ...found([], ["x.js"]),
      report: { summary: "", checklist, problems: [] }
    })
    assert.deepStrictEqual(run.when(ended).content("ATTEMPT_ENDED").files_undecided, ["x.js"])
  })
})

describe("given what two tasks changed", () => {
  const other = (path: string, a: Spec, b: Spec, ...commands: ReadonlyArray<AnyCommand>) => {
    const last = commands.at(-1) as AnyCommand
    const then = two(a, b).after(...commands.slice(0, -1), last)
    const state = then.state
    return isWorkOfOther(state, task(state, "a"), path)
  }
  const both = (ofA: ReturnType<typeof found>, ofB: ReturnType<typeof found>) => [
    start("a"),
    start("b"),
    end("a", 1, "COMPLETE", ofA),
    end("b", 1, "COMPLETE", ofB)
  ]

  it("when only the other one changed a file, then it is the work of the other", () => {
    assert.strictEqual(other("b.js", {}, {}, ...both(found(["a.js"]), found(["b.js"]))), "b")
    assert.strictEqual(other("b.js", {}, {}, ...both(found([]), found(["b.js"]))), "b")
  })

  it("when both changed it, or nobody can tell, then nobody says so", () => {
    assert.isNull(other("x.js", {}, {}, ...both(found(["x.js"]), found(["x.js"]))))
    assert.isNull(other("x.js", {}, {}, ...both(found([], ["x.js"]), found(["x.js"]))))
    assert.isNull(other("x.js", {}, {}, ...both(found([], ["x.js"]), found([], ["x.js"]))))
    assert.isNull(other("z.js", {}, {}, ...both(found(["a.js"]), found(["b.js"]))))
  })

  it("when nobody looked, or an attempt was lost, then nobody says so", () => {
    assert.isNull(other("b.js", {}, {}, ...both(found(null), found(["b.js"]))))
    const again = [start("a"), end("a", 1, "LOST"), start("a", 2), start("b")]
    const ends = [end("a", 2, "COMPLETE", found([])), end("b", 1, "COMPLETE", found(["b.js"]))]
    assert.isNull(other("b.js", {}, {}, ...again, ...ends))
  })

  it("when one builds on the other, then they are not set against each other", () => {
    const inTurn = [start("b"), end("b", 1, "COMPLETE", found(["b.js"])), verified("b"), start("a")]
    assert.isNull(
      other("b.js", { depends_on: ["b"] }, { checks: ["true"] }, ...inTurn, end("a", 1, "COMPLETE", found([])))
    )
  })
})

describe("given what parts of tasks changed", () => {
  const files = (files_modified: ReadonlyArray<string> | null) => ({ files_modified })
  const whose = (play: Played, id: string, path: string) => isWorkOfOther(play.state, play.task(id), path)

  /** `p` is split and one of its parts changed `x.js`; another task `b` changed nothing. */
  const split = givenSplit([aPart("one"), aPart("two")], { reviewer: "critic" }, {}, [
    aTask("b", { checks: [] })
  ]).after(
    start("b"),
    start("p-sub-1"),
    start("p-sub-2"),
    end("p-sub-1", 1, "COMPLETE", files(["x.js"])),
    end("p-sub-2", 1, "COMPLETE", files(["y.js"]))
  )

  it("when a part changed a file, then it is the work of that part for another task", () => {
    assert.strictEqual(whose(split.after(end("b", 1, "INCOMPLETE", files([]))), "b", "x.js"), "p-sub-1")
  })

  it("when tasks wait for one another through others, then they are not set against each other", () => {
    const chain = [aTask("a"), aTask("b", { depends_on: ["a"] }), aTask("c", { depends_on: ["b"] })]
    const does = (id: string, changed: ReadonlyArray<string>) => [start(id), end(id, 1, "COMPLETE", files(changed))]
    const one = begun(chain).after(
      ...does("a", ["x.js"]),
      verified("a"),
      ...does("b", []),
      verified("b"),
      ...does("c", [])
    )
    assert.isNull(whose(one, "c", "x.js"))
  })

  it("when several are found to be a task's, then they are told in order", () => {
    const spec = { instruction: "Create z.js, m.js and a.js" }
    assert.deepStrictEqual(recorded(spec, {}, found(["m.js"], ["z.js", "a.js"])), [["a.js", "m.js", "z.js"], undefined])
  })
})
