import { assert, describe, it } from "@effect/vitest"
import { asksForNothing } from "../../../packages/plugins/src/policies/evidence/asked/askedFor.ts"

describe("an item that asks for code that does nothing, or always the same", () => {
  it.each([
    "Override log_message() with an empty body",
    "Add health(request) that always answers with status 200",
    'Add getTheme(user) that always returns "dark"',
    "Make isFeatureEnabled(name) return false for now",
    'Add getTheme(user) that returns "dark" for every user',
    "Add isAdmin(user), which is false for everyone for now",
    "Add a component Nothing(props) that renders nothing",
    "Implement Supports(feature), it supports nothing",
    "Add a placeholder page component",
    "feat: Add a stub for sendMail(to)",
    "Make delete() in src/ro.ts throw, since the store is read-only"
  ])("when it says so, then it does: %s", (item) => {
    assert.isTrue(asksForNothing(item))
  })

  it.each([
    "Add health(request) that answers with the status of the database",
    "Make isEnabled(name) return the value of its flag for now",
    "Add isAdmin(user), which is false for guests",
    "Make delete() throw when the store is read-only",
    'Fix getTheme(), which always returns "dark"',
    "Show nothing of the password",
    "Replace the stub of sendMail(to)",
    "Add a function that fills placeholders"
  ])("when it asks for one case, or for a change, then it does not: %s", (item) => {
    assert.isFalse(asksForNothing(item))
  })
})
