import { describe, expect, it } from "vitest"
import { type Look, testCommandsOf } from "../../packages/cli/src/detected/testCommands.ts"

/** A project of these files, each with its text. */
const look = (files: Readonly<Record<string, string>>, programs: ReadonlyArray<string> = ["python3"]): Look => ({
  has: (path) => Object.keys(files).some((file) => file === path || file.startsWith(`${path}/`)),
  text: (path) => files[path] ?? "",
  names: (path) =>
    Object.keys(files).flatMap((file) => {
      const inside = path === "." ? file : file.startsWith(`${path}/`) ? file.slice(path.length + 1) : ""
      return inside === "" ? [] : [inside.split("/")[0] ?? ""]
    }),
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
    ["Go's", { "go.mod": "module a", "a_test.go": "" }, ["go test ./..."]],
    ["Rust's", { "Cargo.toml": "" }, ["cargo test"]],
    ["Maven's, by the wrapper", { "pom.xml": "", mvnw: "" }, ["./mvnw --batch-mode test"]],
    ["Gradle's", { "build.gradle.kts": "" }, ["gradle test"]],
    ["rspec", { Gemfile: "", "spec/a_spec.rb": "" }, ["bundle exec rspec"]],
    ["rake", { Rakefile: "Rake::TestTask.new(:test)" }, ["rake test"]],
    ["Composer's script", { "composer.json": script("phpunit") }, ["composer test"]],
    [".NET's", { "A.sln": "" }, ["dotnet test"]],
    ["a target of make where nothing else is known", { Makefile: "all:\n\ncheck: all\ntest: all\n" }, ["make test"]],
    ["no variable of make", { Makefile: "test := 1\ncheck:\n" }, ["make check"]],
    ["not make where that calls the others", { Makefile: "test:\n\tgo test", "go.mod": "" }, ["go test ./..."]],
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
