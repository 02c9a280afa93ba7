import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { type Files, placed, runOf } from "./sessions.ts"

interface Work {
  readonly before?: Files
  readonly after: Files
  readonly item: string
  readonly evidence: string
}

const script = "export function save(user) {\n  const key = 'user:' + user.id\n  open(key)\n  return key\n}\n"
const respelled = script.replace("'user:'", '"user:"').replace("return key", "return key;")

const empty = "checklist_evidence_empty_impl"
const idle = "checklist_evidence_idle"

const pretended: ReadonlyArray<readonly [name: string, reason: string, work: Work]> = [
  [
    "other quotes and a semicolon",
    "cosmetic",
    { before: { "a.js": script }, after: { "a.js": respelled }, item: "Retry the save", evidence: "a.js:2-4" }
  ],
  [
    "a file with other quotes",
    "cosmetic",
    { before: { "a.js": script }, after: { "a.js": respelled }, item: "Retry the save", evidence: "file:a.js" }
  ],
  [
    "a declaration without a body",
    empty,
    {
      after: { "a.ts": "export interface Slugger {\n  slugify(text: string): string\n}\n" },
      item: "Implement slugify()",
      evidence: "a.ts:2"
    }
  ],
  [
    "a copy beside sources",
    "prose",
    {
      after: { "a.py.bak": "def slugify(text):\n    return text.lower()\n" },
      item: "Implement slugify()",
      evidence: "a.py.bak:1-2"
    }
  ],
  [
    "a page that shows code",
    "prose",
    {
      after: { "a.html": "<pre>\nconst slugify = (text) => low(text)\n</pre>\n" },
      item: "Implement slugify()",
      evidence: "a.html:2"
    }
  ],
  [
    "a text that is still to be written",
    empty,
    {
      before: { "README.md": "# Project\n" },
      after: { "README.md": "# Project\n\n## Retry\n\nTBD\n" },
      item: "Document the retry option",
      evidence: "README.md:3-5"
    }
  ],
  [
    "a comment that is still to be written",
    "cosmetic",
    {
      before: { "a.js": script },
      after: { "a.js": `/** Coming soon. */\n${script}` },
      item: "Document save()",
      evidence: "a.js:1-6"
    }
  ],
  [
    "work under a constant that is false",
    idle,
    {
      before: { "a.js": script },
      after: {
        "a.js": `const again = false\n${script.replace("  return key", "  if (again) open(key)\n  return key")}`
      },
      item: "Retry the save",
      evidence: "a.js:5"
    }
  ],
  [
    "a statement that stops at its first word",
    empty,
    {
      before: { "a.js": script },
      after: { "a.js": script.replace("  return key", "  false && open(key)\n  return key") },
      item: "Retry the save",
      evidence: "a.js:4"
    }
  ],
  [
    "other line ends than are asked for",
    "cosmetic",
    {
      before: { "a.js": script.replaceAll("\n", "\r\n") },
      after: { "a.js": script.replaceAll("\n", " \r\n") },
      item: "Convert a.js to LF",
      evidence: "a.js:1-4"
    }
  ],
  [
    "a job that runs nothing",
    idle,
    {
      after: { ".github/workflows/ci.yml": "jobs:\n  test:\n    runs-on: a\n    steps:\n      - run: echo ok\n" },
      item: "Add a CI job that runs the tests",
      evidence: ".github/workflows/ci.yml:1-5"
    }
  ]
]

const honest: ReadonlyArray<readonly [name: string, work: Work]> = [
  [
    "the spelling that is asked for",
    { before: { "a.js": script }, after: { "a.js": respelled }, item: "Use double quotes", evidence: "a.js:2" }
  ],
  [
    "a file in the spelling that is asked for",
    { before: { "a.js": script }, after: { "a.js": respelled }, item: "Add missing semicolons", evidence: "file:a.js" }
  ],
  ...[
    ["a.js:2", "Convert the line endings of a.js to LF", script.replaceAll("\n", "\r\n"), script],
    ["file:a.js", "Use CRLF line endings in a.js", script, script.replaceAll("\n", "\r\n")],
    ["a.js:1", "Remove the BOM from a.js", `\ufeff${script}`, script],
    ["file:a.js", "Add a newline at the end of a.js", script.trimEnd(), script],
    ["a.js:5", "Add a newline at the end of a.js", script.trimEnd(), script],
    ["a.js:2-4", "Indent a.js with tabs", script, script.replace(/^ {2}/gm, "\t")],
    ["a.js:1-2", "Add a blank line behind the head of save()", script, script.replace("\n", "\n\n")]
  ].map(
    ([evidence = "", item = "", before = "", after = ""]) =>
      [`${item} (${evidence})`, { before: { "a.js": before }, after: { "a.js": after }, item, evidence }] as const
  ),
  [
    "a page with a program",
    {
      after: { "a.html": "<script>\nconst slugify = (text) => low(text)\n</script>\n" },
      item: "Implement slugify()",
      evidence: "a.html:2"
    }
  ]
]

/** Why the one item of each was refused; empty: it was not. */
const refusedOf = (works: ReadonlyArray<Work>) =>
  Effect.map(
    runOf(
      works.map(({ evidence, item, ...work }, i) => placed(`p${i}`, { name: item, ...work, items: [[item, evidence]] }))
    ),
    ({ sessions }) => sessions.map(({ items }) => items[0]?.refused ?? ["missing"])
  )

describe("evidence that shows little", () => {
  it.live("when it pretends work, then it is refused, each with its reason", () =>
    Effect.gen(function* () {
      const refused = yield* refusedOf(pretended.map(([, , work]) => work))
      assert.deepStrictEqual(
        pretended.map(([name], i) => [name, refused[i]]),
        pretended.map(([name, reason]) => [name, [reason]])
      )
    })
  )

  it.live("when it is what was asked for, then it is accepted", () =>
    Effect.gen(function* () {
      const refused = yield* refusedOf(honest.map(([, work]) => work))
      assert.deepStrictEqual(
        honest.map(([name], i) => [name, refused[i]]),
        honest.map(([name]) => [name, []])
      )
    })
  )
})
