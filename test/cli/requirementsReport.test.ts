import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import * as Path from "node:path"
import { DatabaseSync } from "node:sqlite"
import { it } from "@effect/vitest"
import type { ReportView } from "@proofline/plugins/frontends/http/api"
import { Schema } from "effect"
import { describe, expect } from "vitest"
import { traceabilityHtml } from "../../packages/cli/src/render/traceabilityHtml.ts"
import { traceabilityMarkdown } from "../../packages/cli/src/render/traceabilityText.ts"
import { done } from "./agent.ts"
import { documentOf, eventsOf, project, proofline } from "./proofline.ts"
import { calc, command, files, metRun, requirements, script } from "./requirementsViewStage.ts"
import { examplesOf, valid } from "./schemas.ts"

const linesOf = (text: string) => text.split("\n").filter((line) => line !== "")
const reportOf = async (dir: string, ...args: ReadonlyArray<string>) => {
  const finished = await proofline(["report", "--json", ...args], dir)
  const document = documentOf(finished)
  expect(valid("report.output", document)).toEqual([])
  return { code: finished.code, data: document.data }
}

describe("a report of a requirements run", () => {
  it("goes from every requirement down to the code, and can be compared with the log", async () => {
    const { children, dir, run } = await metRun()
    const { code, data } = await reportOf(dir)
    expect(code).toBe(0)
    expect(data).toMatchObject({
      run_id: run,
      status: "completed",
      proven: true,
      iterations: { current: 2, max: 3 },
      spent: { attempts: 3 },
      counts: { requirements: 3, requirements_proven: 2, receipts: 2, holding: 2, stale: 0, missing: 0 },
      requirements: [
        {
          id: "req_1",
          verdict: "proven",
          criteria: [
            { id: "req_1.1", verdict: "proven", by: "tasks", tasks: [{ task_id: "areas", items: [0] }] },
            { id: "req_1.2", by: "check", checks: [{ command: "grep -q math.pi calc.py", exit_code: 0, passed: true }] }
          ]
        },
        { id: "req_2", criteria: [{ tasks: [{ task_id: "cubes" }, { task_id: "again" }] }] },
        {
          id: "req_3",
          priority: "optional",
          verdict: "refuted",
          criteria: [{ checks: [{ passed: false, output_tail: expect.stringContaining("README.md") }] }]
        }
      ]
    })
    const areas = data.tasks.find(({ task_id }: { task_id: string }) => task_id === "areas")
    expect(areas).toMatchObject({ run_id: children[0], iteration: 1, covers: ["req_1.1", "req_1.2"] })
    expect(areas.items[0]).toMatchObject({
      verdict: "proven",
      evidence: {
        evidence: "calc.py:4",
        // the head was cited, its whole declaration judged
        code: { path: "calc.py", start: 4, cited: [4, 4], lines: calc.split("\n").slice(3, 6), more: 0 }
      }
    })
    for (const [id, head] of [
      [run, data.head],
      ...data.runs.map((one: ReportView["runs"][number]) => [one.run_id, one.head])
    ]) {
      const last = (await eventsOf(id, dir)).at(-1)
      expect(head).toEqual({ version: last.version, hash: last.hash })
    }
  })

  it("says the same on a terminal, and as Markdown", async () => {
    const { dir, run } = await metRun()
    const { stdout } = await proofline(["report", run], dir)
    const lines = linesOf(stdout)
    expect(lines[0]).toBe(
      "Geometry <b>lib</b>: Everything required is proven. What rests on receipts still holds; 2 criteria rest on commands, which were not run again."
    )
    expect(lines).toContain("        ✔ proven  Add area()")
    expect(lines).toContain("                 6 │     return math.pi * square  # <script>alert(1)</script>")
    // once is enough
    expect(lines).toContain("        ✔ proven  Add area() (shown above)")
    expect(lines).toContain("          cat: README.md: No such file or directory")
    const markdown = await proofline(["report", run, "--format", "markdown"], dir)
    expect(markdown.code).toBe(0)
    expect(linesOf(markdown.stdout)[0]).toBe("# Geometry &lt;b&gt;lib&lt;/b&gt;")
    expect(linesOf(markdown.stdout)).toContain("### ✔ req\\_1.1: Areas of circles")
    expect(linesOf(markdown.stdout)).toContain("    6      return math.pi * square  # <script>alert(1)</script>")
  })

  it("is a part of what show says, which has the tree, the iterations, what was refused and what is next too", async () => {
    const { children, dir, run } = await metRun()
    const short = run.slice(run.lastIndexOf("_") + 1, -2)
    const shown = await proofline(["show", short], dir)
    expect(shown.code).toBe(0)
    const lines = linesOf(shown.stdout)
    const reported = linesOf((await proofline(["report", "last"], dir)).stdout)
    expect(lines).toEqual(expect.arrayContaining([...reported]))
    expect(lines[0]).toBe(reported[0])
    expect(lines).toEqual(
      expect.arrayContaining([
        "Geometry <b>lib</b> completed [iter:2/3] [met:2/3] completed",
        expect.stringMatching(`^Iteration 2: generated/geometry-tasks-iter2\\.yaml, run ${children[1]} completed`),
        "Claimed and refused:",
        expect.stringMatching(`^Decide it again: .* replay ${run}`)
      ])
    )
    const document = documentOf(await proofline(["show", "--json"], dir))
    expect(valid("show.output", document)).toEqual([])
    const { attempts, progress, ...rest } = document.data
    expect(rest).toEqual((await reportOf(dir)).data)
    expect(progress).toEqual(documentOf(await proofline(["status", run, "--json"], dir)).data)
    expect(attempts.map(({ run_id, task_id }: { run_id: string; task_id: string }) => [run_id, task_id])).toEqual(
      expect.arrayContaining([[children[0], "areas"]])
    )
    const one = documentOf(await proofline(["show", "--task", "areas", "--format", "json"], dir)).data
    expect([one.requirements, one.tasks.map(({ task_id }: { task_id: string }) => task_id)]).toEqual([[], ["areas"]])
  })

  it("is one page of HTML that needs nothing and runs nothing", async () => {
    const { dir, run } = await metRun()
    const written = await proofline(["report", run, "--format", "html", "--out", "report.html"], dir)
    expect([written.code, written.stdout]).toEqual([0, ""])
    const page = readFileSync(Path.join(dir, "report.html"), "utf8")
    expect(page).toContain("&lt;script&gt;alert(1)&lt;/script&gt;")
    expect(page).not.toMatch(/<script|<img|<link|<iframe|<object|javascript:|\son\w+=/i)
    expect(page).not.toMatch(/https?:|url\(|@import|\ssrc=/i)
    expect(page).toContain(`content="default-src 'none'; style-src 'unsafe-inline'"`)
    expect(page).toContain("prefers-color-scheme:dark")
    expect(page).toContain("@media print")
    expect(page).toContain(`<span class="line cited"><span class="number">4</span>def area(radius):`)
    // every place it links to is in it
    for (const [, id] of page.matchAll(/href="#([^"]*)"/g)) expect(page).toContain(`id="${id}"`)
  })

  it("given code that changed since, shows no code for it, calls what it proved stale, and ends with 1", async () => {
    const { dir } = await metRun()
    writeFileSync(Path.join(dir, "calc.py"), calc.replace("radius * radius", "radius + radius"))
    const { code, data } = await reportOf(dir)
    expect(code).toBe(1)
    expect(data).toMatchObject({ status: "completed", proven: false, counts: { stale: 1, requirements_proven: 1 } })
    expect(data.requirements[0]).toMatchObject({
      verdict: "stale",
      criteria: [
        { verdict: "stale", message: expect.stringMatching(/^areas: calc\.py:4 no longer holds\. ./) },
        { verdict: "proven", by: "check" }
      ]
    })
    expect(data.tasks[0].items[0]).toMatchObject({
      verdict: "stale",
      evidence: { status: "stale", why: expect.stringMatching(/./), code: null }
    })
    const { stdout } = await proofline(["report"], dir)
    expect(stdout).not.toContain("radius + radius")
    expect(linesOf(stdout)[0]).toContain("Not everything required is proven.")
    rmSync(Path.join(dir, "calc.py"))
    expect((await reportOf(dir)).data.tasks[0].items[0]).toMatchObject({ verdict: "missing", evidence: { now: null } })
  })

  it("given that an agent was trusted, marks its opinion, and takes it back with the code it shows", async () => {
    const trusting = requirements.replace("verifier: none", "verifier: agent, trust_agent: true")
    const opinion = (id: string, met: boolean, evidence: string) => ({
      report: { all_requirements_met: met, requirement_status: [{ requirement_id: id, met, evidence }] }
    })
    const dir = project(
      files(
        {
          ...script,
          cubes: [{ report: done({ "Add volume()": "none.py:1" }) }],
          "verify:req_1": [opinion("req_1", true, "shapes.py:1")],
          "verify:req_2": [opinion("req_2", true, "cube.py:1-2 computes it")]
        },
        trusting
      )
    )
    writeFileSync(Path.join(dir, "cube.py"), "def volume(side):\n    return side * side * side\n")
    const finished = await proofline([...command, "--json"], dir)
    expect(finished.code, finished.stderr).toBe(0)
    const { code, data } = await reportOf(dir)
    expect(code).toBe(0)
    expect(data.requirements[1]).toMatchObject({
      verdict: "proven",
      opinion: { met: true, evidence: "cube.py:1-2 computes it", cited: [{ status: "proven", code: { start: 1 } }] },
      criteria: [{ by: "agent" }]
    })
    for (const format of ["terminal", "markdown", "html"]) {
      const { stdout } = await proofline(["report", "--format", format], dir)
      expect(stdout.replaceAll(/<[^>]*>/g, "")).toMatch(/opinion of .*no proof by itself/i)
    }
    writeFileSync(Path.join(dir, "cube.py"), "def volume(side):\n    return 0\n")
    const after = await reportOf(dir)
    expect([after.code, after.data.requirements[1].verdict]).toEqual([1, "stale"])
  })

  it("given a log that was changed, says so and shows nothing", async () => {
    const { children, dir, run } = await metRun()
    const database = new DatabaseSync(Path.join(dir, ".proofline", "state", "proofline.db"))
    const changed = database
      .prepare(
        "update event set content = replace(content, 'Write area', 'Wrote area') where stream = ? and event_type = 'TASK_REGISTERED'"
      )
      .run(children[0])
    database.close()
    expect(changed.changes).toBeGreaterThan(0)
    const finished = await proofline(["report", run], dir)
    expect([finished.code, finished.stdout]).toEqual([5, ""])
    expect(finished.stderr).toContain("log_changed")
  })
})

describe("a report of a task run", () => {
  it("has no requirements, and ends as verify does", async () => {
    const tasks = "tasks: [{id: areas, name: T, instruction: I, checks: [grep -q pi calc.py], checklist: [Add area()]}]"
    const dir = project({ ...files(script), "tasks.yaml": tasks })
    await proofline(["run", "tasks.yaml", ...command.slice(2)], dir)
    const { code, data } = await reportOf(dir)
    expect(code).toBe(0)
    expect(data).toMatchObject({ kind: "tasks", status: "completed", iterations: null, requirements: [], proven: true })
    expect(data.tasks).toMatchObject([
      {
        task_id: "areas",
        iteration: null,
        checks: [{ command: "grep -q pi calc.py", exit_code: 0 }],
        items: [{ evidence: { evidence: "calc.py:4" } }]
      }
    ])
    expect((await proofline(["report"], dir)).stdout).toContain("areas completed  T")
    writeFileSync(Path.join(dir, "calc.py"), "pi\n")
    expect((await reportOf(dir)).code).toBe((await proofline(["verify"], dir)).code)
    expect((await reportOf(dir)).code).toBe(1)
  })
})

describe("what report refuses", () => {
  it("is said with a code and what to do", async () => {
    const { dir } = await metRun()
    for (const [args, code] of [
      [["run_0", "--json"], "run_unknown"],
      [["--json", "--format", "html"], "report_format"],
      [["--json", "--out", "no/such/folder/report.json"], "out_unwritable"]
    ] as const) {
      const finished = await proofline(["report", ...args], dir)
      expect(finished.code, args.join(" ")).toBe(2)
      expect(documentOf(finished)).toMatchObject({
        kind: "report",
        data: { problems: [{ code, hint: expect.any(String) }] }
      })
    }
    expect(existsSync(Path.join(dir, "no"))).toBe(false)
  })
})

describe("text in a report", () => {
  const [example] = examplesOf("report.output") as ReadonlyArray<{ readonly data: ReportView }>
  const check = { command: "x", passed: false, exit_code: 1, timed_out: false, output_tail: "x", at: null }
  /** The same text in every place that comes from people, agents and files. */
  const traceWith = (text: string): ReportView =>
    JSON.parse(
      JSON.stringify({ ...example?.data, tasks: example?.data.tasks.map((task) => ({ ...task, checks: [check] })) }),
      (key, value) =>
        [
          "name",
          "message",
          "criterion",
          "title",
          "item",
          "description",
          "evidence",
          "agent",
          "command",
          "output_tail"
        ].includes(key) && typeof value === "string"
          ? text
          : key === "lines"
            ? text.split("\n")
            : value
    )
  const Nasty = Schema.Array(
    Schema.Union([
      Schema.Literals([
        "<",
        ">",
        "&",
        '"',
        "'",
        "`",
        "```\n",
        "\n",
        "#",
        "[x](y:1)",
        "-->",
        "</pre>",
        "\u202e",
        "\u001b[2J"
      ]),
      Schema.String
    ])
  )
  const invisible = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/u
  const count = (text: string, one: string) => text.split(one).length

  it.prop("is never markup of the page, and nothing in it is invisible", [Nasty], ([parts]) => {
    const text = `x${parts.join("")}`.replaceAll(/\s+/g, " ")
    const page = traceabilityHtml(traceWith(text), "1")
    const plain = traceabilityHtml(traceWith("x"), "1")
    for (const one of ["<", ">", '"']) expect(count(page, one)).toBe(count(plain, one))
    expect(page.replaceAll("\n", "")).not.toMatch(invisible)
  })

  it.prop("is never markup of Markdown: no tag, no link, and nothing ends its fence", [Nasty], ([parts]) => {
    const lines = traceabilityMarkdown(traceWith(`\`\`\`\n${parts.join("")}`)).split("\n")
    const outside: Array<string> = []
    let fence: string | null = null
    for (const line of lines) {
      const [, ticks, word] = /^ {0,3}(`{3,})(text)?\s*$/.exec(line) ?? []
      if (fence === null) {
        if (ticks === undefined) outside.push(line)
        else fence = ticks
      } else if (ticks !== undefined && word === undefined && ticks.length >= fence.length) fence = null
    }
    expect(fence).toBeNull()
    expect(outside.filter((line) => !line.includes("`")).join(" ")).not.toMatch(/<|(?<!\\)\[/)
    expect(lines.join("").replaceAll("\t", "")).not.toMatch(invisible)
  })
})
