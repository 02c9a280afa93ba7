import { existsSync, mkdirSync, readFileSync, symlinkSync } from "node:fs"
import * as Path from "node:path"
import { describe, expect, it } from "vitest"
import { parse } from "yaml"
import { sampleRequirements, sampleTasks } from "../../packages/cli/src/commands/sample.ts"
import { documentOf, project, proofline } from "./proofline.ts"
import { valid } from "./schemas.ts"

const samples = { requirements: sampleRequirements, tasks: sampleTasks }
const kinds = ["requirements", "tasks"] as const

describe("sample", () => {
  it.each(kinds)("given %s, when it is printed, then is the text and nothing else", async (kind) => {
    const dir = project({})
    const finished = await proofline(["sample", kind], dir)
    expect({ code: finished.code, stderr: finished.stderr }).toEqual({ code: 0, stderr: "" })
    expect(finished.stdout).toBe(samples[kind]())
    expect(existsSync(Path.join(dir, ".proofline"))).toBe(false)
  })

  it.each(kinds)("given %s, when it is written, then the file is valid without a warning", async (kind) => {
    const dir = project({})
    const finished = await proofline(["sample", kind, "--out", "mine.yaml"], dir)
    expect({ code: finished.code, stdout: finished.stdout }).toEqual({ code: 0, stdout: "" })
    expect(readFileSync(Path.join(dir, "mine.yaml"), "utf8")).toBe(samples[kind]())
    const document = documentOf(await proofline(["validate", "mine.yaml", "--json"], dir))
    expect(valid("validate.output", document)).toEqual([])
    expect(document.data).toMatchObject({ problems: [], warnings: [] })
    expect(document.data[kind]).toBe(parse(samples[kind]())[kind].length)
  })

  it("given requirements, then shows every form there is", () => {
    const { constraints, context, requirements } = parse(sampleRequirements())
    expect(requirements.length).toBeGreaterThanOrEqual(3)
    expect(constraints.length).toBeGreaterThan(0)
    expect(context).toContain("\n")
    // biome-ignore lint/suspicious/noExplicitAny: a document of any shape
    const criteria = requirements.flatMap((requirement: any) => requirement.acceptance_criteria)
    // biome-ignore lint/suspicious/noExplicitAny: as above
    const some = (has: (criterion: any) => boolean) => criteria.some(has)
    expect(some((criterion) => typeof criterion === "string")).toBe(true)
    expect(some(({ check }) => check !== undefined)).toBe(true)
    expect(some(({ verify }) => verify !== undefined)).toBe(true)
    // biome-ignore lint/suspicious/noExplicitAny: as above
    expect(requirements.map(({ priority }: any) => priority)).toEqual(expect.arrayContaining(["required", "optional"]))
  })

  it("given a file that exists, then leaves it as it is and says so", async () => {
    const dir = project({ "requirements.yaml": "mine\n" })
    symlinkSync("nowhere", Path.join(dir, "dangling.yaml"))
    for (const out of ["requirements.yaml", "dangling.yaml"]) {
      const finished = await proofline(["sample", "requirements", "--out", out], dir)
      expect(finished.code).toBe(2)
      expect(finished.stderr).toContain(`${out} exists already, and nothing was written. [out_exists]`)
    }
    expect(readFileSync(Path.join(dir, "requirements.yaml"), "utf8")).toBe("mine\n")
    expect(existsSync(Path.join(dir, "nowhere"))).toBe(false)
  })

  it("given another project, then writes into it", async () => {
    const dir = project({})
    mkdirSync(Path.join(dir, "inner"))
    const finished = await proofline(["sample", "tasks", "--cwd", "inner", "--out", "tasks.yaml"], dir)
    expect(finished.code, finished.stderr).toBe(0)
    expect(existsSync(Path.join(dir, "inner", "tasks.yaml"))).toBe(true)
  })
})

describe("validate", () => {
  const sound = "name: N\nrequirements: [{id: a, name: A, acceptance_criteria: [C]}]\n"

  it.each(["anything.yaml"])("given requirements in %s, then knows them for what they are", async (name) => {
    const finished = await proofline(["validate", name], project({ [name]: sound }))
    expect(finished).toEqual({ code: 0, stdout: `${name} is valid: 1 requirement.\n`, stderr: "" })
  })

  it("given tasks under the name of requirements, then says what they are", async () => {
    const dir = project({ "x-requirements.yaml": sampleTasks() })
    const document = documentOf(await proofline(["validate", "x-requirements.yaml", "--json"], dir))
    expect(valid("validate.output", document)).toEqual([])
    expect(document.data).toMatchObject({ tasks: 0, requirements: 0, problems: [{ code: "not_requirements" }] })
  })
})
