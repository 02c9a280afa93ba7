import { assert, describe, it } from "@effect/vitest"
import type { PlannedSubtask, RunConfig } from "@proofline/kernel"
import { analysed, aPart, aSplit, chunking } from "../support/chunks.ts"
import { played } from "../support/play.ts"

const blob = { sha256: "0".repeat(64), bytes: 0 }
const inRepository = { commit: "c".repeat(40), snapshot: blob }
const elsewhere = { commit: null, snapshot: blob }

/** How parts are run and where, as it is recorded. */
const chosen = (
  base: typeof inRepository | typeof elsewhere | null,
  parts: ReadonlyArray<PlannedSubtask>,
  config: Parameters<typeof chunking>[0] = {},
  run: Partial<RunConfig> = {}
) => {
  const start = { ...aSplit({ ...chunking(config), ...run }), base }
  const { execution_mode, workspace } = played().after(start, analysed(parts)).content("CHUNKING_ANALYSIS")
  return [execution_mode, workspace]
}

const free = [aPart("A"), aPart("B")]
const chain = [aPart("A"), aPart("B", { dependencies: [1] })]
const named = [aPart("A", { prompt: "Create a.js" }), aPart("B", { paths: ["b.js"] })]

describe("given parts that nobody has given a place", () => {
  it("when they run at the same time in a repository with a commit, then each has a worktree", () => {
    assert.deepStrictEqual(chosen(inRepository, free), ["parallel", "worktree"])
    assert.deepStrictEqual(chosen(inRepository, named), ["parallel", "worktree"])
    assert.deepStrictEqual(chosen(inRepository, [...chain, aPart("C")]), ["hybrid", "worktree"])
  })

  it("when they run one after the other, then they work in the project", () => {
    assert.deepStrictEqual(chosen(inRepository, chain), ["sequential", "shared"])
    assert.deepStrictEqual(chosen(inRepository, free, {}, { workers: 1 }), ["sequential", "shared"])
  })

  it("when there is no repository, then they share the project, at the same time", () => {
    assert.deepStrictEqual(chosen(elsewhere, free), ["parallel", "shared"])
    assert.deepStrictEqual(chosen(elsewhere, named), ["parallel", "shared"])
  })

  it("when nobody looked at what the project was, then they share it as before", () => {
    assert.deepStrictEqual(chosen(null, free), ["parallel", "shared"])
  })
})

describe("given parts whose place was named", () => {
  it("then they work there, and at the same time", () => {
    for (const workspace of ["shared", "worktree"] as const)
      assert.deepStrictEqual(chosen(inRepository, free, { workspace }), ["parallel", workspace])
    assert.deepStrictEqual(chosen(elsewhere, free, { workspace: "shared" }), ["parallel", "shared"])
  })
})
