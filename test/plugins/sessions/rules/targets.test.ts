import { assert, describe, it } from "@effect/vitest"
import type { WriteTarget } from "@proofline/plugins/ports"
import type { PhaseContract } from "../../../../packages/plugins/src/policies/sessions/contract.ts"
import { alice, aPhase, aTarget, bob, noon, type Play, planning, to, withContract, working } from "./playing.ts"

/** Alice has looked at `src/a.ts` and `lib/deep/b.ts`, and has planned one task that says this. */
const held = (
  targets: Partial<PhaseContract["write_targets"]> = {},
  description = "Add up.",
  items: ReadonlyArray<string> = ["one"]
): Play =>
  withContract({}, { write_targets: { existing: "explored", fresh: "explored", required: false, ...targets } }).after(
    alice.explores("src/a.ts", "./lib/deep/b.ts:12-40"),
    alice.plans({ id: "t", description, checklist: items })
  )

/** Alice has looked at this alone. */
const looked = (path: string): Play => withContract({}).after(alice.explores(path), alice.plans("t"))

const answerTo = (play: Play, path: string | null, kind: WriteTarget["kind"] = "file", fresh = true) => {
  const [checked] = play.when(alice.checks(path, kind, fresh)).contents("WRITE_TARGET_CHECKED")
  assert.strictEqual(checked?.allowed, checked?.code === "allowed")
  return checked?.code
}

describe("a file that exists", () => {
  it("may be written when it was looked at, and not for its name or its folder", () => {
    for (const path of ["src/a.ts", "lib/deep/b.ts"]) assert.strictEqual(answerTo(held(), path), "allowed", path)
    for (const path of ["src/c.ts", "lib/a.ts", "a.ts", "src/a.ts.bak", "lib/deep", "SRC/a.ts"]) {
      assert.strictEqual(answerTo(held(), path), "not_explored", path)
    }
  })

  it.each([
    ["Repair src/c.ts", "one"],
    ["First line.\nThen src/c.ts.", "one"],
    ["Add up.", "add add() to `src/c.ts`"],
    ["Add up.", "see (src/c.ts:12), please"],
    ["Add up.", "./src/c.ts"],
    ["Add up.", "src/c.ts、src/d.tsを直す"]
  ])("may be written when the plan names it: %s %s", (description, item) => {
    assert.strictEqual(answerTo(held({}, description, [item]), "src/c.ts"), "allowed")
  })

  it("may not be written when the plan names another file that is spelled like it", () => {
    for (const item of ["src/c.tsx", "my/src/c.ts", "src/c.ts/d", "xsrc/c.ts", "-src/c.ts", "../src/c.ts", "src/c"]) {
      assert.strictEqual(answerTo(held({}, "Add up.", [item]), "src/c.ts"), "not_explored", item)
    }
  })

  it("may not be written any more when the task that named it was withdrawn", () => {
    const play = held({}, "Repair src/c.ts").after(alice.plans("u"))
    assert.strictEqual(answerTo(play, "src/c.ts"), "allowed")
    assert.strictEqual(answerTo(play.after(alice.cancels("t")), "src/c.ts"), "not_explored")
  })

  it("may be written wherever the contract allows any", () => {
    assert.strictEqual(answerTo(held({ existing: "any" }), "src/c.ts"), "allowed")
  })
})

describe("a file that does not exist", () => {
  it.each<[string, () => Play, allowed: ReadonlyArray<string>, others: ReadonlyArray<string>]>([
    [
      "beside a file that was looked at, and below its folder",
      held,
      ["src/new.ts", "src/sub/new.ts", "lib/deep/new.ts", "lib/deep/er/new.ts"],
      ["lib/new.ts", "new.ts", "srcs/new.ts", "other/src/new.ts"]
    ],
    ["beside a file at the root only at the root", () => looked("index.ts"), ["other.ts"], ["src/other.ts"]],
    ["in a folder that was looked at", () => looked("docs/"), ["docs/new.md", "docs.md"], ["src/new.md"]],
    ["when the plan names it", () => held({}, "Add other/new.ts"), ["other/new.ts"], []],
    ["anywhere where the contract says so", () => held({ fresh: "any" }), ["other/new.ts"], []]
  ])("may be made %s", (_, play, allowed, others) => {
    for (const path of allowed) assert.strictEqual(answerTo(play(), path, "missing"), "allowed", path)
    for (const path of others) assert.strictEqual(answerTo(play(), path, "missing"), "new_file_not_planned", path)
  })

  it("may not be made where the contract says so, also when it is planned, or the agent itself asked for none", () => {
    for (const play of [held({ fresh: "none" }), held({ fresh: "none" }, "Add src/new.ts")]) {
      assert.strictEqual(answerTo(play, "src/new.ts", "missing"), "new_file_not_allowed")
    }
    assert.strictEqual(answerTo(held({ fresh: "any" }), "src/new.ts", "missing", false), "new_file_not_allowed")
    assert.strictEqual(answerTo(held(), "src/a.ts", "file", false), "allowed")
  })
})

describe("what is no file of the project", () => {
  it("is refused before anything else, whatever the contract allows", () => {
    const play = held({ existing: "any", fresh: "any" })
    assert.strictEqual(answerTo(play, null), "outside_root")
    assert.strictEqual(answerTo(play, "src", "directory"), "not_a_file")
    assert.strictEqual(answerTo(play, "dev", "other"), "not_a_file")
    for (const fault of ["outside_root", "housekeeping", "invalid"] as const) {
      const target = { ...aTarget("x", "missing"), fault, message: "No." }
      const then = play.when({ ...alice.checks("x"), target })
      assert.strictEqual(then.contents("WRITE_TARGET_CHECKED")[0]?.code, fault)
    }
  })
})

describe("a phase that may not write", () => {
  it("refuses every file, whatever the contract allows", () => {
    const any = withContract({}, { write_targets: { existing: "any", fresh: "any", required: false } })
    for (const play of [planning(), withContract({}), any]) {
      assert.strictEqual(answerTo(play, "src/a.ts"), "phase_cannot_write")
    }
  })
})

describe("the answer", () => {
  it("is recorded with what was asked, also when it is no", () => {
    assert.deepStrictEqual(held().when(alice.checks("src/c.ts")).contents("WRITE_TARGET_CHECKED"), [
      {
        session_id: "ses_alice",
        at: noon,
        file_path: "src/c.ts",
        allow_new_files: true,
        target: aTarget("src/c.ts"),
        changed: null,
        allowed: false,
        code: "not_explored",
        writable: []
      }
    ])
  })

  it("allows nothing by having been asked", () => {
    const play = held().after(alice.checks("src/c.ts"))
    const writable = ({ phases }: Play) => [...phases.writable].map(([agent, paths]) => [agent, [...paths]])
    assert.deepStrictEqual(writable(play), [])
    assert.deepStrictEqual(writable(play.after(alice.checks("src/a.ts"))), [["alice", ["src/a.ts"]]])
  })

  it("is refused to a session nobody knows", () => {
    assert.strictEqual(working("a").when(bob.checks("src/a.ts")).code, "session_unknown")
  })
})

describe("what was looked at", () => {
  const EXPLORATION = aPhase({
    expected_payload: { explored_files: "list" },
    explores: ["explored_files"],
    transitions: [to("READY_PLAN")]
  })
  const found = { found: "nothing.ts", path: "src/a.ts", why: "It adds." }

  it.each<[string, ReadonlyArray<unknown>, ReadonlyArray<string>]>([
    [
      "is read as paths from the root, however it is written",
      ["src/a", "./src/b", "/project/src/c", "src//d", "src/x/../e", "`src/f`", '"src/g:3"', "src\\h"],
      ["src/a", "src/b", "src/c", "src/d", "src/e", "src/f", "src/g", "src/h"]
    ],
    ["is nothing where it is blank", [" "], []],
    [
      "may come with what was found",
      [found, { file: "src/b.ts" }, { why: "src/c.ts" }, 3, null],
      ["src/a.ts", "src/b.ts"]
    ]
  ])("%s", (_, explored_files, paths) => {
    const play = withContract({ EXPLORATION }).after(alice.submits({ explored_files }))
    assert.deepStrictEqual([...play.phases.explored].toSorted(), paths)
  })

  it("is refused where it leads out", () => {
    const out = ["../a.ts", "/etc/passwd", "src/../../x", "/projects/a.ts"]
    const refused = withContract({ EXPLORATION }).when(alice.submits({ explored_files: ["src/a.ts", ...out] }))
    assert.deepStrictEqual(
      refused.failures.map(({ fields, key }) => [key, fields["files"]]),
      [["explored_file_not_found", out.join(", ")]]
    )
  })
})
