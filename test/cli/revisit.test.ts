import { describe, expect, it } from "vitest"
import { done, scriptedAgent, withAgent } from "./agent.ts"
import { documentOf, eventsOf, project, proofline } from "./proofline.ts"

const code = (name: string) => `export const ${name} = (rows) => {\n  return rows.filter((row) => row.${name})\n}\n`
const works = (id: string) => ({
  files: { [`${id}.js`]: code(id) },
  report: done({ [`${id} filters`]: `${id}.js:1-3` })
})

/** The last task removes, empties and moves what the others have shown; `a` and `b` mend it. */
const script = {
  ...Object.fromEntries(["a", "b", "c"].map((id) => [id, [works(id)]])),
  z: [
    {
      ...works("z"),
      files: {
        "z.js": code("z"),
        "b.js": "export const b = (rows) => {\n  throw new Error('not implemented')\n}\n",
        "c.js": `// helpers\nexport const helper = (n) => {\n  return n + 1\n}\n${code("c")}`
      },
      run: "rm a.js"
    }
  ]
}

const task = (id: string, after: string) => `
  - id: ${id}
    name: Filter by ${id}
    instruction: Write ${id}().
    depends_on: [${after}]
    checklist: [${id} filters]
`

const files = {
  ...scriptedAgent(script),
  "tasks.yaml": `tasks:${task("a", "")}${task("b", "a")}${task("c", "b")}${task("z", "c")}`
}

const run = (dir: string) => proofline(["run", "tasks.yaml", "--json", "--max-retries", "1", ...withAgent], dir)

describe("given a later task that removes, empties and moves what was accepted", () => {
  it("when the others mend it, then only what did not hold was opened again, and verify agrees with the end", async () => {
    const dir = project(files)
    const finished = await run(dir)
    expect(finished.code, finished.stderr).toBe(0)
    const { data } = documentOf(finished)
    expect(data.tasks.map(({ attempts, id }: Record<string, unknown>) => [id, attempts])).toEqual([
      ["a", 2],
      ["b", 2],
      ["c", 1],
      ["z", 1]
    ])
    const revisits = (await eventsOf(data.run_id, dir)).filter(({ event_type }) => event_type === "EVIDENCE_REVISITED")
    expect(revisits.map(({ content }) => content.stale.map((one: Record<string, unknown>) => one["path"]))).toEqual([
      ["a.js", "b.js"],
      []
    ])
    expect(revisits[0].content.stale[0]).toMatchObject({ reason: "a.js is gone.", changed_by: { task_id: "z" } })
    expect((await proofline(["verify", data.run_id], dir)).code).toBe(0)
  })
})
