import { assert, describe, it } from "@effect/vitest"
import { commandsIn, isIdle } from "../../../packages/plugins/src/policies/evidence/work/idle/commands.ts"
import { allOf, entriesOf } from "../../../packages/plugins/src/policies/evidence/work/idle/yaml.ts"

const fates = (script: string, stops = true): string =>
  commandsIn(script, stops)
    .filter(({ text }) => /\bt\b/.test(text))
    .map(({ fate }) => fate)
    .join(" ")

describe("commands of a script", () => {
  it.each([
    ["npm t", "counts"],
    ["npm t || true", "lost"],
    ["CI=1 npx t 2>&1 || :", "lost"],
    ["npm t || exit 0", "lost"],
    ["npm t \\\n  || echo failed", "lost"],
    ["npm ci && npm t || true", "lost"],
    ["(cd a && npm t) || true", "lost"],
    ["bash -c 'npm t || true'", "lost"],
    ["npm t | true", "lost"],
    ["-npm t", "lost"],
    ["set +e\nnpm t\nexit 0", "lost"],
    ["exit 0\nnpm t", "never"],
    ["exit 0 && npm t", "never"],
    ["false && npm t", "never"],
    ["true || npm t", "never"],
    ["if false; then npm t; fi", "never"],
    ["if npm t; then\n  echo ok\nelse\n  echo bad\nfi", "lost"],
    ["if npm t; then\n  echo ok\nelse\n  exit 1\nfi", "counts"],
    ["npm t || exit 1", "counts"],
    ["npm t || { echo failed; exit 1; }", "counts"],
    ["npm t || failed=1", "counts"],
    ['npm t || echo "::warning::failed"', "counts"],
    ["npm t | tee log", "counts"],
    ["npm t; true", "counts"],
    ["set +e\nnpm t\ncode=$?\nexit $code", "counts"],
    ["if ! npm t; then\n  exit 1\nfi", "counts"],
    ["rm a || true\nnpm t", "counts"],
    ["if [ -z x ]; then\n  exit 0\nfi\nnpm t", "counts"]
  ])("given %s, then what becomes of it is known", (script, expected) => {
    assert.strictEqual(fates(script), expected)
  })

  it("given a shell that goes on, when the last one always succeeds, then the others are lost", () => {
    assert.strictEqual(fates("npm t; true", false), "lost")
    assert.strictEqual(fates("npm t; npm t", false), "counts counts")
  })

  it.each(["true", ":", "exit 0", "echo a && true", 'sh -c "exit 0"', 'node -e "process.exit(0)"', "# npm test\ntrue"])(
    "given %s, then it does nothing",
    (script) => assert.isTrue(isIdle(script))
  )

  it.each(["", "npm test", "echo a > b", "echo $(npm test)", "echo a | sh", "exit 1", 'sh -c "npm test"'])(
    "given %s, then it may do something",
    (script) => assert.isFalse(isIdle(script))
  )
})

describe("a text of YAML", () => {
  it("when it is read, then it is known what belongs to what", () => {
    const text = `a: "x # y" # z
b:
- c: 1
  d: |
    e: f

    g
- h
- { i: j, 'k': "l" }
m: [n, "o p"]
q: r
  s
`
    const said = allOf(entriesOf(text.split("\n"))).map(
      ({ end, key, parent, row, value }) => `${parent?.key ?? "-"} ${key ?? "-"} ${JSON.stringify(value)} ${row}-${end}`
    )
    assert.deepStrictEqual(said, [
      '- a "x # y" 0-1',
      '- b "" 1-9',
      'b - "" 2-7',
      '- c "1" 2-3',
      '- d "e: f\\n\\ng" 3-7',
      'b - "h" 7-8',
      'b - "{ i: j, \'k\': \\"l\\" }" 8-9',
      '- i "j" 8-9',
      '- m "[n, \\"o p\\"]" 9-10',
      '- q "r s" 10-13'
    ])
  })
})
