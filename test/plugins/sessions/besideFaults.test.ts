import { assert, describe } from "@effect/vitest"
import { effect } from "../../effects.ts"
import { alone } from "./servers.ts"

const failuresIn = (body: unknown) =>
  (body as { readonly failures?: ReadonlyArray<{ readonly key: string; readonly item: string | null }> }).failures ?? []

describe("given a report of which a field has another type", () => {
  effect("when evidence of it does not hold either, then both are told at once", function* () {
    const { alice } = yield* alone()
    yield* alice.works({ id: "a", checklist: ["one", "two"] })
    const { body, ok } = yield* alice.call("complete_task", {
      task_id: "a",
      data: {
        summary: "It is done.",
        checklist: [
          { item: "one", status: "done", evidence: "src/nowhere.ts:1" },
          { item: "two", status: "done", evidence: 7 }
        ]
      }
    })
    assert.isFalse(ok)
    const failures = failuresIn(body)
    assert.includeMembers(
      failures.map(({ key }) => key),
      ["checklist_evidence_file_not_found"]
    )
    assert.isTrue(failures.some(({ key }) => key === "field_invalid" || key === "checklist_evidence_format_invalid"))
    // of the item that cannot be read nothing else is made up
    assert.deepStrictEqual(
      failures.filter(({ item, key }) => item === "two" && key.startsWith("checklist_reason")),
      []
    )
  })
})
