import { assert, describe, it } from "@effect/vitest"
import {
  type AnyEvent,
  type BaseCheck,
  type CheckRun,
  type CommandOf,
  defaultProof,
  proofOf,
  type RecordBaseChecks
} from "@proofline/kernel"
import type { RecordPhaseChecks } from "../../../../packages/plugins/src/policies/sessions/contract.ts"
import { fact, receipt } from "../../../kernel/support/judge.ts"
import { check, evidence, revisited } from "../../../kernel/support/words.ts"
import {
  aPlan,
  aPlay,
  aSessionRun,
  closes,
  codeOf,
  completes,
  explored,
  opens,
  type PlannedTask,
  type Play,
  proven,
  reports,
  submits,
  updates,
  verifies,
  verifying
} from "./playing.ts"

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

const planned = (play: Play, ...tasks: ReadonlyArray<string | PlannedTask>): Play =>
  play.after(submits("alice", explored), submits("alice", aPlan(...tasks)))

/** A task that is done by word alone. */
const byWord = (play: Play): Play =>
  planned(play, { id: "a", checklist: null }).after(updates("alice", "a", "in_progress"), updates("alice", "a", "done"))

const passing = { run: { exit_code: 0, timed_out: false, duration_ms: 1, output: null }, message: "" }

/** Everything is handed in, and the commands end so. */
const handedIn = (play: Play, over: Partial<CheckRun> = {}): Play => {
  const waiting = verifying(play)
  const ended: CommandOf<typeof RecordPhaseChecks> = {
    ...verifies(waiting),
    checks: [{ ...check(0), ...over }]
  }
  return waiting.after(ended)
}

const typesIn = (events: ReadonlyArray<AnyEvent>): ReadonlyArray<string> => events.map(({ type }) => type)
const missingIn = (events: ReadonlyArray<AnyEvent>) =>
  events.flatMap(
    ({ content }) => (content as { readonly missing?: ReadonlyArray<{ readonly reason: string }> }).missing ?? []
  )

describe("the verifiers of a session run", () => {
  it("given a project that has some, then they are run at the base, and a phase is verified only after that", () => {
    const play = unknownBase()
    const submitted = proven(planned(play, "a"), "alice", "a").after(submits("alice", { summary: "All is done." }))
    assert.deepStrictEqual(submitted.when(submits("alice", {})).starts, [])
    const known = submitted.after(submits("alice", {})).when(before("green"))
    assert.deepStrictEqual(
      known.starts.map(({ activity }) => activity),
      ["verification"]
    )
  })

  it("given one that was red and is green now, then it shows work that is done by word alone", () => {
    const play = handedIn(byWord(ruled()), { control: passing })
    assert.strictEqual(play.state.run.status, "completed")
    assert.deepInclude(proofOf(play.state), { verdict: "proven" })
    assert.strictEqual(proofOf(play.state).counts.proven, 1)
  })

  it.each<[string, BaseCheck["outcome"], Partial<CheckRun>, string]>([
    ["was green before", "green", { control: passing }, "was_green"],
    ["fails in a copy", "red", {}, "was_green"],
    ["runs what was written in this run", "red", { control: passing, written: ["test.js"] }, "agents_check"]
  ])("given one that passes and %s, then it shows nothing", (_, outcome, over, reason) => {
    const play = handedIn(byWord(ruled(outcome)), over)
    assert.strictEqual(play.state.run.status, "running")
    const told = play.when(reports("alice"))
    assert.deepStrictEqual(
      missingIn(told.events).map((one) => one.reason),
      ["by_word", reason]
    )
  })

  it("given evidence that shows every task, then nothing is asked of them", () => {
    const play = handedIn(proven(planned(ruled("green"), "a"), "alice", "a")).after(revisited())
    assert.strictEqual(play.state.run.status, "completed")
  })
})

describe("given that something is not shown at the end of all phases", () => {
  const atEnd = () => handedIn(byWord(ruled("green")))

  it("when success is reported, then it is told what is missing, and nothing is closed", () => {
    const told = atEnd().when(reports("alice"))
    assert.deepStrictEqual(typesIn(told.events), ["COMPLETION_REFUSED"])
    assert.strictEqual(told.state.run.status, "running")
    assert.isNull(told.state.sessions.phases?.sessions[0]?.closed)
  })

  it("when it is reported again and nothing has changed, then the run ends as incomplete, with the reasons", () => {
    const again = atEnd().after(reports("alice")).when(reports("alice"))
    assert.includeMembers([...typesIn(again.events)], ["COMPLETION_REPORTED", "SESSION_CLOSED", "RUN_INCOMPLETE"])
    assert.isAbove(missingIn(again.events).length, 0)
  })

  it("when anything but success is reported, or everybody goes, then it ends at once", () => {
    for (const command of [reports("alice", "failed"), closes("alice", "process_ended")]) {
      assert.strictEqual(atEnd().when(command).state.run.status, "incomplete")
    }
  })

  it("when what is missing is planned, shown and handed in, then the run is completed", () => {
    const back = atEnd().after(reports("alice"), submits("alice", aPlan({ id: "b", checklist: ["one"] })))
    assert.strictEqual(back.phases.phase, "READY_IMPL")
    const shown = proven(back, "alice", "b")
    // the word alone still shows nothing
    const told = handedIn(shown).when(reports("alice"))
    assert.deepStrictEqual(
      missingIn(told.events).map((one) => one.reason),
      ["by_word", "was_green"]
    )
  })

  it("when another agent comes, then it finds the run as it was left", () => {
    const play = atEnd().after(opens("bob", { gone: ["ses_alice"] }))
    assert.strictEqual(play.state.run.status, "running")
    assert.strictEqual(codeOf(play.when(completes("bob", "nothing"))), "run_over")
    assert.deepStrictEqual(typesIn(play.when(reports("bob")).events), ["COMPLETION_REFUSED"])
  })
})

describe("given a verification that fails", () => {
  /** A task whose item cites a file of its own. */
  const citing = (play: Play, id: string, path: string): Play => {
    const shown = { ...fact(0), path, evidence: `${path}:1-2`, receipt: { ...receipt, path } }
    return play.after(completes("alice", id), { ...evidence(id, 1, 0), facts: [shown] })
  }
  const failing = (output_tail: string) => {
    const play = verifying(citing(citing(planned(ruled(), "a", "b"), "a", "src/a.ts"), "b", "lib/b.py"))
    const ended: CommandOf<typeof RecordPhaseChecks> = { ...verifies(play), checks: [{ ...check(1), output_tail }] }
    const { events, state } = play.when(ended)
    const sent = (events as ReadonlyArray<AnyEvent>).flatMap(({ content, type }) =>
      type === "TASK_STATUS_CHANGED" ? [(content as { readonly task_id: string }).task_id] : []
    )
    return { sent, concerned: state.sessions.phases?.verification?.concerned ?? null }
  }

  it.each([
    ["the file of one task", "src/a.ts:3: it adds nothing up", ["a"]],
    ["its absolute path", `File "${root}/lib/b.py", line 3`, ["b"]],
    ["files of both", "./src/a.ts and lib/b.py differ", ["a", "b"]]
  ])("when its output names %s, then only what that shows is sent back, and it is said", (_, output, expected) => {
    const { concerned, sent } = failing(output)
    assert.deepStrictEqual(sent, expected)
    assert.deepStrictEqual(
      concerned?.map(({ task_id }) => task_id),
      expected
    )
  })

  it.each([
    ["no file", "1 test failed"],
    ["a file of nobody", "src/c.ts:1: it is missing"],
    ["a path that only ends or begins like one", "my-src/a.ts, other/src/a.ts and src/a.tsx"]
  ])("when its output names %s, then all tasks are sent back", (_, output) => {
    assert.deepStrictEqual(failing(output), { sent: ["a", "b"], concerned: null })
  })
})
