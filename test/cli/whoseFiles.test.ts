import { writeFileSync } from "node:fs"
import * as Path from "node:path"
import { describe, expect, it } from "vitest"
import type { Script } from "./agent.ts"
import { logOf, ofType, type Stage, stage } from "./chunkStage.ts"
import { proofline } from "./proofline.ts"

const tasksOf = (...tasks: ReadonlyArray<readonly [id: string, instruction: string, more?: string]>) =>
  `tasks:\n${tasks
    .map(
      ([id, instruction, more = ""]) =>
        `  - { id: ${id}, name: ${id}, instruction: "${instruction}", checks: ["test -e ${id}.js"]${more} }\n`
    )
    .join("")}`

const on = (moves: Script, tasks: string): Stage => stage(moves, { "tasks.yaml": tasks })

/** By task, what its attempts are recorded to have changed. */
const changedBy = async (staged: Stage) => {
  const { stdout } = await proofline(["run", "tasks.yaml", ...staged.withAgent, "--json"], staged.dir)
  expect(JSON.parse(stdout).data.status, stdout).toBeDefined()
  return Object.fromEntries(
    ofType(logOf(staged.dir), "ATTEMPT_ENDED").map(({ content }) => [
      content.task_id,
      [content.files_modified, content.files_undecided]
    ])
  )
}

const write = (file: string) => ({
  files: { [file]: "export const x = 1\n" },
  report: { summary: `${file} is written` }
})

describe("tasks that are worked on at the same time", () => {
  it("have changed the files that they alone are asked to write; of others nobody can tell", async () => {
    const staged = on(
      {
        a: [{ ...write("a.js"), meet: 2, run: "touch free.js; touch %stage/a-has-written" }],
        b: [{ ...write("b.js"), meet: 2, until: "a-has-written" }]
      },
      tasksOf(["a", "Create a.js"], ["b", "Create b.js like a.js"])
    )
    writeFileSync(Path.join(staged.dir, "before.js"), "")
    const { a, b } = await changedBy(staged)
    expect(a?.[0]).toEqual(["a.js"])
    expect(a?.[1]).toContain("free.js")
    expect(b?.[0]).toEqual(["b.js"])
    expect(b?.[1]).toEqual(["a.js", "free.js"])
    expect((await proofline(["replay"], staged.dir)).code).toBe(0)
  })
})
