import { assert, describe, it } from "@effect/vitest"
import { asksForRemoval } from "../../../packages/plugins/src/policies/evidence/asked/removals.ts"

describe("what an item asks to take out", () => {
  it.each([
    "Remove the unused import of os",
    "Delete test_roundzip from tests/test_strutils.py",
    "Drop the legacy flag",
    "Removed the unused constant BASE",
    "Dropping the legacy flag",
    "Got rid of BASE",
    "古いAPIを削除する"
  ])("when it asks for nothing else, then it does: %s", (item) => {
    assert.isTrue(asksForRemoval(item))
  })

  it.each([
    "Remove the fallback and use the cache",
    "Replace the old parser",
    "Remove the parser in favour of the new one",
    "Add a command that removes users",
    "古いAPIを削除し、新しいAPIを追加する"
  ])("when it asks for something in its place, or for code that removes, then it does not: %s", (item) => {
    assert.isFalse(asksForRemoval(item))
  })
})
