import { existsSync, readdirSync } from "node:fs"
import * as Path from "node:path"
import { parse as parseJson } from "jsonc-parser"
import { fileText } from "../base/paths.ts"

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

/** Of folders that may hold projects: more say no more. */
const maxFolders = 200
const noProjects = /^(?:\.|node_modules$|vendor$|dist$|build$|target$|fixtures?$|testdata$|examples?$)/

/**
 * The same of projects in folders of this one, and in folders of those that are none, for where its root says nothing. They
 * are told and not used: what a command rests on is looked for where the command begins.
 */
export const testCommandsBelow = (look: Look): ReadonlyArray<TestCommand> => {
  const foldersIn = (folder: string) =>
    look
      .names(folder)
      .filter((name) => !noProjects.test(name))
      .map((name) => inside(folder, name))
      .filter((path) => look.names(path).length > 0)
      .slice(0, maxFolders)
  const of = (folder: string) =>
    testCommandsOf(lookBelow(look, folder)).map(({ command, from }) => ({
      command: `cd ${/^[\w./-]+$/.test(folder) ? folder : `'${folder.replaceAll("'", "'\\''")}'`} && ${command}`,
      from: inside(folder, from)
    }))
  return foldersIn(".").flatMap((folder) => {
    const found = of(folder)
    return found.length > 0 ? found : foldersIn(folder).flatMap(of)
  })
}

const lookBelow = ({ has, names, runs, text }: Look, folder: string): Look => ({
  has: (path) => has(inside(folder, path)),
  text: (path) => text(inside(folder, path)),
  names: (path) => names(path === "." ? folder : inside(folder, path)),
  runs
})

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

const pythonFiles = ["pyproject.toml", "setup.py", "setup.cfg", "tox.ini", "Pipfile", "noxfile.py"]
const requirements = /^(?:requirements|test|tests|dev)[\w.-]*\.(?:txt|in)$/

const python: Language = (look) => {
  const lists = [".", "requirements"].flatMap((folder) =>
    look.names(folder).flatMap((name) => (requirements.test(name) ? [inside(folder, name)] : []))
  )
  const projectFiles = [...pythonFiles, ...lists].filter(look.has)
  const folders = ["tests", "test", "."]
  const tests = folders.flatMap((folder) =>
    look.names(folder).flatMap((name) => (pythonTest.test(name) ? [{ folder, path: inside(folder, name) }] : []))
  )
  const saysPytest =
    ["pytest.ini", ".pytest.ini", ...folders.map((folder) => inside(folder, "conftest.py"))].find(look.has) ??
    projectFiles.find((file) => /\bpytest\b/.test(look.text(file))) ??
    tests.slice(0, maxTests).find(({ path }) => pytestOnly.test(look.text(path)))?.path
  const [project] = ["pytest.ini", ...projectFiles].filter(look.has)
  const start = look.has("uv.lock")
    ? "uv run python"
    : look.has("poetry.lock")
      ? "poetry run python"
      : look.runs("python3") || !look.runs("python")
        ? "python3"
        : "python"
  if (saysPytest !== undefined) return { command: `${start} -m pytest`, from: project ?? saysPytest }
  // a file by that name that is of no project may be anything
  const first = tests.find(
    ({ path }) => project !== undefined || /^\s*(?:import|from) unittest\b/m.test(look.text(path))
  )
  if (first === undefined) return null
  const where = first.folder === "." ? "" : ` discover -s ${first.folder}`
  return { command: `${start} -m unittest${where}`, from: project ?? first.path }
}

const inside = (folder: string, name: string) => (folder === "." ? name : `${folder}/${name}`)

const pythonTest = /^(?:test_\w*|\w+_test)\.py$/

/**
 * What only pytest runs: its import, and tests that are functions of a module. unittest passes over those without a
 * word, and Python 3.11 ends with 0 where it has found nothing.
 */
const pytestOnly = /^\s*(?:import|from) pytest\b|^(?:async )?def test_\w*\(/m

/** More than these say no more about how a project is tested. */
const maxTests = 50

const rust: Language = ({ has }) => (has("Cargo.toml") ? { command: "cargo test", from: "Cargo.toml" } : null)

const go: Language = ({ has }) => {
  const from = ["go.work", "go.mod"].find(has)
  // `./...` is of one module, and those of a workspace lie below its root
  // without `-v` it names no test
  return from === "go.mod" ? { command: "go test -v ./...", from } : null
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
    text: (path) => orElse("", () => fileText(at(path)).slice(0, maxBytes)),
    names: (path) => orElse([], () => readdirSync(at(path)).toSorted()),
    runs
  }
}
