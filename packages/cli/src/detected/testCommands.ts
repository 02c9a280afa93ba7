import { existsSync, readdirSync, readFileSync } from "node:fs"
import * as Path from "node:path"
import { parse as parseJson } from "jsonc-parser"

/** A command that runs the tests of a project. */
export interface TestCommand {
  readonly command: string
  /** The file of the project, from its root, that says so. */
  readonly from: string
}

/** What a project is looked at with. Files are named from its root, `/` separated. */
export interface Look {
  readonly has: (path: string) => boolean
  /** Empty when there is no such file. */
  readonly text: (path: string) => string
  /** The names in a directory; none when there is no such directory. */
  readonly names: (path: string) => ReadonlyArray<string>
  /** Whether a program is found on PATH. */
  readonly runs: (program: string) => boolean
}

/**
 * How the tests of a project are run, for each language that is found at its root. A file that only tells that there is
 * a project, and not how it is tested, is taken for the usual way of its language where tests are there.
 */
export const testCommandsOf = (look: Look): ReadonlyArray<TestCommand> => {
  const of = (all: ReadonlyArray<Language>) => all.flatMap((find) => find(look) ?? [])
  const found = of(languages)
  // a Makefile calls what was found already
  return found.length > 0 ? found : of([make])
}

type Language = (look: Look) => TestCommand | null

/** Who made the lock file runs the scripts. */
const managers: ReadonlyArray<readonly [lock: string, manager: string]> = [
  ["pnpm-lock.yaml", "pnpm"],
  ["yarn.lock", "yarn"],
  ["bun.lock", "bun"],
  ["bun.lockb", "bun"]
]

/** `npm init` writes a test that says that there is none. */
const noTest = /no test specified/i

const node: Language = (look) => {
  const from = "package.json"
  if (!look.has(from)) return null
  const { packageManager, scripts } = record(parseJson(look.text(from)))
  const test = record(scripts)["test"]
  if (typeof test !== "string" || test.trim() === "" || noTest.test(test)) return null
  const [named] = typeof packageManager === "string" ? packageManager.split("@") : []
  const manager = ["npm", "pnpm", "yarn", "bun"].find((name) => name === named)
  const runs = manager ?? managers.find(([lock]) => look.has(lock))?.[1] ?? "npm"
  // `bun test` is bun's own runner, whatever the script says
  return { command: runs === "bun" ? "bun run test" : `${runs} test`, from }
}

const deno: Language = (look) => {
  const from = ["deno.json", "deno.jsonc"].find(look.has)
  if (from === undefined) return null
  const { tasks } = record(parseJson(look.text(from)))
  return { command: record(tasks)["test"] === undefined ? "deno test" : "deno task test", from }
}

const pythonFiles = ["pyproject.toml", "setup.py", "setup.cfg", "requirements.txt", "requirements-dev.txt", "tox.ini"]

const python: Language = (look) => {
  const from = ["pytest.ini", ...pythonFiles].find(look.has)
  if (from === undefined) return null
  const folder = ["tests", "test"].find((name) => look.names(name).some((file) => pythonTest.test(file)))
  const isPytest =
    ["pytest.ini", "conftest.py", "tests/conftest.py", "test/conftest.py"].some(look.has) ||
    pythonFiles.some((file) => /\bpytest\b/.test(look.text(file)))
  const start = look.has("uv.lock")
    ? "uv run python"
    : look.has("poetry.lock")
      ? "poetry run python"
      : look.runs("python3") || !look.runs("python")
        ? "python3"
        : "python"
  if (isPytest) return { command: `${start} -m pytest`, from }
  if (folder !== undefined) return { command: `${start} -m unittest discover -s ${folder}`, from }
  return look.names(".").some((file) => pythonTest.test(file)) ? { command: `${start} -m unittest`, from } : null
}

const pythonTest = /^test_\w*\.py$/

const rust: Language = ({ has }) => (has("Cargo.toml") ? { command: "cargo test", from: "Cargo.toml" } : null)

const go: Language = ({ has }) => {
  const from = ["go.work", "go.mod"].find(has)
  // `./...` is of one module, and those of a workspace lie below its root
  return from === "go.mod" ? { command: "go test ./...", from } : null
}

const java: Language = ({ has }) => {
  if (has("pom.xml")) return { command: `${has("mvnw") ? "./mvnw" : "mvn"} --batch-mode test`, from: "pom.xml" }
  const from = ["build.gradle.kts", "build.gradle", "settings.gradle.kts", "settings.gradle"].find(has)
  return from === undefined ? null : { command: `${has("gradlew") ? "./gradlew" : "gradle"} test`, from }
}

const ruby: Language = (look) => {
  if (look.has("Gemfile") && look.names("spec").length > 0) return { command: "bundle exec rspec", from: "Gemfile" }
  return /\btest\b/i.test(look.text("Rakefile"))
    ? { command: look.has("Gemfile") ? "bundle exec rake test" : "rake test", from: "Rakefile" }
    : null
}

const php: Language = (look) => {
  if (!look.has("composer.json")) return null
  const { scripts } = record(parseJson(look.text("composer.json")))
  if (record(scripts)["test"] !== undefined) return { command: "composer test", from: "composer.json" }
  const from = ["phpunit.xml", "phpunit.xml.dist"].find(look.has)
  return from === undefined ? null : { command: "vendor/bin/phpunit", from }
}

const dotnet: Language = ({ names }) => {
  const from = names(".").find((name) => /\.(?:sln|slnx|csproj|fsproj)$/.test(name))
  return from === undefined ? null : { command: "dotnet test", from }
}

const usual =
  (from: string, command: string): Language =>
  ({ has }) =>
    has(from) ? { command, from } : null

/** In the order in which they are named. */
const languages: ReadonlyArray<Language> = [
  node,
  deno,
  python,
  go,
  rust,
  java,
  ruby,
  php,
  dotnet,
  usual("mix.exs", "mix test"),
  usual("Package.swift", "swift test"),
  usual("build.sbt", "sbt test")
]

const make: Language = (look) => {
  const from = ["GNUmakefile", "makefile", "Makefile"].find(look.has)
  if (from === undefined) return null
  const targets = look.text(from).matchAll(/^(test|check)\s*:(?!=)/gm)
  const [target] = [...targets].map(([, name]) => name).toSorted((a) => (a === "test" ? -1 : 1))
  return target === undefined ? null : { command: `make ${target}`, from }
}

const record = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {}

/** Larger files are no settings of a project. */
const maxBytes = 1_000_000

/** A directory as it lies on the disk. What cannot be read counts as not there. */
export const lookIn = (root: string, runs: (program: string) => boolean): Look => {
  const at = (path: string) => Path.join(root, path)
  const orElse = <A>(otherwise: A, read: () => A): A => {
    try {
      return read()
    } catch {
      return otherwise
    }
  }
  return {
    has: (path) => existsSync(at(path)),
    text: (path) => orElse("", () => readFileSync(at(path), "utf8").slice(0, maxBytes)),
    names: (path) => orElse([], () => readdirSync(at(path)).toSorted()),
    runs
  }
}
