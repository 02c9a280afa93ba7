import { readFileSync } from "node:fs"
import { composePlugins, genesisHash, type Recorded, seal } from "@proofline/kernel"
import { assert, describe, it } from "vitest"
import { sessionsRules } from "../../../packages/plugins/src/policies/sessions/rules/plugin.ts"
import { placesOf } from "../../../packages/plugins/src/text/places.ts"
import { release } from "../../kernel/golden/release.ts"
import { digest, replayOf } from "../../kernel/support/recorded.ts"

describe("the places of a part in a text", () => {
  it("are all of them, also where they overlap; an empty part has none", () => {
    assert.deepStrictEqual([...placesOf("aaa-aa", "aa")], [0, 1, 4])
    assert.deepStrictEqual([...placesOf("aaa", "b")], [])
    assert.isTrue(placesOf("aaa", "").next().done)
  })
})

/** The value with the texts of a field emptied. */
const emptied = (value: unknown, field: string): unknown => {
  if (Array.isArray(value)) return value.map((one) => emptied(one, field))
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [
      key,
      key === field && typeof one === "string" ? "" : emptied(one, field)
    ])
  )
}

describe("given the log of a session in which the texts of a field are empty, chained anew", () => {
  it.each(["path", "file_path", "title", "evidence", "message"])("when it is replayed, then that ends: %s", (field) => {
    let prev_hash = genesisHash
    const log = readFileSync(new URL(`../../golden/${release}/session.ndjson`, import.meta.url), "utf8")
      .trim()
      .split("\n")
      .map((line) => {
        const event: Recorded = JSON.parse(line)
        const content = emptied(event.content, field) as Recorded["content"]
        const sealed = seal({ ...event, content }, { ...event, prev_hash }, digest.sha256)
        prev_hash = sealed.hash
        return sealed
      })
    assert.strictEqual(replayOf(composePlugins([sessionsRules]), log).events, log.length)
  })
})
