import { assert, describe, it } from "@effect/vitest"
import type { Phase } from "../../../../packages/plugins/src/policies/sessions/contract.ts"
import { isProven, missingIn } from "../../../../packages/plugins/src/policies/sessions/rules/missing.ts"
import { alice, aPhase, noon, type Play, phases, to, withContract, working } from "./playing.ts"

/** Two phases that verify, with these commands, and one more before the end. */
const twice = (first: ReadonlyArray<string>, second: ReadonlyArray<string>, over: Partial<Phase> = {}): Play =>
  withContract({
    POST_IMPL_VERIFY: aPhase({ kind: "verify", checks: first, transitions: [to("SECOND")] }),
    SECOND: aPhase({ kind: "verify", checks: second, transitions: [to("LAST")], ...over }),
    LAST: aPhase({ transitions: [to("DONE")] })
  })
    .working("a")
    .proven("a")
    .handedIn()

const passes = (play: Play, ...commands: ReadonlyArray<string>): Play =>
  play.after(play.ends(...commands.map((command) => ({ command }))))

const both = (play: Play): Play => passes(passes(play, "one").after(alice.submits({})), "two")

const shown = ({ phases }: Play) => [phases.passed.map(({ command }) => command), phases.verified]

describe("what has passed of the work as it is", () => {
  it("is every command of every phase that verifies, each once", () => {
    assert.deepStrictEqual(shown(both(twice(["one"], ["two"])))[0], ["one", "two"])
    const again = passes(twice(["one"], ["one"]), "one").after(alice.submits({}))
    assert.deepStrictEqual(shown(passes(again, "one"))[0], ["one"])
  })

  it("is what passed before as long as the second is handed in", () => {
    assert.deepStrictEqual(shown(passes(twice(["one"], ["two"]), "one").after(alice.submits({})))[0], ["one"])
  })

  it("is nothing where a later one fails, may write, or the work goes on", () => {
    const first = passes(twice(["one"], ["two"]), "one").after(alice.submits({}))
    assert.deepStrictEqual(shown(first.after(first.ends({ command: "two", exit_code: 1 })))[0], [])
    assert.deepStrictEqual(shown(both(twice(["one"], ["two"], { writes: true })))[0], [])
    assert.deepStrictEqual(shown(both(twice(["one"], ["two"])).after(alice.creates("more")))[0], [])
  })

  it("verifies the whole where every verifier of the project was run", () => {
    const verified = (checks: ReadonlyArray<string>, verifiers: ReadonlyArray<string>) => {
      const POST_IMPL_VERIFY = aPhase({ kind: "verify", checks, transitions: [to("LAST")] })
      const LAST = aPhase({ transitions: [to("DONE")] })
      const handed = withContract({ POST_IMPL_VERIFY, LAST }, {}, { verifiers }).working("a").proven("a").handedIn()
      return passes(handed, ...checks).phases.verified
    }
    assert.isTrue(verified(["one", "two", "three"], ["two", "one"]))
    assert.isFalse(verified(["one"], ["one", "two"]))
  })
})

describe("checks that agents do not see", () => {
  const escrowed = ["escrowed check: it holds"]
  const [name = ""] = escrowed
  const verifying = (checks: ReadonlyArray<string>) =>
    withContract(
      {
        POST_IMPL_VERIFY: aPhase({ kind: "verify", checks, transitions: [to("LAST")] }),
        LAST: aPhase({ transitions: [to("DONE")] })
      },
      {},
      { verifiers: ["verifier"], escrowed }
    )
      .working("a")
      .proven("a")
      .handedIn()
  const missing = (play: Play) =>
    missingIn(play.state).flatMap(({ command, reason }) => (command === undefined ? [] : [[command, reason]]))

  it("given a phase that verifies, then it is over only when they were run too, whatever else it runs", () => {
    const rows: ReadonlyArray<readonly [checks: ReadonlyArray<string>, run: ReadonlyArray<string>, isOver: boolean]> = [
      [[], ["verifier"], false],
      [[], ["verifier", name], true],
      [["own"], ["own"], false],
      [["own"], ["own", name], true]
    ]
    for (const [checks, run, isOver] of rows)
      assert.strictEqual(passes(verifying(checks), ...run).phases.verification?.passed, isOver, run.join(", "))
  })

  it("given one that does not hold, then what is missing is named by its criterion, and the run is not proven", () => {
    const handed = verifying([])
    const failed = handed.after(handed.ends({ command: "verifier" }, { command: name, exit_code: 1 }))
    assert.deepStrictEqual(missing(failed), [[name, "escrow_open"]])
    assert.isFalse(isProven(failed.state, failed.phases))
    const held = passes(verifying([]), "verifier", name)
    assert.deepStrictEqual([missing(held), isProven(held.state, held.phases)], [[], true])
  })

  it("given a contract that never verifies, then the run is not proven", () => {
    const play = withContract(
      { POST_IMPL_VERIFY: aPhase({ transitions: [to("LAST")] }), LAST: aPhase({ transitions: [to("DONE")] }) },
      {},
      { verifiers: [], escrowed }
    )
    const ended = play.working("a").proven("a").handedIn()
    assert.deepStrictEqual([missing(ended), isProven(ended.state, ended.phases)], [[[name, "escrow_open"]], false])
  })
})

describe("work that was sent back", () => {
  it("is so until it is done again, planned anew, or tasks are added", () => {
    const failed = working("a").proven("a").failing()
    assert.isTrue(failed.phases.sent_back)
    for (const command of [alice.plans("a", "b"), alice.creates("more")]) {
      assert.isFalse(failed.after(command).phases.sent_back, command._tag)
    }
    assert.isFalse(failed.proven("a").phases.sent_back)
  })
})

describe("what is noted of a task", () => {
  it("is why it is blocked, until it goes on", () => {
    const play = working("a", "b").after(alice.starts("a"), alice.blocks("a"))
    assert.deepStrictEqual(
      ["a", "b"].map((id) => play.assignment(id).reason),
      ["no access", ""]
    )
    assert.strictEqual(play.after(alice.starts("a")).assignment("a").reason, "")
  })

  it("is no failure where the agent itself says so", () => {
    const failed = working("a").proven("a").failing()
    const again = failed.after(alice.sets("a", "blocked", "verification_failed"))
    assert.deepStrictEqual(
      [failed, again].map((play) => play.assignment("a").failures),
      [1, 1]
    )
  })

  it("is seen with whoever asked for it", () => {
    const at = "2026-01-02T12:34:00.000Z"
    const play = working("a")
    assert.strictEqual(play.session().seen_at, noon)
    assert.strictEqual(play.after({ ...alice.starts("a"), at }).session().seen_at, at)
  })
})

describe("a task that is done again after the whole was verified", () => {
  it("leaves the whole unverified", () => {
    const LAST = aPhase({ transitions: [to("DONE")] })
    const POST_IMPL_VERIFY = { ...phases.POST_IMPL_VERIFY, transitions: [to("LAST")] }
    const verified = withContract({ POST_IMPL_VERIFY, LAST }).working("a").proven("a").handedIn().passed()
    assert.deepStrictEqual(shown(verified), [["true"], true])
    assert.deepStrictEqual(shown(verified.after(alice.creates("more"))), [[], false])
  })
})
