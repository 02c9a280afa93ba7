import { assert, describe, it } from "@effect/vitest"
import {
  executedBy,
  programsOf,
  runsTests,
  withoutParts
} from "../../../packages/plugins/src/policies/execution/commands/executed.ts"

const root = "/home/me/project"

/** What a command is without all that it runs of the project; null: nothing is left. */
const without = (command: string) =>
  withoutParts(
    command,
    executedBy(command, root).map(({ end, start }) => ({ start, end, left: "true" }))
  )

describe("what a command runs of the project", () => {
  it.each([
    ["node test.js", ["test.js"]],
    ["node --test test/a.test.js", ["test/a.test.js"]],
    ["FOO=1 timeout 30 python3 -u check.py --fast", ["check.py"]],
    ["python -m pytest tests/test_a.py::test_x", ["tests/test_a.py"]],
    ["python -m checks.login", ["checks/login.py"]],
    ["./check.sh now", ["check.sh"]],
    ["sh -c 'cd sub && sh check.sh'", ["check.sh", "sub/check.sh"]],
    ["npx vitest run src/a.test.ts", ["src/a.test.ts"]],
    ["poetry run pytest tests", ["tests"]],
    ["go run main.go | grep x", ["main.go"]]
  ])("given %s", (command, expected) => {
    const paths = executedBy(command, root).flatMap(({ words }) => words.flatMap((word) => word.paths))
    for (const path of expected) assert.include(paths, path)
  })

  it.each([
    ["test -f made.txt"],
    ["grep -q hello greeting.txt"],
    ["[ -s out.json ] && diff out.json expected.json"],
    ["python -c 'import calc; assert calc.add(1, 2) == 3'"],
    ["node -e \"require('./calc.js')\""],
    ["node --check app.js"],
    ["bash -n install.sh"],
    ["go build ./..."],
    ["tsc --noEmit src/a.ts"],
    ['[ "$(node calc.js 2 3)" = 5 ]']
  ])("given %s, then it only looks: nothing of the project decides for it", (command) => {
    assert.deepStrictEqual(executedBy(command, root), [])
  })

  it.each([
    ["make check", ["Makefile"]],
    ["npm test", ["package.json"]],
    ["cd web && npm run e2e", ["package.json", "web/package.json"]]
  ])("given %s, then it needs a build file", (command, expected) => {
    const paths = executedBy(command, root).flatMap(({ needs }) => needs.map(({ path }) => path))
    for (const path of expected) assert.include(paths, path)
  })
})

describe("a command without what it runs", () => {
  it.each([
    ["node test.js", null],
    ["cd sub && node test.js", null],
    ["set -e; npm test", null],
    ["sh -c 'node test.js'", null],
    ["eslint . && pytest tests/test_a.py", "eslint . && true"],
    ["node calc.js 2 3 | grep -qx 5", "true | grep -qx 5"],
    ["node build.js && test -f dist/out.js", "true && test -f dist/out.js"]
  ])("given %s", (command, expected) => {
    assert.strictEqual(without(command), expected)
  })
})

describe("whether a command may run tests that it does not name", () => {
  it.each(["pytest", "npm test", "make ci", "python manage.py test", "./ci.sh", "go test ./...", "cargo test -q"])(
    "given %s, then yes",
    (command) => assert.isTrue(runsTests(command, root))
  )
  it.each(["test -f a.txt", "grep -q test a.txt", "node check.js", "python -c 'import a'"])(
    "given %s, then no",
    (command) => assert.isFalse(runsTests(command, root))
  )
})

describe("the programs that a command starts", () => {
  it.each<[string, ReadonlyArray<string>]>([
    ["npm test", ["npm"]],
    ["npm run lint && npx vitest run; ./check.sh", ["npm", "npx", "./check.sh"]],
    ['CI=1 NAME="a b" pytest -q 2>&1 | tee out.log', ["pytest", "tee"]],
    ["make test > out.txt 2>/dev/null || exit 1", ["make", "exit"]],
    ["if test -s a; then ruby x.rb; fi", ["test", "ruby"]],
    ["cd web && ./run.sh && npm test && /opt/run", ["npm", "/opt/run"]],
    ["! grep -q TODO src", ["grep"]],
    ["[ -s a.json ] && [[ $a = b ]]", ["[", "[["]],
    ["\"./my check\" && 'go' vet", ["go"]],
    ['$RUNNER test; "$HOME/bin/x"; ~/bin/y', []],
    ["check() { grep -q x y; }; check", []],
    ["python3 - <<'E'\nimport os\nnot_a_program()\nE", ["python3"]],
    ["node -e 'process.exit(1 > 2)' && go vet ./...", ["node", "go"]],
    ["(cargo test)", ["cargo"]],
    ["", []]
  ])("given %s, are %j", (command, expected) => {
    assert.deepStrictEqual(programsOf(command), expected)
  })
})
