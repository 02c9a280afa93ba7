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
})
