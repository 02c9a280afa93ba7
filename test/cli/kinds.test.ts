import { it } from "@effect/vitest"
import { Effect } from "effect"
import { assert, describe } from "vitest"
import { helpPages } from "../../packages/cli/src/commandLine/helpPages.ts"
import { documents } from "../../packages/cli/src/documents/index.ts"
import { kindOf } from "../../packages/cli/src/documents/kindOf.ts"

const published = new Set(documents.flatMap(({ kinds }) => kinds))

describe("given a command that prints a document", () => {
  it.effect("when its call is refused, then what it prints has a kind of which there is a schema", () =>
    Effect.gen(function* () {
      const printing = Object.entries(yield* helpPages)
        .filter(([, { tables }]) => tables.some(([, rows]) => rows.some(([flag]) => flag.startsWith("--json"))))
        .map(([words]) => words)
      assert.include(printing, "schema list")
      assert.deepEqual(
        printing.filter((words) => !published.has(kindOf(["proofline", ...words.split(" ")]))),
        []
      )
    })
  )
})
