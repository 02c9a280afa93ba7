import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import * as Path from "node:path"
import { DatabaseSync } from "node:sqlite"
import { beforeAll, describe, expect, it } from "vitest"
import { done, scriptedAgent, withAgent } from "./agent.ts"
import { documentOf, type Finished, project, proofline, repository, withSources } from "./proofline.ts"
import { valid } from "./schemas.ts"

const codeOf = ({ code, stderr }: Finished) => [code, /\[(\w+)\]/.exec(stderr)?.[1]]
const every =
  "untouched,cosmetic,ignored,elsewhere,not_its_own,test_never_runs,check_changed,was_green,agents_check,self_review"
const old = "export const old = (n) => {\n  return n + 1\n}\n"
const stub = "export const add = (a, b) => {\n  // TODO\n  throw new Error('not implemented')\n}\n"
const real = "export const add = (a, b) => {\n  return a + b\n}\n"
const [added, kept] = ["add() adds", "the old way is kept"]

/** First a stub and lines from before are claimed; then the work is done, and other lines are shown. */
const files = {
  "src/old.js": old,
  "tasks.yaml": `tasks: [{ id: a, name: A, instruction: A, checklist: [${added}, ${kept}] }]\n`,
  ...scriptedAgent({
    a: [
      { files: { "src/add.js": stub }, report: done({ [added]: "src/add.js:1-4", [kept]: "src/old.js:1-3" }) },
      {
        files: { "src/add.js": real, "src/old.js": `${old}export const older = (n) => {\n  return n - 1\n}\n` },
        report: done({ [added]: "src/add.js:1-3", [kept]: "src/old.js:4-6" })
      }
    ]
  })
}

interface Changed {
  readonly item: string | null
  readonly recorded: { readonly outcome: string }
  readonly policy: { readonly outcome: string }
  readonly truth: string
}

describe("backtest, given a run in which claims were refused before they held", () => {
  let dir: string
  let run: string
  beforeAll(async () => {
    dir = repository(files)
    const ended = await proofline(["run", "tasks.yaml", ...withAgent, "--json"], dir)
    expect(ended.code, ended.stderr).toBe(0)
    run = documentOf(ended).data.run_id
    // whatever is judged from now on, it is by the log: the project is gone
    for (const name of ["src", "agent.mjs", "script.json", "tasks.yaml", ".git"])
      rmSync(Path.join(dir, name), { recursive: true, force: true })
  })
  const tried = async (...args: ReadonlyArray<string>) => {
    const found = await proofline(["backtest", ...args, "--json"], dir)
    expect(valid("backtest.output", documentOf(found)), found.stderr).toEqual([])
    return { code: found.code, data: documentOf(found).data }
  }
  const outcomes = ({ changed }: { readonly changed: ReadonlyArray<Changed> }) =>
    changed.map(({ item, policy, recorded, truth }) => [item, recorded.outcome, policy.outcome, truth])

  it("a reason that is switched off lets through what it caught, and the log says that it did not hold", async () => {
    const { code, data } = await tried("--accept", "untouched")
    expect([code, outcomes(data)]).toEqual([1, [[kept, "refused", "accepted", "did_not_hold"]]])
    expect(data.changed[0]).toMatchObject({
      run_id: run,
      attempt: 1,
      evidence: "src/old.js:1-3",
      recorded: { reasons: ["untouched"] },
      policy: { reasons: ["untouched"] },
      changed_by: "policy"
    })
    expect(data.items).toMatchObject({
      decisions: 4,
      known: 4,
      did_not_hold: 2,
      few: true,
      recorded: { refused: 2, right: 2, precision: 1, recall: 1 },
      policy: { refused: 1, right: 1, precision: 1, recall: 0.5 }
    })
    // the stub is still refused, and with it the attempt
    expect(data.attempts).toMatchObject({ decisions: 2, recorded: { refused: 1, right: 1 }, policy: { refused: 1 } })
    expect((await tried("--accept", "cosmetic")).data.changed).toEqual([])
  })

  it("the text rules of the beginning judge the files as they were read then, and miss the stub", async () => {
    const { code, data } = await tried("--policy", "evidence-regex", "--accept", every, run)
    expect([code, data.not_judgeable]).toEqual([1, 0])
    expect(outcomes(data)).toEqual([
      [added, "refused", "accepted", "did_not_hold"],
      [kept, "refused", "accepted", "did_not_hold"],
      [null, "refused", "accepted", "did_not_hold"]
    ])
    expect(data.items.policy).toMatchObject({ refused: 0, precision: null, recall: 0 })
    expect(await tried("--policy", "evidence")).toMatchObject({ code: 0, data: { changed: [], not_judgeable: 0 } })
  })

  it("a plugin of the user's own takes part as it would in a run", async () => {
    const gate = readFileSync(new URL("../../examples/plugins/two-people.ts", import.meta.url), "utf8")
    writeFileSync(Path.join(dir, "gate.ts"), withSources(gate))
    const { code, data } = await tried("--policy", './gate.ts={"people": 2}')
    expect([code, outcomes(data)]).toEqual([1, [[null, "accepted", "open", "held"]]])
    expect(codeOf(await proofline(["backtest", "--policy", "./nothing.ts"], dir))).toEqual([2, "plugin_unusable"])
    expect(codeOf(await proofline(["backtest", "--policy", "./gate.ts={"], dir))).toEqual([2, "policy_options_invalid"])
  })

  it("what the log does not hold is not judged, and said", async () => {
    const copy = project({})
    cpSync(dir, copy, { recursive: true })
    rmSync(Path.join(copy, ".proofline/state/blobs"), { recursive: true })
    const found = await proofline(["backtest", "--policy", "evidence-regex"], copy)
    expect(found.stdout).toContain("Not judgeable: 6 decisions")
    expect(found.code).toBe(0)
    // reasons are weighed by what is in the events themselves
    expect((await proofline(["backtest", "--accept", "untouched"], copy)).code).toBe(1)
  })

  it("a log that was changed is judged by nobody", async () => {
    const copy = project({})
    cpSync(dir, copy, { recursive: true })
    const db = new DatabaseSync(Path.join(copy, ".proofline/state/proofline.db"))
    db.exec(
      "UPDATE event SET content = replace(content, 'add() adds', 'add() odds') WHERE event_type = 'CHECKLIST_REPORTED'"
    )
    db.close()
    const found = await proofline(["backtest", "--accept", "untouched", "--json"], copy)
    expect(found.code).toBe(5)
    expect(documentOf(found).data).toMatchObject({ changed: [], integrity: [{ run_id: run, code: "log_changed" }] })
  })

  it("without anything to try, or a run that is not there, it says so", async () => {
    expect(codeOf(await proofline(["backtest"], dir))).toEqual([2, "policy_missing"])
    expect(codeOf(await proofline(["backtest", "--accept", "untouched", "run_none"], dir))).toEqual([2, "run_unknown"])
    expect(codeOf(await proofline(["backtest", "--accept", "untouched"], project({})))).toEqual([2, "run_unknown"])
  })
})
