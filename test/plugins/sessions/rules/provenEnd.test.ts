import { assert, describe, it } from "@effect/vitest"
import {
  type BaseCheck,
  type CheckRun,
  type CommandOf,
  defaultProof,
  proofOf,
  type RecordBaseChecks
} from "@proofline/kernel"
import { fact, receipt } from "../../../kernel/support/judge.ts"
import { evidence, revisited } from "../../../kernel/support/words.ts"
import { alice, aPlay, aSessionRun, bob, type Play } from "./playing.ts"

const { root } = aSessionRun()

/** A session run under the rules of proof, with a verifier. */
const unknownBase = (): Play => {
  const { config } = aSessionRun({}, { proof: defaultProof })
  return aPlay({}, undefined, { config, base: { commit: null, snapshot: { sha256: "0".repeat(64), bytes: 0 } } })
}

/** How the verifier ended before the work. */
const before = (outcome: BaseCheck["outcome"]): CommandOf<typeof RecordBaseChecks> => ({
  _tag: "RecordBaseChecks",
  checks: [
    {
      command: "true",
      outcome,
      message: "",
      exit_code: outcome === "green" ? 0 : 1,
      signal: null,
      timed_out: false,
      duration_ms: 1,
      output: null,
      output_tail: "",
      rests_on: []
    }
  ]
})

const ruled = (outcome: BaseCheck["outcome"] = "red"): Play => unknownBase().after(before(outcome))

const passing = { run: { exit_code: 0, timed_out: false, duration_ms: 1, output: null }, message: "" }

/** Everything is handed in, and the commands end so. */
const handedIn = (play: Play, over: Partial<CheckRun> = {}): Play => {
  const waiting = play.handedIn()
  return waiting.after(waiting.ends(over))
}

/** The same of a task that is done by word alone. */
const byWord = (outcome: BaseCheck["outcome"], over: Partial<CheckRun> = {}): Play =>
  handedIn(ruled(outcome).working({ id: "a", checklist: null }).byWord("a"), over)

/** What the events say to be missing. */
const missingIn = ({ events }: Play): ReadonlyArray<string> =>
  events
    .flatMap(({ content }) => (content as { missing?: ReadonlyArray<{ reason: string }> }).missing ?? [])
    .map(({ reason }) => reason)

const missingAt = (play: Play) => missingIn(play.when(alice.reports()))

describe("the verifiers of a session run", () => {
  it("given a project that has some, then they are run at the base, and a phase is verified only after that", () => {
    const submitted = unknownBase().working("a").proven("a").handedIn()
    assert.deepStrictEqual(submitted.starts, [])
    assert.deepStrictEqual(
      submitted.when(before("green")).starts.map(({ activity }) => activity),
      ["verification"]
    )
  })

  it("given one that was red and is green now, then it shows work that is done by word alone", () => {
    const { state } = byWord("red", { control: passing })
    assert.strictEqual(state.run.status, "completed")
    const { counts, verdict } = proofOf(state)
    assert.deepStrictEqual([verdict, counts.proven], ["proven", 1])
  })

  it.each<[string, BaseCheck["outcome"], Partial<CheckRun>, string]>([
    ["was green before", "green", { control: passing }, "was_green"],
    ["fails in a copy", "red", {}, "was_green"],
    ["runs what was written in this run", "red", { control: passing, written: ["test.js"] }, "agents_check"]
  ])("given one that passes and %s, then it shows nothing", (_, outcome, over, reason) => {
    const play = byWord(outcome, over)
    assert.strictEqual(play.state.run.status, "running")
    assert.deepStrictEqual(missingAt(play), ["by_word", reason])
  })

  it("given evidence that shows every task, then nothing is asked of them", () => {
    const play = handedIn(ruled("green").working("a").proven("a")).after(revisited())
    assert.strictEqual(play.state.run.status, "completed")
  })
})

describe("given that something is not shown at the end of all phases", () => {
  const atEnd = () => byWord("green")

  it("when success is reported, then it is told what is missing, and nothing is closed", () => {
    const told = atEnd().when(alice.reports())
    assert.deepStrictEqual(told.types, ["COMPLETION_REFUSED"])
    assert.strictEqual(told.state.run.status, "running")
    assert.isNull(told.session().closed)
  })

  it("when it is reported again and nothing has changed, then the run ends as incomplete, with the reasons", () => {
    const again = atEnd().after(alice.reports()).when(alice.reports())
    assert.includeMembers([...again.types], ["COMPLETION_REPORTED", "SESSION_CLOSED", "RUN_INCOMPLETE"])
    assert.isNotEmpty(missingIn(again))
  })

  it("when anything but success is reported, or everybody goes, then it ends at once", () => {
    for (const command of [alice.reports("failed"), alice.closes("process_ended")]) {
      assert.strictEqual(atEnd().when(command).state.run.status, "incomplete")
    }
  })

  it("when what is missing is planned, shown and handed in, then the word alone still shows nothing", () => {
    const back = atEnd().after(alice.reports(), alice.plans("b"))
    assert.strictEqual(back.phase, "READY_IMPL")
    assert.deepStrictEqual(missingAt(handedIn(back.proven("b"))), ["by_word", "was_green"])
  })

  it("when another agent comes, then it finds the run as it was left", () => {
    const play = atEnd().after(bob.opens({ gone: ["ses_alice"] }))
    assert.strictEqual(play.state.run.status, "running")
    assert.strictEqual(play.when(bob.completes("nothing")).code, "run_over")
    assert.deepStrictEqual(play.when(bob.reports()).types, ["COMPLETION_REFUSED"])
  })
})

describe("given a verification that fails", () => {
  /** A task whose item cites a file of its own. */
  const citing = (play: Play, id: string, path: string): Play => {
    const shown = { ...fact(0), path, evidence: `${path}:1-2`, receipt: { ...receipt, path } }
    return play.after(alice.completes(id), { ...evidence(id, 1, 0), facts: [shown] })
  }

  it.each<[string, string, ReadonlyArray<string> | null]>([
    ["the file of one task, then only what that shows is", "src/a.ts:3: it adds nothing up", ["a"]],
    ["its absolute path, then only what that shows is", `File "${root}/lib/b.py", line 3`, ["b"]],
    ["files of both, then both are", "./src/a.ts and lib/b.py differ", ["a", "b"]],
    ["no file, then all tasks are", "1 test failed", null],
    ["a file of nobody, then all tasks are", "src/c.ts:1: it is missing", null],
    ["a path that is only like one, then all are", "my-src/a.ts, other/src/a.ts and src/a.tsx", null]
  ])("when its output names %s sent back, and it is said", (_, output_tail, concerned) => {
    const play = citing(citing(ruled().working("a", "b"), "a", "src/a.ts"), "b", "lib/b.py").handedIn()
    const then = play.when(play.ends({ exit_code: 1, output_tail }))
    assert.deepStrictEqual(
      then.contents("TASK_STATUS_CHANGED").map(({ task_id }) => task_id),
      concerned ?? ["a", "b"]
    )
    assert.deepStrictEqual(then.phases.verification?.concerned?.map(({ task_id }) => task_id) ?? null, concerned)
  })
})
