import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { parse as parseToml } from "smol-toml"
import { beforeAll, describe, expect, it } from "vitest"
import { parseAllDocuments } from "yaml"
import { type Block, blocksIn, blocksOf, commandsIn, directiveOf, isTried, pages } from "../docs/blocks.ts"
import { daily } from "../often.ts"
import { write } from "../plugins/repositories.ts"
import { faultsOf } from "./docCommands.ts"
import { copyOfStage, type DocStage, docStage } from "./docStage.ts"
import { proofline } from "./proofline.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))
const all = pages.flatMap(blocksOf)

describe("blocks of the pages", () => {
  it("that are not run say why, and are few", () => {
    const notRun = all.filter(({ directive }) => directive._tag === "not run")
    expect(notRun.length, notRun.map(({ line, page }) => `${page}:${line}`).join(" ")).toBeLessThanOrEqual(30)
  })

  it("that a test of its own runs are read by that test", () => {
    for (const { directive, line, page } of all) {
      if (directive._tag !== "run by") continue
      const test = join(root, "test", directive.test)
      expect(
        existsSync(test) && readFileSync(test, "utf8").includes(page.slice(page.lastIndexOf("/") + 1, -".md".length)),
        `${page}:${line} ${directive.test}`
      ).toBe(true)
    }
  })

  it("are in a language that something here tries", () => {
    const known = ["sh", "yaml", "json", "toml", "ts", "js", "python", "md", "text", "mermaid", ""]
    expect(
      all.filter(({ language }) => !known.includes(language)).map(({ language, page }) => [page, language])
    ).toEqual([])
    // of programs in other languages each has a test, or a reason
    const others = all.filter(
      (block) => ["js", "python"].includes(block.language) && block.file === "" && isTried(block)
    )
    expect(others.map(({ line, page }) => `${page}:${line}`)).toEqual([])
  })

  it("with a comment that is misspelt are not let go", () => {
    expect(() => directiveOf("<!-- block: not ran: it needs a key -->")).toThrow()
    expect(() => directiveOf("<!-- block: not run: no -->")).toThrow()
    expect(directiveOf("<!-- block: ends with 1, 2: it is refused -->")).toMatchObject({ codes: [1, 2] })
    const text = "<!-- block: not run: it needs a key -->\n```sh\na\n```\n\n```sh\nb # c\n  d \\\n  e\n```\n"
    expect(blocksIn(text, "x").map(({ directive, line }) => [directive._tag, line])).toEqual([
      ["not run", 2],
      ["usual", 6]
    ])
    expect(commandsIn("b # c\n  d \\\n  e 'x#y'\n# f\n")).toEqual(["b", "d e 'x#y'"])
  })
})

/** Objects that stand in lines of their own, as an export has them, or one. */
const isJson = (file: string, text: string): void => {
  if (file.endsWith(".jsonl")) for (const line of text.trimEnd().split("\n")) JSON.parse(line)
  else JSON.parse(text)
}

describe("data in the pages", () => {
  it("is what it says it is", () => {
    const data = all.filter(({ language }) => language === "json" || language === "toml")
    expect(data.length).toBeGreaterThan(20)
    const faults = data.flatMap(({ file, language, line, page, text }) => {
      try {
        if (language === "json") isJson(file, text)
        else parseToml(text)
        return []
      } catch (error) {
        return [`${page}:${line}: ${(error as Error).message}`]
      }
    })
    expect(faults).toEqual([])
  })
})

/** A file of YAML: whose it is, and all of it. */
interface Shown {
  readonly name: string
  readonly text: string
}

/** What a block of YAML is, by its name, its first line, or its keys; a part of a file with what is around it. null: it is none of ours. */
const shownIn = ({ file, text }: Block): Shown | null => {
  const named = file || (/^# (\S+\.ya?ml)/.exec(text)?.[1] ?? "")
  const has = (...keys: ReadonlyArray<string>) => keys.some((key) => new RegExp(`^${key}:`, "m").test(text))
  if (/^(?:\.git(?:hub|lab)|~\/)/.test(named) || has("jobs", "proofline") || /^- uses:/m.test(text)) return null
  if (named.includes("phase_contract") || has("failures", "phases")) return { name: "phase_contract.yml", text }
  if (named !== "") return { name: named, text }
  if (has("checklist")) {
    const inTask = text.replace(/^(?=.)/gm, "    ")
    return { name: "tasks.yaml", text: `tasks:\n  - id: a\n    name: A\n    instruction: A\n${inTask}` }
  }
  if (has("generation", "verification")) {
    const head = "name: N\nrequirements: [{ id: a, name: A, acceptance_criteria: [C] }]\n"
    return { name: "requirements.yaml", text: head + text }
  }
  if (has("tasks")) return { name: "tasks.yaml", text }
  if (has("requirements")) return { name: "requirements.yaml", text }
  return { name: has("checks") ? "checks.yaml" : "proofline.yaml", text }
}

describe("files in the pages", () => {
  let stage: DocStage
  beforeAll(async () => {
    stage = await docStage()
  })

  it("are sound", async () => {
    const yaml = all.filter((block) => block.language === "yaml" && isTried(block))
    expect(yaml.length).toBeGreaterThan(25)
    const { dir } = copyOfStage(stage, "files")
    const faults: Array<string> = []
    for (const block of yaml) {
      const shown = shownIn(block)
      if (shown === null) {
        expect(parseAllDocuments(block.text).flatMap(({ errors }) => errors)).toEqual([])
        continue
      }
      write(dir, { [shown.name]: shown.text })
      const finished = await proofline(["validate", shown.name], dir, stage.env)
      if (finished.code !== 0) faults.push(`${block.page}:${block.line} as ${shown.name}: ${finished.stderr}`)
    }
    expect(faults).toEqual([])
  })

  describe("commands in the pages", () => {
    const withCommands = pages.filter((page) =>
      blocksOf(page).some((block) => block.language === "sh" && block.file === "" && isTried(block))
    )
    for (const page of daily(withCommands, 8)) {
      it(`run as they stand: ${page}`, async () => {
        const name = page.replace(/\W/g, "_")
        const own = copyOfStage(stage, name)
        expect(await faultsOf(page, own)).toEqual([])
      })
    }
  })
})
