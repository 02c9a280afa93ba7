import { assert, describe, it } from "@effect/vitest"
import type { WriteTarget } from "@proofline/plugins/ports"
import type { PhaseContract } from "../../../../packages/plugins/src/policies/sessions/contract.ts"
import {
  aPhase,
  aPlan,
  aTarget,
  because,
  checksTarget,
  codeOf,
  contentsOf,
  type Play,
  planning,
  submits,
  to,
  updates,
  withContract,
  working
} from "./playing.ts"

type Targets = PhaseContract["write_targets"]

const exploring = (...explored_files: ReadonlyArray<string>) => ({ explored_files, findings: ["x"] })

/** Alice has looked at `src/a.ts` and `lib/deep/b.ts`, and has planned one task that says this. */
const held = (targets: Partial<Targets> = {}, description = "Add up.", items: ReadonlyArray<string> = ["one"]): Play =>
  withContract({}, { write_targets: { existing: "explored", fresh: "explored", required: false, ...targets } }).after(
    submits("alice", exploring("src/a.ts", "./lib/deep/b.ts:12-40")),
    submits("alice", aPlan({ id: "t", description, checklist: items }))
  )

const answerTo = (play: Play, path: string | null, kind: WriteTarget["kind"] = "file", fresh = true) => {
  const [checked] = contentsOf(play.when(checksTarget("alice", path, kind, fresh)), "WRITE_TARGET_CHECKED")
  assert.strictEqual(checked?.allowed, checked?.code === "allowed")
  return checked?.code
}

describe("a file that exists", () => {
  it("may be written when it was looked at", () => {
    assert.strictEqual(answerTo(held(), "src/a.ts"), "allowed")
    assert.strictEqual(answerTo(held(), "lib/deep/b.ts"), "allowed")
  })

  it("may not be written when nobody looked at it, also not for its name or its folder", () => {
    for (const path of ["src/c.ts", "lib/a.ts", "a.ts", "src/a.ts.bak", "lib/deep", "SRC/a.ts"]) {
      assert.strictEqual(answerTo(held(), path), "not_explored", path)
    }
  })

  it("may be written when the plan names it, in its title, its text or an item", () => {
    for (const [description, items] of [
      ["Repair src/c.ts", ["one"]],
      ["First line.\nThen src/c.ts.", ["one"]],
      ["Add up.", ["add add() to `src/c.ts`"]],
      ["Add up.", ["see (src/c.ts:12), please"]],
      ["Add up.", ["./src/c.ts"]],
      ["Add up.", ["src/c.ts、src/d.tsを直す"]]
    ] as const) {
      assert.strictEqual(answerTo(held({}, description, items), "src/c.ts"), "allowed", `${description} ${items}`)
    }
  })

  it("may not be written when the plan names another file that is spelled like it", () => {
    for (const item of ["src/c.tsx", "my/src/c.ts", "src/c.ts/d", "xsrc/c.ts", "-src/c.ts", "../src/c.ts", "src/c"]) {
      assert.strictEqual(answerTo(held({}, "Add up.", [item]), "src/c.ts"), "not_explored", item)
    }
  })

  it("may not be written any more when the task that named it was withdrawn", () => {
    const play = held({}, "Repair src/c.ts").after(submits("alice", aPlan("u")))
    assert.strictEqual(answerTo(play, "src/c.ts"), "allowed")
    assert.strictEqual(answerTo(play.after(updates("alice", "t", "cancelled", because)), "src/c.ts"), "not_explored")
  })

  it("may be written wherever the contract allows any", () => {
    assert.strictEqual(answerTo(held({ existing: "any" }), "src/c.ts"), "allowed")
  })
})

describe("a file that does not exist", () => {
  it("may be made beside a file that was looked at, and below its folder", () => {
    for (const path of ["src/new.ts", "src/sub/new.ts", "lib/deep/new.ts", "lib/deep/er/new.ts"]) {
      assert.strictEqual(answerTo(held(), path, "missing"), "allowed", path)
    }
    for (const path of ["lib/new.ts", "new.ts", "srcs/new.ts", "other/src/new.ts"]) {
      assert.strictEqual(answerTo(held(), path, "missing"), "new_file_not_planned", path)
    }
  })

  it("may be made beside a file at the root only at the root", () => {
    const play = withContract({}).after(submits("alice", exploring("index.ts")), submits("alice", aPlan("t")))
    assert.strictEqual(answerTo(play, "other.ts", "missing"), "allowed")
    assert.strictEqual(answerTo(play, "src/other.ts", "missing"), "new_file_not_planned")
  })

  it("may be made in a folder that was looked at", () => {
    const play = withContract({}).after(submits("alice", exploring("docs/")), submits("alice", aPlan("t")))
    assert.strictEqual(answerTo(play, "docs/new.md", "missing"), "allowed")
    assert.strictEqual(answerTo(play, "docs.md", "missing"), "allowed")
    assert.strictEqual(answerTo(play, "src/new.md", "missing"), "new_file_not_planned")
  })

  it("may be made when the plan names it", () => {
    assert.strictEqual(answerTo(held({}, "Add other/new.ts"), "other/new.ts", "missing"), "allowed")
  })

  it("may be made anywhere, or nowhere, where the contract says so", () => {
    assert.strictEqual(answerTo(held({ fresh: "any" }), "other/new.ts", "missing"), "allowed")
    assert.strictEqual(answerTo(held({ fresh: "none" }), "src/new.ts", "missing"), "new_file_not_allowed")
    assert.strictEqual(
      answerTo(held({ fresh: "none" }, "Add src/new.ts"), "src/new.ts", "missing"),
      "new_file_not_allowed"
    )
  })

  it("may not be made when the agent itself asked for none", () => {
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
      const then = play.when({ ...checksTarget("alice", "x"), target })
      assert.strictEqual(contentsOf(then, "WRITE_TARGET_CHECKED")[0]?.code, fault)
    }
  })
})

describe("a phase that may not write", () => {
  it("refuses every file, and says which one may", () => {
    for (const play of [planning(), withContract({}, {}, {})]) {
      assert.strictEqual(answerTo(play, "src/a.ts"), "phase_cannot_write")
    }
    const targets = { existing: "any", fresh: "any", required: false } as const
    assert.strictEqual(answerTo(withContract({}, { write_targets: targets }), "src/a.ts"), "phase_cannot_write")
  })
})

describe("the answer", () => {
  it("is recorded with what was asked, also when it is no", () => {
    const then = held().when(checksTarget("alice", "src/c.ts"))
    assert.deepStrictEqual(contentsOf(then, "WRITE_TARGET_CHECKED"), [
      {
        session_id: "ses_alice",
        at: "2026-01-02T12:00:00.000Z",
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
    const play = held().after(checksTarget("alice", "src/c.ts"))
    const writable = ({ phases }: typeof play) => [...phases.writable].map(([agent, paths]) => [agent, [...paths]])
    assert.deepStrictEqual(writable(play), [])
    assert.deepStrictEqual(writable(play.after(checksTarget("alice", "src/a.ts"))), [["alice", ["src/a.ts"]]])
  })

  it("is refused to a session nobody knows", () => {
    assert.strictEqual(codeOf(working("a").when(checksTarget("bob", "src/a.ts"))), "session_unknown")
  })
})

describe("what was looked at", () => {
  const seen = (...files: ReadonlyArray<unknown>) =>
    [
      ...withContract({
        EXPLORATION: aPhase({
          expected_payload: { explored_files: "list" },
          explores: ["explored_files"],
          transitions: [to("READY_PLAN")]
        })
      }).after(submits("alice", { explored_files: files })).phases.explored
    ].toSorted()

  it("is read as paths from the root, however it is written", () => {
    assert.deepStrictEqual(
      seen(
        "src/a.ts",
        "./src/b.ts",
        "/project/src/c.ts",
        "src//d.ts",
        "src/x/../e.ts",
        "`src/f.ts`",
        '"src/g.ts:3"',
        "src\\h.ts"
      ),
      ["src/a.ts", "src/b.ts", "src/c.ts", "src/d.ts", "src/e.ts", "src/f.ts", "src/g.ts", "src/h.ts"]
    )
  })

  it("is nothing where it leads out of the project", () => {
    assert.deepStrictEqual(seen("../a.ts", "/etc/passwd", "src/../../x", "/projects/a.ts", " "), [])
  })

  it("may come with what was found", () => {
    const found = { found: "nothing.ts", path: "src/a.ts", why: "It adds." }
    assert.deepStrictEqual(seen(found, { file: "src/b.ts" }, { why: "src/c.ts" }, 3, null), ["src/a.ts", "src/b.ts"])
  })
})
