import { assert, describe, it } from "@effect/vitest"
import { idleConfigIn } from "../../../packages/plugins/src/policies/evidence/work/idleConfig.ts"
import { splitLines } from "../../../packages/plugins/src/text/lines.ts"

/** What is said of a file of which all is new but the lines in front. */
const saidOf = (path: string, text: string, item: string, before = ""): string | null => {
  const lines = splitLines(before + text)
  const first = splitLines(before).length
  const range = { start: first + 1, end: lines.length }
  return idleConfigIn(item, { path, lines }, [...lines.keys()].slice(first), range)
}

const actions = ".github/workflows/ci.yml"
const job = (more: string) => `name: ci\non: push\njobs:\n  test:\n    runs-on: ubuntu-latest\n${more}`
const scripts = '{\n  "scripts": {\n    "build": "tsc",\n'

describe("a configuration that is to run something", () => {
  it.each([
    [actions, job("")],
    [actions, job("    steps: []\n")],
    [actions, job("    steps:\n      - run: true\n")],
    [actions, job("    steps:\n      - uses: actions/checkout@v4\n      - run: echo ok\n")],
    [actions, job("    steps:\n      - name: Test\n        run: |\n          echo Testing\n          exit 0\n")],
    [actions, job("    if: false\n    steps:\n      - run: npm test\n")],
    [".gitlab-ci.yml", "test:\n  script:\n    - true\n"],
    [".gitlab-ci.yml", 'test:\n  script:\n    - echo "Running tests"\n'],
    ["Dockerfile", "RUN true\n", "FROM alpine\n"],
    ["Dockerfile", "RUN echo done && :\n", "FROM alpine\n"],
    ["Dockerfile", "HEALTHCHECK --interval=5s CMD exit 0\n", "FROM alpine\n"],
    ["Dockerfile", 'CMD ["true"]\n', "FROM alpine\n"],
    ["package.json", '    "lint": "true"\n  }\n}\n', scripts],
    ["package.json", '    "lint": "echo lint && exit 0"\n  }\n}\n', scripts],
    ["Makefile", "test:\n\t@echo ok\n", "all:\n\tcc a.c\n"],
    ["Makefile", ".PHONY: test\ntest:\n", "all:\n\tcc a.c\n"]
  ])("when it runs nothing, then it is told: %s %s", (path, text, before = "") => {
    // brackets alone are no change
    const said = splitLines(text).filter((line) => !/^[\s}]*$/.test(line))
    assert.isNotNull(saidOf(path, said.join(""), "Add a job that runs the tests", before))
  })

  it.each([
    [actions, job("    steps:\n      - uses: actions/checkout@v4\n      - run: npm test\n")],
    [actions, job("    steps:\n      - run: echo Testing\n      - run: npm test\n")],
    [actions, job('    steps:\n      - run: echo "a=b" >> $GITHUB_ENV\n')],
    [actions, job("    steps:\n      - uses: golangci/golangci-lint-action@v6\n")],
    [actions, job("    steps:\n      - if: false\n        run: npm run lint\n      - run: npm test\n")],
    [actions, "jobs:\n  test:\n    uses: ./.github/workflows/test.yml\n"],
    [".gitlab-ci.yml", "test:\n  script:\n    - echo Testing\n    - npm test\n"],
    [".gitlab-ci.yml", "test:\n  extends: .base\n  script:\n    - true\n"],
    ["Dockerfile", "RUN apk add curl\n", "FROM alpine\n"],
    ["Dockerfile", "RUN echo a > /etc/a\n", "FROM alpine\n"],
    ["package.json", '    "lint": "eslint ."\n', scripts],
    ["package.json", '    "test": "echo no && exit 1"\n', scripts],
    ["package.json", '  "private": "true"\n', '{\n  "name": "a",\n'],
    ["Makefile", "test: build\n", "build:\n\tcc a.c\n"],
    ["Makefile", "test:\n\t@echo Testing\n\t./run\n", "all:\n\tcc a.c\n"],
    ["Makefile", "A := true\n", "all:\n\tcc a.c\n"],
    ["other.yml", job("")]
  ])("when it runs something, then nothing is told: %s %s", (path, text, before = "") => {
    assert.isNull(saidOf(path, text, "Add a job that runs the tests", before))
  })

  it("when the other half of it is new beside the cited lines, then nothing is told", () => {
    const lines = splitLines(job("    steps:\n      - run: echo Testing\n      - run: npm test\n"))
    const file = { path: actions, lines }
    assert.isNull(idleConfigIn("Add a job that runs the tests", file, [...lines.keys()], { start: 5, end: 7 }))
  })

  it.each([
    "Add a job that always succeeds",
    "Print a message in CI",
    "Add a required check that passes when all others do",
    "Disable the lint job",
    "Fix the indentation"
  ])("when the item asks for something of the kind, or for something else, then nothing is told: %s", (item) => {
    assert.isNull(saidOf(actions, job("    steps:\n      - run: echo ok\n"), item))
  })

  it("when Maven installs beside telling its version, then it builds", () => {
    const mvn = (command: string) =>
      saidOf(actions, job(`    steps:\n      - run: mvn --version\n      - run: ${command}\n`), "Update build scripts")
    assert.isNull(mvn("mvn install site"))
    assert.isNotNull(mvn("npm install"))
  })
})
