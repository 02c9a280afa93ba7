import { assert, describe, it } from "@effect/vitest"
import { linesAskedFor } from "../../../packages/plugins/src/policies/evidence/asked/askedFor.ts"

const asksFor = (item: string, line: string): boolean => linesAskedFor(item, "a.py")?.(line) ?? false

describe("a line that keeps a tool silent", () => {
  it.each([
    ["Silence the mypy error in f()", "    return g(x)  # type: ignore[no-any-return]"],
    ["Suppress the ruff warning S307 on eval", "    return eval(s)  # noqa: S307"],
    ["Add a `# type: ignore` to the return of f()", "    return g(x)  # type: ignore"],
    ["Add nolint for errcheck", "\tg() //nolint:errcheck"],
    ["Suppress SC2086 in run.sh", "# shellcheck disable=SC2086"],
    ["Ignore CKV_AWS_20 for the bucket", "  #checkov:skip=CKV_AWS_20: the site is public"],
    ["Expect the type error of window.foo", "// @ts-expect-error foo is set by the page"],
    ["Disable the eslint rule no-console in log.js", "// eslint-disable-next-line no-console"]
  ])("when the item asks for that, then it is what is asked for: %s", (item, line) => {
    assert.isTrue(asksFor(item, line))
  })

  it.each([
    ["Add a retry to fetch()", "    return g(x)  # type: ignore"],
    ["Suppress the ruff warning S307 on eval", "    return eval(s)  # noqa: E501"],
    ["Silence the mypy error in f()", "    return g(x)"],
    ["Silence the mypy error in f() and add a test", "    return g(x)  # type: ignore"],
    ["Run the type checker in CI", "    return g(x)  # nosec"]
  ])("when it asks for something else, or the line says nothing of it, then not: %s", (item, line) => {
    assert.isFalse(asksFor(item, line))
  })
})
