import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { unknownInMore } from "../../packages/cli/docs/reference/commands.ts"
import { knownVariables, variablesIn } from "../../packages/cli/docs/reference/environment.ts"
import { errorsPage, inWords, saidIn } from "../../packages/cli/docs/reference/errors.ts"
import type { Page } from "../../packages/cli/docs/reference/markdown.ts"
import { referencePages, root, sources } from "../../packages/cli/docs/reference/pages.ts"
import { helpPages } from "../../packages/cli/src/commandLine/helpPages.ts"

const folder = join(root, "docs/reference")

describe("docs/reference", () => {
  let pages: ReadonlyArray<Page> = []
  beforeAll(async () => {
    pages = await Effect.runPromise(referencePages)
  })

  it("is what the code says: `npm run docs` writes it", () => {
    assert.deepStrictEqual(readdirSync(folder).toSorted(), pages.map(({ name }) => `${name}.md`).toSorted())
    for (const { name, text } of pages) assert.strictEqual(readFileSync(join(folder, `${name}.md`), "utf8"), text, name)
  })

  it("leaves nothing open: no name without a word, and no word that is none", () => {
    for (const { name, text } of pages) {
      assert.notInclude(text, "undefined", name)
      if (name === "errors") assert.deepStrictEqual(text.match(/^\| `\w+` \|\s+\|\s+\|$/gm), null)
    }
  })

  it("tells in its own words of no code that nobody says", () => {
    const all = sources()
      .map(({ text }) => text)
      .join("\n")
    assert.deepStrictEqual(
      Object.keys(inWords).filter((one) => !all.includes(`"${one}"`) && !isComposed(one, all)),
      []
    )
  })

  it.effect("tells more of commands that there are", () =>
    Effect.map(helpPages, (help) => assert.deepStrictEqual(unknownInMore(help), []))
  )

  it("names every variable of the environment that is read, and none that nobody reads", () => {
    // but for the list itself
    const texts = sources().filter(({ path }) => !path.endsWith("cli/src/base/variables.ts"))
    const read = variablesIn(texts)
    assert.deepStrictEqual(
      read.filter((name) => !knownVariables.includes(name) && !others.includes(name)),
      []
    )
    const all = texts.map(({ text }) => text).join("\n")
    assert.deepStrictEqual(
      knownVariables.filter((name) => !all.includes(name)),
      []
    )
  })
})

/** A part of the code is filled in: `${what}_missing`, `not_${what}`. */
const isComposed = (code: string, text: string): boolean => {
  const [first = "", ...others] = code.split("_")
  return text.includes(`}_${others.at(-1)}\``) || text.includes(`\`${first}_\${`)
}

/** Between processes of Proofline, and words that look like a variable. */
const others = ["PROOFLINE_BUNDLE", "PROOFLINE_BUNDLE_SEEN", "TASK"]

describe("what a source says with a code", () => {
  const said = (text: string) => saidIn({ path: "x.ts", text }).map(({ code, hint, message }) => [code, message, hint])

  it("is found in an object and in a call, with what is filled in left open", () => {
    assert.deepStrictEqual(
      said('const a = { code: "file_gone", message: `The file $' + '{name} is gone.`, hint: "Write it." }'),
      [["file_gone", "The file … is gone.", "Write it."]]
    )
    assert.deepStrictEqual(said('reject("task_open", "It is open.", "Close it.", open)'), [
      ["task_open", "It is open.", "Close it."]
    ])
    assert.deepStrictEqual(said('const message = "No."\nconst a = { code: isA ? "not_a" : "not_b", message }'), [
      ["not_a", "No.", ""],
      ["not_b", "No.", ""]
    ])
  })

  it("is nothing where nothing is said, or the word is no code", () => {
    assert.deepStrictEqual(said('const a = { code: "file_gone" }'), [])
    assert.deepStrictEqual(said('const a = { code: "plain", message: "x" }'), [])
    assert.deepStrictEqual(said('append("task_open", "It is open.")'), [])
  })
})

describe("the page of error codes", () => {
  const row = (...texts: ReadonlyArray<string>) =>
    errorsPage(texts.map((text, i) => ({ path: `${i}.ts`, text })))
      .text.split("\n")
      .find((line) => line.startsWith("| `file_gone`"))

  it("says what to do beside the sentence that it belongs to", () => {
    assert.strictEqual(
      row(
        'const a = { code: "file_gone", message: `$' + '{name} is gone.`, hint: "Write it." }',
        'const a = { code: "file_gone", message: "A file is gone.", hint: "Look for it." }'
      ),
      "| `file_gone` | A file is gone. | Look for it. |"
    )
  })

  it("says what to do as another place says it, where none stands beside the sentence", () => {
    assert.strictEqual(
      row(
        'reject("file_gone", "A file is gone.")',
        'const a = { code: "file_gone", message: "It is gone.", hint: "Write it." }'
      ),
      "| `file_gone` | A file is gone. | Write it. |"
    )
  })
})
