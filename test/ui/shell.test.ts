import { assert, describe, it } from "@effect/vitest"
import {
  type Approval,
  type RunRow,
  type RunView,
  type ServedProject,
  type ServedProjects,
  type TaskRow,
  Unauthorized
} from "@proofline/plugins/frontends/http/api"
import { Schema } from "effect"
import { failureOf } from "../../packages/ui/src/api/failure.ts"
import { newlyWaiting } from "../../packages/ui/src/api/newlyWaiting.ts"
import { newlyAsked } from "../../packages/ui/src/api/notify.ts"
import { labelOf, shownIn, waitingElsewhere } from "../../packages/ui/src/api/served.ts"
import { tokenInHash, typedToken } from "../../packages/ui/src/api/token.ts"
import { deltasOf, pairsOf, type Side, summaryOf } from "../../packages/ui/src/pages/compare/comparison.ts"
import { grouped, waitingFirst } from "../../packages/ui/src/pages/runs/grouped.ts"
import { agoText, durationText, shortTimeText } from "../../packages/ui/src/parts/when.ts"

const run = (run_id: string, parent_run_id: string | null = null) => ({ run_id, parent_run_id }) as RunRow

const task = (task_id: string, changes: Partial<TaskRow> = {}) =>
  ({
    task_id,
    title: task_id,
    status: "completed",
    verdict: "proven",
    attempts: 1,
    refusals: 0,
    items_closed: 2,
    items_total: 2,
    started_at: null,
    ended_at: null,
    ...changes
  }) as TaskRow

describe("the token", () => {
  it("given the address that is printed, then it is taken, with where to go on", () => {
    assert.deepStrictEqual(tokenInHash("#token=a-b_c"), { token: "a-b_c", to: "/" })
    assert.deepStrictEqual(tokenInHash("#token=abc&to=%2Fruns%2Fx"), { token: "abc", to: "/runs/x" })
    assert.deepStrictEqual(tokenInHash("#token=abc&to=https://elsewhere"), { token: "abc", to: "/" })
  })
  it("given any other fragment, then there is none", () => {
    for (const hash of ["", "#", "#/runs/token=abc", "#/?token=abc", "#token=", "#token=%20"]) {
      assert.isNull(tokenInHash(hash), hash)
    }
  })
  it("given what somebody types, then a token or a whole address is good, and a sentence is not", () => {
    assert.strictEqual(typedToken("  abc "), "abc")
    assert.strictEqual(typedToken("http://127.0.0.1:4600/#token=abc"), "abc")
    for (const typed of ["", "   ", "not a token", "http://127.0.0.1:4600/#token="]) assert.isNull(typedToken(typed))
  })
  it.prop("given any token, then it comes out of the address it is put into", [Schema.String], ([any]) => {
    const token = any.toWellFormed().trim()
    const found = tokenInHash(`#${new URLSearchParams({ token }).toString()}`)
    assert.deepStrictEqual(found, token === "" ? null : { token, to: "/" })
  })
})

describe("what waits", () => {
  const shown = (run_id: string, word: "waiting" | "proven", parent: string | null = null) => ({
    ...run(run_id, parent),
    shown_as: { word, text: word }
  })
  it("given a list, then what waits stands first, with the run that started it, and the rest stays in its order", () => {
    const rows = [shown("d", "proven"), shown("c", "proven"), shown("c1", "waiting", "c"), shown("b", "waiting")]
    assert.deepStrictEqual(
      waitingFirst(grouped([...rows, shown("a", "proven")])).map(({ row }) => row.run_id),
      ["c", "b", "d", "a"]
    )
  })
  it("given what waited before, then only what is asked anew is told of, and nothing of what was there at first", () => {
    const asked = (question_id: string) => ({ run_id: "r", task_id: "t", question: "May it?", question_id }) as Approval
    const [first, second] = [asked("1"), asked("2")]
    assert.deepStrictEqual(newlyAsked(null, [first]), [])
    assert.deepStrictEqual(newlyAsked([first], [first, second]), [second])
    assert.deepStrictEqual(newlyAsked([first, second], [second]), [])
    // the same, asked again later
    assert.deepStrictEqual(newlyAsked([], [first]), [first])
  })
})

describe("the projects of a server", () => {
  const one = (id: string, more: Partial<ServedProject> = {}): ServedProject => ({
    ...{ id, name: id, root: `/home/${id}`, path: `/projects/${id}`, status: "open", problems: [] },
    ...{ waiting: 0, running: 0, same_log_as: null, ...more }
  })
  const all = (...projects: ReadonlyArray<ServedProject>): ServedProjects => ({ projects, waiting: 0, running: 0 })
  it("given directories of one name, then each is called by as much of its path as tells them apart, others by their name", () => {
    const roots = ["/home/me/web", "/home/you/web", "/work/me/web", "/api", "C:\\code\\tool", "/", "/home/me/web/web"]
    const projects = roots.map((root, at) => ({ id: `${at}`, root }))
    assert.deepStrictEqual(
      projects.map((project) => labelOf(project, projects)),
      ["home/me/web", "you/web", "work/me/web", "api", "tool", "/", "web/web"]
    )
    // the same directory can be had once only; nobody waits for more of it than there is
    const twice = [
      { id: "a", root: "/x" },
      { id: "b", root: "/x" }
    ]
    assert.strictEqual(labelOf({ id: "a", root: "/x" }, twice), "x")
  })
  it("given what waits, then that of the shown project and of its log is not counted with the others", () => {
    const served = all(
      one("a", { waiting: 1 }),
      one("b", { waiting: 2 }),
      one("c", { waiting: 2, same_log_as: "b" }),
      one("d", { waiting: null, status: "unusable" })
    )
    assert.deepStrictEqual(
      ["/projects/a", "/projects/b", "/projects/c", "/projects/d", "/projects/e"].map((base) =>
        waitingElsewhere(served, base)
      ),
      [2, 1, 1, 3, 3]
    )
    assert.strictEqual(waitingElsewhere(null, ""), 0)
    // one alone is shown without a name in the address
    assert.strictEqual(waitingElsewhere(all(one("a", { waiting: 1 })), ""), 0)
    assert.strictEqual(shownIn(all(one("a"), one("b")), ""), undefined)
  })
  it("given more that waits than before in another project, then it is told of, and nothing that was there at first", () => {
    const [before, now] = [
      all(one("a"), one("b"), one("c", { waiting: null })),
      all(one("a", { waiting: 1 }), one("b", { waiting: 1 }), one("c", { waiting: 3 }))
    ]
    const told = (from: ServedProjects | null, to: ServedProjects) =>
      newlyWaiting(from, to, "/projects/a").map(({ id }) => id)
    assert.deepStrictEqual(told(before, now), ["b"])
    assert.deepStrictEqual(told(null, now), [])
    assert.deepStrictEqual(told(now, before), [])
  })
})

describe("failures", () => {
  it("given a problem of the server, then its code, words and faults are kept", () => {
    const problems = [{ code: "id_twice", message: "Twice.", file: "tasks.yaml", line: 3, hint: "Once." }]
    const problem = new Unauthorized({ code: "token_bad", detail: "Not good.", hint: "Ask again.", problems })
    assert.deepStrictEqual(failureOf(problem), {
      status: 401,
      code: "token_bad",
      message: "Not good.",
      hint: "Ask again.",
      problems
    })
  })
  it("given what no refusal is, then it says that it cannot be read", () => {
    for (const error of [null, undefined, "text", new Error("x"), { status: "x" }]) {
      assert.strictEqual(failureOf(error).code, "answer_unreadable")
    }
  })
})

describe("the list of runs", () => {
  it("given task runs, then they stand below their requirements run where that is listed, in the same order", () => {
    const rows = [run("c2", "p"), run("solo"), run("c1", "p"), run("p"), run("lost", "gone"), run("self", "self")]
    assert.deepStrictEqual(
      grouped(rows).map(({ parts, row }) => [row.run_id, parts.map(({ run_id }) => run_id)]),
      [
        ["solo", []],
        ["p", ["c2", "c1"]],
        ["lost", []],
        ["self", []]
      ]
    )
  })
})

describe("two runs side by side", () => {
  it("given tasks of both, then those that differ come first and those of one run alone are among them", () => {
    const a = [task("same"), task("failed"), task("only-a")]
    const b = [task("only-b"), task("failed", { status: "failed" }), task("same", { ended_at: "2026-01-01" })]
    assert.deepStrictEqual(
      pairsOf(a, b).map(({ a, b, differs, task_id }) => [task_id, a !== null, b !== null, differs]),
      [
        ["failed", true, true, true],
        ["only-a", true, false, true],
        ["only-b", false, true, true],
        ["same", true, true, false]
      ]
    )
  })
  it("given tasks that are called differently, then those of one title are one, where nobody else has it", () => {
    const named = (task_id: string, title: string, more: object = {}) => task(task_id, { title, ...more })
    const a = [named("1", "Write it"), named("2", "Test it"), named("3", "Twice"), named("4", "Twice"), named("5", "")]
    const b = [named("x", "Test it"), named("y", "Write it", { attempts: 3 }), named("z", "Twice"), named("w", "")]
    assert.deepStrictEqual(
      pairsOf(a, b).map(({ a, b, differs }) => [a?.task_id ?? null, b?.task_id ?? null, differs]),
      [
        ["1", "y", true],
        ["3", null, true],
        ["4", null, true],
        ["5", null, true],
        [null, "z", true],
        [null, "w", true],
        ["2", "x", false]
      ]
    )
  })
  it("given figures of both, then it is said how much more the second has, and marked what means something else", () => {
    const side = (run: object, tasks: Side["tasks"]): Side => ({
      run: {
        ...{
          status: "completed",
          verdict: "proven",
          kind: "tasks",
          agent: "one",
          reviewer: null,
          workers: 1,
          loop: null
        },
        ...{ tasks_completed: 1, tasks_total: 1, tasks_failed: 0, tasks_skipped: 0 },
        started_at: "2026-01-01T00:00:00.000Z",
        ended_at: "2026-01-01T00:00:10.000Z",
        input: { path: "tasks.yaml", sha256: "a".repeat(64) },
        ...run
      } as Side["run"],
      tasks
    })
    const a = side({ spent: { attempts: 1, calls: 2, tokens: 2_000, cost_usd: 0.5 } }, [
      task("t", { attempts: 1, items_total: 3, items_closed: 3 })
    ])
    const b = side(
      {
        ended_at: "2026-01-01T00:00:07.500Z",
        input: { path: "copy/tasks.yaml", sha256: "a".repeat(64) },
        spent: { attempts: 3, calls: 2, tokens: 1_500, cost_usd: 1 }
      },
      [task("t", { attempts: 3, items_total: 3, items_closed: 1, refusals: 2 })]
    )
    const said = (one: Side, other: Side) =>
      summaryOf(one, other, 0).flatMap(({ delta, differs, name }) =>
        delta === "" && !differs ? [] : [[name, delta, differs]]
      )
    assert.deepStrictEqual(said(a, b), [
      ["Duration", "−2.5 s (−25 %)", false],
      ["Items closed", "−2", true],
      ["Attempts", "+2", true],
      ["Claims refused", "+2", true],
      ["Tokens", "−500 (−25 %)", false],
      ["Cost", "+$0.50 (+100 %)", false]
    ])
    assert.deepStrictEqual(said(a, a), [])
    const [pair] = pairsOf(a.tasks, b.tasks)
    assert.deepStrictEqual(pair && deltasOf(pair, 0), ["+2 attempts", "−2 items", "+2 refusals"])
  })
  it("given a requirements run and another, then each line names what both have, empty where one has it not", () => {
    const side = (loop: RunView["loop"]) => ({
      run: {
        status: "completed",
        kind: "tasks",
        started_at: "2026-01-01T00:00:00.000Z",
        ended_at: "2026-01-01T00:00:02.000Z",
        tasks_completed: 1,
        tasks_total: 1,
        tasks_failed: 0,
        tasks_skipped: 0,
        loop,
        agent: "one",
        reviewer: null,
        workers: 1,
        input: null,
        spent: { attempts: 1, calls: 1, tokens: 1, cost_usd: 0.5 }
      } as RunView,
      tasks: [task("a", { refusals: 2 }), task("b", { refusals: 1 })]
    })
    const loop = {
      status: "completed" as const,
      iteration: 1,
      max_iterations: 3,
      requirements_total: 4,
      requirements_met: 3
    }
    const lines = summaryOf(side(null), side(loop), 0)
    const line = (name: string) => lines.find((each) => each.name === name)
    assert.deepStrictEqual(line("Requirements met"), {
      name: "Requirements met",
      a: "",
      b: "3 of 4",
      delta: "",
      differs: true
    })
    assert.deepStrictEqual(line("Claims refused"), {
      name: "Claims refused",
      a: "3",
      b: "3",
      delta: "",
      differs: false
    })
    assert.deepStrictEqual(line("Duration"), {
      name: "Duration",
      a: "2.0 s",
      b: "2.0 s",
      delta: "",
      differs: false
    })
  })
})

describe("times", () => {
  it("given a duration, then it is said in the two largest units", () => {
    assert.deepStrictEqual([null, 840, 12_400, 185_000, 7_800_000].map(durationText), [
      "",
      "840 ms",
      "12.4 s",
      "3 min 05 s",
      "2 h 10 min"
    ])
  })
  it("given how long ago something was, then it is said in one unit", () => {
    const now = Date.parse("2026-06-15T12:00:00.000Z")
    assert.deepStrictEqual(
      [0, 59, 60, 3_599, 3_600, 172_799, 172_800].map((s) => agoText(new Date(now - s * 1_000).toISOString(), now)),
      ["just now", "just now", "1 min ago", "59 min ago", "1 h ago", "47 h ago", "2 d ago"]
    )
    assert.strictEqual(agoText(null, now), "")
  })
  it("given a time of today, of this year or before, then what goes without saying is left out", () => {
    const now = new Date(2026, 5, 15, 12).getTime()
    const of = (...at: [number, number, number]) => shortTimeText(new Date(...at, 9, 30).toISOString(), now)
    assert.notInclude(of(2026, 5, 15), "15")
    assert.include(of(2026, 4, 3), "3")
    assert.notInclude(of(2026, 4, 3), "2026")
    assert.include(of(2024, 4, 3), "2024")
  })
})
