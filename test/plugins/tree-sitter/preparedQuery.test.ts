import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import * as Path from "node:path"
import type { LanguageRules } from "@proofline/kernel"
import { assert, describe, it } from "vitest"
import { type Loaded, makeEngine } from "../../../packages/plugins/src/adapters/tree-sitter/engine.ts"
import { grammarFile, runtimeFiles } from "../../../packages/plugins/src/adapters/tree-sitter/grammars.ts"
import { languages } from "../../../packages/plugins/src/adapters/tree-sitter/languages/index.ts"
import { packQueries, readPrepared } from "../../../packages/plugins/src/adapters/tree-sitter/preparedQuery.ts"
import { honest } from "../proof/honest.ts"

/** Work in a language, all as one text; in TypeScript and Python also for what is read like them. */
const textFor = ({ extensions, name }: LanguageRules): string => {
  const endings = { tsx: [".ts"], "python-stubs": [".py"] }[name] ?? extensions
  const texts = honest.flatMap(({ after }) =>
    Object.entries(after).flatMap(([path, text]) =>
      typeof text === "string" && endings.includes(Path.extname(path)) ? [text] : []
    )
  )
  return texts.join("\n")
}

/** What a language finds in a text, and in which order. */
const foundBy = ({ read }: Loaded, text: string) =>
  read(text, (_, matches) =>
    matches.map(({ captures, patternIndex }) => [
      patternIndex,
      ...captures.map(({ name, node }) => `${name} ${node.type} ${node.startIndex}-${node.endIndex}`)
    ])
  )

describe("a query that was prepared", () => {
  const plain = makeEngine(() => null)
  const kept = new Map<string, Uint8Array>()
  const again = makeEngine(({ name }) => kept.get(name) ?? null)

  it.each(languages.map((rules) => [rules.name, rules] as const))(
    "given the query of %s, finds the same as one that is made of its text, and is the same",
    async (name, rules) => {
      const made = await plain(rules)
      kept.set(name, made.query())
      const put = await again(rules)
      assert.deepStrictEqual(put.query(), made.query())
      assert.deepStrictEqual(put.predicates, made.predicates)
      const found = foundBy(made, textFor(rules))
      assert.isAbove(found?.length ?? 0, 20)
      assert.deepStrictEqual(foundBy(put, textFor(rules)), found)
      // what it read is not in its way
      assert.deepStrictEqual(foundBy(put, textFor(rules)), found)
    }
  )

  it("given another query, another grammar or another runtime than it was made for, is none", async () => {
    const [rules] = languages.filter(({ name }) => name === "go")
    assert.isDefined(rules)
    const file = Path.join(mkdtempSync(Path.join(tmpdir(), "proofline-")), "queries.br")
    const of = { runtime: runtimeFiles().wasm, grammar: grammarFile(rules.grammar) }
    assert.isNull(readPrepared(file, rules, of))
    const query = (await plain(rules)).query()
    const another = { rules: { ...rules, query: "(comment) @x" }, of, query: new Uint8Array([1, 2, 3]) }
    writeFileSync(file, packQueries([another, { rules, of, query }]))
    assert.deepStrictEqual([...(readPrepared(file, another.rules, of) ?? [])], [1, 2, 3])
    assert.deepStrictEqual(new Uint8Array(readPrepared(file, rules, of) ?? []), new Uint8Array(query))
    assert.isNull(readPrepared(file, { ...rules, query: `${rules.query} ` }, of))
    assert.isNull(readPrepared(file, rules, { ...of, grammar: of.runtime }))
    assert.isNull(readPrepared(file, rules, { ...of, runtime: of.grammar }))
  })
})
