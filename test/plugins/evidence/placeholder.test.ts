import { assert, describe, it } from "@effect/vitest"
import { isPlaceholder, placeholderIn } from "../../../packages/plugins/src/policies/evidence/work/placeholder.ts"
import { splitLines } from "../../../packages/plugins/src/text/lines.ts"

describe("a line of a text", () => {
  it.each([
    "TBD",
    "- TODO: document the retry option",
    "_Coming soon._",
    "**Work in progress**",
    "<!-- TODO -->",
    "This section will be written later.",
    "This section is under construction.",
    "The guide has to be written.",
    "To be documented",
    "> Lorem ipsum dolor sit amet, consectetur",
    "Documentation goes here.",
    "More details to follow …",
    "Placeholder text",
    "準備中",
    "* 後で記載する。"
  ])("when it says that something is still to be written, then it is known: %s", (line) => {
    assert.isTrue(isPlaceholder(line))
  })

  it.each([
    "Set `retry: 3` to try three times.",
    "Support for Windows is coming soon.",
    "Todo lists are kept in `todo.json`.",
    "The retry option is documented in docs/retry.md.",
    "The placeholder of the input",
    "This section describes what is to be written.",
    "`TODO` marks open work",
    "Not documented options are ignored",
    "準備中の場合は再試行する"
  ])("when it says something, then it is left alone: %s", (line) => {
    assert.isFalse(isPlaceholder(line))
  })
})

describe("what is new in a text", () => {
  const said = (path: string, text: string, item = "Document the retry option", end = 9): string | null => {
    const lines = splitLines(`# Project\n\nIt does things.\n\n${text}\n`)
    return placeholderIn(item, { path, lines }, [...lines.keys()].slice(4), {
      start: 5,
      end: Math.min(end, lines.length)
    })
  }

  it("when it is a heading and a placeholder, then that is told", () => {
    assert.strictEqual(said("README.md", "## Retry\n\nTBD"), "TBD")
    assert.strictEqual(said("docs/a.rst", "Retry\n-----\n\nComing soon."), "Coming soon.")
    assert.strictEqual(said("docs/a.adoc", "== Retry\n\nTBD"), "TBD")
  })

  it("when something else is said too, or no text is cited, then nothing is told", () => {
    assert.isNull(said("README.md", "## Retry\n\nSet `retry`.\n\nTBD"))
    assert.isNull(said("README.md", "## Retry\n\nTBD\n\nSet `retry`.", undefined, 20))
    assert.isNull(said("a.py", "# TBD"))
    assert.isNull(said("README.md", "## Retry\n\nTBD", undefined, 5))
  })

  it("when the item asks for something of the kind, then nothing is told", () => {
    assert.isNull(said("README.md", "## Retry\n\nComing soon.", "Add a coming soon note for retries"))
    assert.isNull(said("README.md", "## Retry\n\nTODO", "Add a skeleton of the retry chapter"))
    assert.isNull(said("README.md", "TODO: retry", "Add retry to the TODO list"))
  })
})
