import { spawnSync } from "node:child_process"
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { daily } from "../often.ts"
import { type Block, blocksOf, isTried, pages } from "./blocks.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))
const blocks = pages.flatMap(blocksOf).filter((block) => block.language === "ts" && isTried(block))
const isModule = ({ text }: Block): boolean => /^import /m.test(text)
const prelude = ({ directive }: Block): string | null => (directive._tag === "with" ? directive.code : null)

const examples = join(root, "examples/plugins")
const flat = (text: string): string => text.replace(/\s+/g, " ").trim()
const shown = readdirSync(examples)
  .map((name) => flat(readFileSync(join(examples, name), "utf8")))
  .join("\n")

/** What begins at the left edge, up to what begins there next. */
const statementsOf = (text: string): ReadonlyArray<string> =>
  text.split(/\n(?=[^\s)}\]])/).filter((statement) => statement.trim() !== "")

/** Where names come from that a part of a module uses. */
const modules = [
  "@proofline/kernel/plugin",
  "@proofline/kernel/testing",
  "@proofline/plugins/policies/evidence",
  "@effect/vitest",
  "effect"
]

const importsFor = async (text: string): Promise<string> => {
  const words = new Set(text.match(/\b[A-Za-z]\w*\b/g))
  const declared = new Set([...text.matchAll(/\bconst (\w+)\b/g)].map(([, name]) => name))
  const lines: Array<string> = ['import type { Plugin } from "@proofline/kernel/plugin"']
  for (const name of modules) {
    const found = Object.keys(await import(name)).filter((one) => words.has(one) && !declared.has(one))
    for (const one of found) declared.add(one)
    if (found.length > 0) lines.push(`import { ${found.join(", ")} } from "${name}"`)
  }
  return `${lines.join("\n")}\n`
}

describe("TypeScript in the pages", () => {
  it("that is a part of a module stands in an example, which is run", () => {
    const parts = blocks.filter((block) => !isModule(block) && prelude(block) === null)
    assert.isAbove(parts.length, 3)
    const faults = parts.flatMap(({ line, page, text }) =>
      statementsOf(text).flatMap((statement) =>
        shown.includes(flat(statement)) ? [] : [`${page}:${line}: no example has: ${statement}`]
      )
    )
    assert.deepStrictEqual(faults, [])
  })

  // it takes the compiler some seconds
  for (const _ of daily([0, 1, 2], 3).filter((turn) => turn === 0)) {
    it("fits the types of what it imports", async () => {
      const folder = join(root, "test/docs", `shown-${process.pid}`)
      mkdirSync(folder)
      try {
        for (const block of blocks) {
          const before = prelude(block)
          if (before === null && !isModule(block)) continue
          const text =
            before === null ? block.text : `${await importsFor(`${before}\n${block.text}`)}${before}\n${block.text}`
          writeFileSync(join(folder, `${block.page.replace(/\W+/g, "-")}-${block.line}.ts`), text)
        }
        assert.isAbove(readdirSync(folder).length, 6)
        const config = {
          extends: "../../../tsconfig.base.json",
          // names of an example need not be used in it, and not everybody is as strict as we are
          compilerOptions: {
            types: ["node"],
            noUnusedLocals: false,
            noUnusedParameters: false,
            noPropertyAccessFromIndexSignature: false
          },
          include: ["*.ts"]
        }
        writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config))
        const tsc = join(root, "node_modules/typescript/bin/tsc")
        const { status, stdout } = spawnSync(process.execPath, [tsc, "-p", folder, "--checkers", "1"], {
          encoding: "utf8"
        })
        assert.strictEqual(stdout, "")
        assert.strictEqual(status, 0)
      } finally {
        rmSync(folder, { recursive: true, force: true })
      }
    })
  }
})
