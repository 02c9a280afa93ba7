import type { Look, TestCommand } from "./testCommands.ts"

/** What the example of a tasks.yaml says in a project of this language. */
interface Example {
  /** What is to be written, and where. */
  readonly create: string
  /** The same as an item of the checklist, behind "Add". */
  readonly added: string
  /** Where its tests go. */
  readonly tests: string
  /** One command that shows one item; null: nothing short does. */
  readonly check: string | null
  /** The tests of the example alone, for a project that has no command of its own so far. */
  readonly alone: string | null
}

/** The example of a tasks.yaml as it fits a project: its language, where its tests lie, and the commands that run them. */
export const fittedTasks = (template: string, look: Look, commands: ReadonlyArray<TestCommand>): string => {
  const example = exampleFor(look, commands)
  const { alone, check } = example
  const checks = commands.length > 0 ? commands.map(({ command }) => command) : alone === null ? [] : [alone]
  return template
    .replaceAll(/\{(create|added|tests)\}/g, (_, name: "create" | "added" | "tests") => example[name])
    .replace(/^( *)# \{check\}$/m, (_, blanks: string) =>
      check === null ? `${blanks}# check: a command that shows this item` : `${blanks}check: |-\n${blanks}  ${check}`
    )
    .replaceAll(/^( *)# \{checks\}$/gm, (_, blanks: string) =>
      checks.length === 0
        ? `${blanks}# checks:\n${blanks}#   - the command that runs the tests`
        : [`${blanks}checks:`, ...checks.map((one) => `${blanks}  - ${asYaml(one)}`)].join("\n")
    )
}

/** Plain where YAML takes it so; JSON is YAML too. */
const asYaml = (text: string): string => (/^[\w./][\w./ =-]*$/.test(text) ? text : JSON.stringify(text))

type Find = (look: Look, commands: ReadonlyArray<TestCommand>) => Example | null

/** Where the tests of a project lie: the first of these directories that has files. */
const folderOf = ({ names }: Look, folders: ReadonlyArray<string>) => folders.find((name) => names(name).length > 0)

const node: Find = (look) => {
  if (!look.has("package.json")) return null
  const isTyped = look.has("tsconfig.json")
  const isModule = /"type"\s*:\s*"module"/.test(look.text("package.json"))
  const ending = isTyped ? "ts" : "js"
  const source = `src/greeting.${ending}`
  const tests = `${folderOf(look, ["test", "tests", "__tests__"]) ?? "src"}/greeting.test.${ending}`
  const declared = isTyped ? "greeting(name?: string): string" : "greeting(name)"
  const how = isTyped ? "" : isModule ? " (ES module)" : " (CommonJS)"
  const fails = isModule
    ? `import { greeting } from "./${source}"; process.exit(greeting("") === "Hello!" ? 0 : 1)`
    : `process.exit(require("./${source}").greeting("") === "Hello!" ? 0 : 1)`
  return {
    create: `Create ${source}${how}. It exports \`${declared}\`, which returns "Hello, <name>!".`,
    added: `the function greeting to ${source}`,
    tests,
    check: isTyped ? null : `node ${isModule ? "--input-type=module " : ""}-e '${fails}'`,
    alone: isTyped ? null : `node --test ${tests}`
  }
}

const python: Find = (look, commands) => {
  const runsTests = / -m (?:pytest|unittest)\b.*$/
  const run = commands.find(({ command }) => runsTests.test(command))?.command
  const files = ["pyproject.toml", "setup.py", "setup.cfg", "requirements.txt", "tox.ini", "Pipfile"]
  if (run === undefined && !files.some(look.has)) return null
  const start = run?.replace(runsTests, "") ?? (look.runs("python3") ? "python3" : "python")
  const folder = folderOf(look, ["tests", "test"])
  return {
    create: 'Create greeting.py with a function `greeting(name: str = "") -> str`, which returns "Hello, <name>!".',
    added: "the function greeting to greeting.py",
    tests: folder === undefined ? "test_greeting.py" : `${folder}/test_greeting.py`,
    check: `${start} -c 'from greeting import greeting; assert greeting("") == "Hello!"'`,
    alone: `${start} -m unittest ${folder === undefined ? "test_greeting" : `discover -s ${folder}`}`
  }
}

const go: Find = ({ has }) =>
  has("go.mod") || has("go.work")
    ? {
        create: 'Create greeting/greeting.go with `func Greeting(name string) string`, which returns "Hello, <name>!".',
        added: "the function Greeting to greeting/greeting.go",
        tests: "greeting/greeting_test.go",
        check: null,
        alone: null
      }
    : null

const rust: Find = ({ has }) =>
  has("Cargo.toml")
    ? {
        create: [
          "Create the module src/greeting.rs, and declare it in the crate.",
          'It has `pub fn greeting(name: &str) -> String`, which returns "Hello, <name>!".'
        ].join(" "),
        added: "the function greeting to src/greeting.rs",
        tests: "a module `tests` of src/greeting.rs",
        check: null,
        alone: null
      }
    : null

/** Of no language: the agent sees in which one the project is. */
const neutral: Example = {
  create: 'Add a function greeting, in the language of this project. It takes a name and returns "Hello, <name>!".',
  added: "the function greeting",
  tests: "a file of their own",
  check: null,
  alone: null
}

const exampleFor = (look: Look, commands: ReadonlyArray<TestCommand>): Example =>
  [node, python, go, rust].map((find) => find(look, commands)).find((one) => one !== null) ?? neutral
