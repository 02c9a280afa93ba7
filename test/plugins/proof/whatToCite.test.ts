import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { root } from "../../../packages/cli/docs/site/docs.ts"
import { blocksIn } from "../../docs/blocks.ts"
import { placed, runOf } from "./sessions.ts"

const [, page = ""] = readFileSync(join(root, "docs/evidence.md"), "utf8").split(/^## (?=What to cite$)/m)
const [section = ""] = page.split(/^## /m)
const [code] = blocksIn(section, "docs/evidence.md")

/** What the table says of an item that is shown by lines; `beside`: the lines that another item cites then. */
const rows = [...section.matchAll(/^\| ([^|]+) \| `(src\/[^`]+)` \| (holds|refused)([^|]*)\|$/gm)].flatMap(
  ([, item = "", evidence = "", outcome = "", more = ""]) => {
    const beside = /; refused where the first item cites `([^`]+)`/.exec(more)?.[1]
    const row = { item, evidence, outcome, beside: "" }
    return beside === undefined ? [row] : [row, { ...row, outcome: "refused", beside }]
  }
)

describe("docs/evidence.md, what to cite", () => {
  it("has rows that hold and rows that are refused", () => {
    assert.sameMembers([...new Set(rows.map(({ outcome }) => outcome))], ["holds", "refused"])
    assert.strictEqual(rows.filter(({ beside }) => beside !== "").length, 1)
  })

  it.live("given the file that it shows, when each row is reported, then it is judged as the row says", () =>
    Effect.gen(function* () {
      const first = rows[0]?.item ?? ""
      const { sessions } = yield* runOf(
        rows.map(({ beside, evidence, item }, i) =>
          placed(`p${i}`, {
            name: item,
            before: { "kept.txt": "kept\n" },
            after: { "src/auth.ts": code?.text ?? "" },
            items: [...(beside === "" ? [] : ([[first, beside]] as const)), [item, evidence]]
          })
        )
      )
      const found = sessions.map(({ items }) => ((items.at(-1)?.refused.length ?? 0) === 0 ? "holds" : "refused"))
      assert.deepStrictEqual(
        rows.map((row, i) => ({ ...row, outcome: found[i] })),
        rows
      )
    })
  )
})
