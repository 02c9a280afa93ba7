import { readFileSync } from "node:fs"
import { parseTasks } from "@proofline/plugins/adapters/project-files"
import { describe, expect, it } from "vitest"
import { fittedTasks } from "../../packages/cli/src/detected/fittedTasks.ts"
import { type Look, testCommandsBelow, testCommandsOf } from "../../packages/cli/src/detected/testCommands.ts"

/** A project of these files, each with its text. */
const look = (files: Readonly<Record<string, string>>, programs: ReadonlyArray<string> = ["python3"]): Look => ({
  has: (path) => Object.keys(files).some((file) => file === path || file.startsWith(`${path}/`)),
  text: (path) => files[path] ?? "",
  names: (path) => [
    ...new Set(
      Object.keys(files).flatMap((file) => {
        const inside = path === "." ? file : file.startsWith(`${path}/`) ? file.slice(path.length + 1) : ""
        return inside === "" ? [] : [inside.split("/")[0] ?? ""]
      })
    )
  ],
  runs: (program) => programs.includes(program)
})

const pytest = "python3 -m pytest"
const script = (test: string, more = {}) => JSON.stringify({ scripts: { test }, ...more })

describe("the command that runs the tests of a project", () => {
  it.each<readonly [string, Readonly<Record<string, string>>, ReadonlyArray<string>]>([
    ["the script of package.json", { "package.json": script("vitest") }, ["npm test"]],
    ["by the manager of the lock file", { "package.json": script("vitest"), "pnpm-lock.yaml": "" }, ["pnpm test"]],
    ["by the manager that is named", { "package.json": script("x", { packageManager: "yarn@4.1.0" }) }, ["yarn test"]],
    ["the script, not bun's own runner", { "package.json": script("x"), "bun.lock": "" }, ["bun run test"]],
    [
      "none where npm has written that there is none",
      { "package.json": script('echo "Error: no test specified"') },
      []
    ],
    ["none where the script is missing", { "package.json": "{}" }, []],
    ["none of a package.json that cannot be read", { "package.json": "]" }, []],
    ["pytest that is named", { "pyproject.toml": "[tool.pytest.ini_options]" }, ["python3 -m pytest"]],
    ["pytest of uv", { "pyproject.toml": 'dev = ["pytest"]', "uv.lock": "" }, ["uv run python -m pytest"]],
    ["pytest by its conftest", { "setup.py": "", "tests/conftest.py": "" }, ["python3 -m pytest"]],
    ["unittest of a directory", { "setup.py": "", "tests/test_a.py": "" }, ["python3 -m unittest discover -s tests"]],
    ["pytest by the import of a test", { "setup.py": "", "test_a.py": "import re\nimport pytest\n" }, [pytest]],
    [
      "pytest by the import of a test in a directory",
      { "setup.py": "", "tests/test_a.py": "from pytest import x" },
      [pytest]
    ],
    ["pytest by a test that is a function", { "setup.py": "", "tests/a_test.py": "def test_a(tmp_path):\n" }, [pytest]],
    ["pytest by a list of requirements", { "requirements-test.txt": "pytest>=8\n" }, [pytest]],
    ["pytest by a list in a directory of them", { "requirements/dev.txt": "pytest\n" }, [pytest]],
    ["pytest by extras of setup.cfg", { "setup.cfg": "[options.extras_require]\ntest = pytest\n" }, [pytest]],
    ["pytest without a file of the project", { "test_a.py": "import pytest\n" }, [pytest]],
    ["unittest without a file of the project", { "test_a.py": "import unittest\n" }, ["python3 -m unittest"]],
    [
      "unittest by a method",
      { "setup.py": "", "test_a.py": "class A(TestCase):\n  def test_a(self):\n" },
      ["python3 -m unittest"]
    ],
    ["none of a Python file that only has such a name", { "test_a.py": "print(1)\n" }, []],
    ["none of Python without tests", { "setup.py": "" }, []],
    ["Go's", { "go.mod": "module a", "a_test.go": "" }, ["go test -v ./..."]],
    ["Rust's", { "Cargo.toml": "" }, ["cargo test"]],
    ["Maven's, by the wrapper", { "pom.xml": "", mvnw: "" }, ["./mvnw --batch-mode test"]],
    ["Gradle's", { "build.gradle.kts": "" }, ["gradle test"]],
    ["rspec", { Gemfile: "", "spec/a_spec.rb": "" }, ["bundle exec rspec"]],
    ["rake", { Rakefile: "Rake::TestTask.new(:test)" }, ["rake test"]],
    ["Composer's script", { "composer.json": script("phpunit") }, ["composer test"]],
    [".NET's", { "A.sln": "" }, ["dotnet test"]],
    ["a target of make where nothing else is known", { Makefile: "all:\n\ncheck: all\ntest: all\n" }, ["make test"]],
    ["no variable of make", { Makefile: "test := 1\ncheck:\n" }, ["make check"]],
    ["not make where that calls the others", { Makefile: "test:\n\tgo test", "go.mod": "" }, ["go test -v ./..."]],
    ["all of several languages", { "package.json": script("x"), "Cargo.toml": "" }, ["npm test", "cargo test"]],
    ["none of an empty directory", {}, []]
  ])("is %s", (_, files, commands) => {
    expect(testCommandsOf(look(files)).map(({ command }) => command)).toEqual(commands)
  })

  it("names the Python that is there", () => {
    const [found] = testCommandsOf(look({ "pytest.ini": "" }, ["python"]))
    expect(found).toEqual({ command: "python -m pytest", from: "pytest.ini" })
  })

  it("names the test that says so where nothing else does", () => {
    const [found] = testCommandsOf(look({ "test_a.py": "import pytest" }))
    expect(found?.from).toBe("test_a.py")
  })
})

describe("the commands that run the tests of projects in folders", () => {
  it.each<readonly [string, Readonly<Record<string, string>>, ReadonlyArray<string>]>([
    [
      "of packages and of a back end",
      { "packages/a/package.json": script("vitest"), "packages/b/package.json": "{}", "backend/pytest.ini": "" },
      ["cd packages/a && npm test", "cd backend && python3 -m pytest"]
    ],
    [
      "not below one that has some",
      { "app/go.mod": "", "app/web/package.json": script("x") },
      ["cd app && go test -v ./..."]
    ],
    ["in quotes where the shell needs them", { "my app/Cargo.toml": "" }, ["cd 'my app' && cargo test"]],
    ["of none that others brought", { "node_modules/a/package.json": script("x"), ".x/go.mod": "" }, []],
    ["of none where there are only files", { "a.txt": "" }, []]
  ])("are those %s", (_, files, commands) => {
    expect(testCommandsBelow(look(files)).map(({ command }) => command)).toEqual(commands)
  })
})

describe("the example of a tasks.yaml", () => {
  const template = readFileSync(new URL("../../packages/cli/templates/tasks.yaml", import.meta.url), "utf8")
  const foreign = (own: ReadonlyArray<string>) =>
    ["node ", "python", "cargo", "go test", ".js", ".ts", ".py", ".go", ".rs"].filter(
      (word) => !own.some((one) => one.includes(word))
    )
  const json = (more: object) => JSON.stringify({ scripts: { test: "mocha" }, ...more })

  it.each<readonly [string, Readonly<Record<string, string>>, ReadonlyArray<string>, ReadonlyArray<string>]>([
    [
      "CommonJS",
      { "package.json": json({}), "test/a.js": "" },
      ["npm test"],
      ["node -e", "require(", "test/greeting.test.js"]
    ],
    [
      "an ES module",
      { "package.json": json({ type: "module" }) },
      ["npm test"],
      ["node --input-type=module", "src/greeting.test.js"]
    ],
    [
      "a package.json without tests",
      { "package.json": "{}" },
      ["node --test src/greeting.test.js"],
      ["node -e", ".js"]
    ],
    [
      "TypeScript",
      { "package.json": json({}), "tsconfig.json": "" },
      ["npm test"],
      ["src/greeting.ts", "src/greeting.test.ts"]
    ],
    [
      "Python",
      { "test_a.py": "import pytest" },
      ["python3 -m pytest"],
      ["python3 -c", " greeting.py", " test_greeting.py"]
    ],
    [
      "Python with unittest",
      { "setup.py": "", "tests/test_a.py": "" },
      ["python3 -m unittest discover -s tests"],
      ["python3 -c", "tests/test_greeting.py"]
    ],
    ["Python without tests", { "setup.py": "" }, ["python3 -m unittest test_greeting"], ["python3 -c", ".py"]],
    ["Go", { "go.mod": "" }, ["go test -v ./..."], ["greeting/greeting.go", "greeting/greeting_test.go", "go test"]],
    ["Rust", { "Cargo.toml": "" }, ["cargo test"], ["src/greeting.rs", "cargo"]],
    ["a project of another language", { "mix.exs": "" }, ["mix test"], []],
    ["an empty directory", {}, [], []]
  ])("of %s fits it, is valid, and has the tests under checks", (_, files, checks, words) => {
    const project = look(files)
    const text = fittedTasks(template, project, testCommandsOf(project))
    const { problems, tasks, warnings } = parseTasks(text, "tasks.yaml")
    expect([...problems, ...warnings]).toEqual([])
    expect(tasks?.tasks.map((task) => task.checks)).toEqual([[], checks])
    for (const word of words) expect(text).toContain(word)
    const body = text.split("\n").slice(1).join("\n")
    for (const word of foreign([...words, ...checks])) expect(body).not.toContain(word)
    expect(text).not.toMatch(/\{\w+\}/)
  })
})
