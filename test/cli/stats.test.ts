import { describe, expect, it } from "vitest"
import { withAgent } from "./agent.ts"
import { begun } from "./logStage.ts"
import { documentOf, type Finished, project, proofline } from "./proofline.ts"
import { requirements, stage } from "./requirementsStage.ts"
import { valid } from "./schemas.ts"
import { ask, serving } from "./serveClient.ts"

const codeOf = ({ code, stderr }: Finished) => [code, /\[(\w+)\]/.exec(stderr)?.[1]]
const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10)

describe("stats", () => {
  it("given a requirements run, counts the work in its task runs and the planning in itself; HTTP says the same, and what is new", async () => {
    const dir = stage({ "requirements.yaml": requirements })
    await proofline(["run-requirements", "requirements.yaml", ...withAgent], dir)
    const told = await proofline(["stats", "--by", "task,kind", "--json"], dir)
    const { data } = documentOf(told)
    expect([told.code, valid("stats.output", documentOf(told))]).toEqual([0, []])
    expect(data.by).toEqual(["task", "kind"])
    expect(data.total).toMatchObject({
      runs: 3,
      tasks: 2,
      attempts: 2,
      items: 2,
      items_proven: 2,
      claimed: 2,
      accepted: 2
    })
    expect(data.total).toMatchObject({ input_tokens: null, cost_usd: null, tokens_unknown: data.total.calls })
    const planning = data.groups.find(({ kind }: { kind: string }) => kind === "requirements")
    expect(planning).toMatchObject({ task: null, attempts: 0, items: 0, asked: 0 })
    expect(data.groups.map(({ task }: { task: string | null }) => task).toSorted()).toEqual([null, "task_1", "task_2"])

    const server = await serving(dir)
    expect((await ask(server, "/stats?by=task,kind")).body).toEqual(data)
    expect((await ask(server, `/stats?since=${tomorrow}`)).body).toMatchObject({ groups: [], total: { runs: 0 } })
    const refused = await Promise.all(["by=tasks", "since=soon"].map((query) => ask(server, `/stats?${query}`)))
    expect(refused.map(({ body, status }) => [status, body.code])).toEqual([
      [400, "request_invalid"],
      [400, "request_invalid"]
    ])
    const again = await proofline(["run-requirements", "requirements.yaml", ...withAgent], dir)
    expect(again.code).toBe(0)
    const now = documentOf(await proofline(["stats", "--json"], dir)).data
    expect(now.total.runs).toBeGreaterThan(3)
    expect((await ask(server, "/stats")).body).toEqual(now)
  })

  it("given a run that was archived, names it and does not count it; given none, says so and writes nothing", async () => {
    const { completed, dir, stopped } = await begun()
    const before = documentOf(await proofline(["stats", "--by", "run", "--json"], dir)).data
    expect(
      before.groups.map(({ items_proven, run }: { run: string; items_proven: number }) => [run, items_proven])
    ).toEqual([
      [completed, 1],
      [stopped, 0]
    ])
    await proofline(["log", "archive", "--before", tomorrow, "--to", "old.ndjson.gz", "--yes"], dir)
    const { left_out, total } = documentOf(await proofline(["stats", "--json"], dir)).data
    expect(total.runs).toBe(0)
    expect(left_out).toMatchObject([
      { run_id: stopped, code: "run_elsewhere" },
      { run_id: completed, code: "run_elsewhere" }
    ])

    const empty = project({})
    const none = await proofline(["stats"], empty)
    expect([none.code, none.stdout]).toEqual([0, "No run so far.\n"])
    expect(codeOf(await proofline(["stats", "--by", "agent,modle"], empty))).toEqual([2, "by_unknown"])
    expect(codeOf(await proofline(["stats", "--since", "2026-13-01"], empty))).toEqual([2, "date_invalid"])
  })
})
