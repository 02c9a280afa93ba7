import { shellTokens, shellWords } from "../../../text/shell.ts"
import { foldersOf, namedIn, pathsOf } from "./named.ts"

/** Part of a command that runs files of the project: a script by its interpreter, a program by its path, tests, a build file. */
export interface Executed {
  /** Where it stands in the command. */
  readonly start: number
  readonly end: number
  /** What may be what it runs, each with the paths that the word may mean. */
  readonly words: ReadonlyArray<{ readonly word: string; readonly paths: ReadonlyArray<string> }>
  /** All of them are run; false: the first that is a file is, with the others as its arguments. */
  readonly isAll: boolean
  /** Build files or package files of which one is needed, with the script where one is asked for. */
  readonly needs: ReadonlyArray<{ readonly path: string; readonly script: string | null }>
}

/** The parts of a shell command that run files of the project. What a program only looks at is none. */
export const executedBy = (command: string, root: string): ReadonlyArray<Executed> => {
  const folders = foldersOf(shellWords(command))
  return simpleCommands(command).flatMap(({ end, start, words }): ReadonlyArray<Executed> => {
    const [program, ...rest] = withoutWrappers(words)
    if (program === undefined) return []
    const name = program.split("/").at(-1) ?? program
    const part = { start, end, words: [], isAll: false, needs: [] }
    const { paths, scripts } = namedIn([name, ...rest], folders, root)
    if (builders.has(name)) return [{ ...part, needs: paths.map((path) => ({ path, script: null })) }]
    const needs = scripts.filter(({ script }) => !/^(?:pre|post)/.test(script))
    if (needs.length > 0) return [{ ...part, needs }]
    const run = runBy(program, name, rest)
    const found = run.words.flatMap(([before, word]) => {
      const meant = pathsOf(word, before, folders, root)
      return meant.length === 0 ? [] : [{ word, paths: meant }]
    })
    return found.length === 0 ? [] : [{ ...part, words: found, isAll: run.isAll }]
  })
}

interface RunBy {
  /** Each with the word before it. */
  readonly words: ReadonlyArray<readonly [before: string, word: string]>
  readonly isAll: boolean
}

const nothingRun: RunBy = { words: [], isAll: false }

/** What of its words a program runs. */
const runBy = (program: string, name: string, rest: ReadonlyArray<string>): RunBy => {
  const words = rest.map((word, i) => [rest[i - 1] ?? name, word] as const)
  if (testRunners.test(name)) return { words, isAll: true }
  if (!interpreters.test(name)) {
    return program.includes("/") ? { words: [["", program]], isAll: false } : nothingRun
  }
  // code of the user's own, or only a look at what is there
  if (rest.some((word) => (inline[name.replace(/[\d.]+$/, "")] ?? []).includes(word))) return nothingRun
  if (toolchains.has(name) && compiles.has(rest[0] ?? "")) return nothingRun
  const module = rest[rest.indexOf("-m") + 1] ?? ""
  if (!rest.includes("-m") || !name.startsWith("py"))
    return { words, isAll: rest.some((word) => word === "--test" || word === "test") }
  return /^(?:unittest|pytest|nose2|behave|robot|coverage)$/.test(module)
    ? { words, isAll: true }
    : { words: [["-m", module]], isAll: false }
}

/** The command without these parts: in their place stands one that does nothing and succeeds. Null: nothing of it is left. */
export const withoutParts = (
  command: string,
  parts: ReadonlyArray<{ readonly start: number; readonly end: number; readonly left: string }>
): string | null => {
  const text = parts
    .toSorted((a, b) => b.start - a.start)
    .reduce((now, { end, left, start }) => `${now.slice(0, start)}${left}${now.slice(end)}`, command)
  return simpleCommands(text).every(({ words }) => idle.has(withoutWrappers(words)[0] ?? "true")) ? null : text
}

/** Whether a command may run tests that it does not name: a test runner, a target that is called so, or what builds the whole. */
export const runsTests = (command: string, root: string): boolean =>
  executedBy(command, root).some(
    ({ needs, words }) => needs.length > 0 || words.some(({ word }) => /(?:^|\/)[^./]+$|\.(?:ba|z)?sh$/.test(word))
  ) ||
  simpleCommands(command).some(({ words }) => {
    const [program = "", ...rest] = withoutWrappers(words)
    return (
      testRunners.test(program.split("/").at(-1) ?? "") ||
      (!looks.has(program) &&
        rest.some((word) =>
          /^(?:--?)?(?:.*[:.])?(?:tests?|specs?|check|verify|t|tst|unittest|pytest|spec)$/.test(word)
        ))
    )
  })

const idle = new Set([
  "true",
  ":",
  "cd",
  "pushd",
  "popd",
  "set",
  "export",
  "unset",
  "echo",
  "printf",
  "umask",
  "ulimit"
])

/** Programs that do what a build file says. */
const builders = new Set(["make", "gmake", "just", "rake", "task"])

/** Programs that run a file of the project: what the file says decides whether they succeed. */
const interpreters =
  /^(?:\.|source|sh|bash|dash|zsh|ksh|ash|fish|pwsh|node|nodejs|bun|deno|tsx|ts-node|esno|python[\d.]*|pypy[\d.]*|ruby|perl|php|lua[\d.]*|luajit|Rscript|julia|go|swift|dotnet|java|kotlin|scala|groovy|elixir|escript|guile|racket|raku|crystal|nim|dart|osascript|tclsh|expect)$/

const testRunners =
  /^(?:pytest|py\.test|nose2|tox|nox|jest|vitest|mocha|ava|tap|jasmine|uvu|karma|playwright|cypress|wdio|rspec|cucumber|behave|robot|minitest|phpunit|pest|busted|prove|gotestsum|ginkgo|bats|shellspec|ctest|nextest)$/

/** By program: what tells that the code stands in the command, or that a file is only looked at. */
const inline: Readonly<Record<string, ReadonlyArray<string>>> = {
  node: ["-e", "-p", "-pe", "--eval", "--print", "-c", "--check"],
  bun: ["-e", "--eval", "-p", "--print"],
  deno: ["eval"],
  python: ["-c"],
  pypy: ["-c"],
  ruby: ["-e", "-c"],
  perl: ["-e", "-E", "-ne", "-pe", "-c"],
  php: ["-r", "-l"],
  lua: ["-e"],
  sh: ["-n"],
  bash: ["-n"],
  dash: ["-n"],
  zsh: ["-n"],
  ksh: ["-n"]
}

const toolchains = new Set(["go", "swift", "dotnet", "deno", "bun", "dart", "nim", "crystal"])

/** What they are told to do that runs nothing of the project. */
const compiles = new Set([
  "build",
  "vet",
  "fmt",
  "format",
  "lint",
  "check",
  "install",
  "add",
  "get",
  "mod",
  "restore",
  "compile",
  "doc"
])

/** Programs that look at something themselves. */
const looks = new Set([
  "[",
  "[[",
  "test",
  "grep",
  "egrep",
  "fgrep",
  "rg",
  "cat",
  "diff",
  "cmp",
  "ls",
  "find",
  "echo",
  "jq"
])

const keywords = new Set(["if", "then", "else", "elif", "do", "while", "until", "!", "{", "}", "fi", "done"])
const wrappers = new Set([
  "env",
  "time",
  "exec",
  "command",
  "nice",
  "nohup",
  "sudo",
  "npx",
  "bunx",
  "pnpx",
  "timeout",
  "xvfb-run",
  "c8",
  "nyc"
])
const managed = new Set([
  "poetry run",
  "uv run",
  "pipenv run",
  "pdm run",
  "hatch run",
  "rye run",
  "bundle exec",
  "npm exec",
  "pnpm exec",
  "yarn exec",
  "pnpm dlx",
  "yarn dlx"
])

/** The words from the program on: settings of variables and programs that run others are no part of it. */
const withoutWrappers = (words: ReadonlyArray<string>): ReadonlyArray<string> => {
  const [first, second] = words
  if (first === undefined) return []
  if (keywords.has(first) || /^\w+=/.test(first)) return withoutWrappers(words.slice(1))
  if (managed.has(`${first} ${second}`)) return withoutWrappers(words.slice(2))
  if (!wrappers.has(first)) return words
  const at = words.findIndex((word, i) => i > 0 && !/^-|^\d+(?:\.\d+)?[smhd]?$/.test(word))
  return at === -1 ? [] : withoutWrappers(words.slice(at))
}

/** Redirections, of which a descriptor would pass for a command: `2>&1`. */
const redirection = /\d*(?:>>?|<)(?:&\d+|&?\s*[^\s;&|()<>"'`]+)/g

/**
 * The programs that a shell command starts, as they are called in it, wrappers among them (`npx`); builtins of the shell too.
 * What only the shell knows (a variable, a function, a path after `cd`) is left out.
 */
export const programsOf = (command: string): ReadonlyArray<string> => {
  // what stands behind a line that ends in a text to be read is that text
  const text = (/^.*<<.*$/m.exec(command)?.[0] ?? command).replaceAll(redirection, " ")
  // a function may be called like any program
  if (/\(\s*\)/.test(text)) return []
  const started: Array<string> = []
  let hasMoved = false
  for (const words of wordsOfCommands(text)) {
    const program = words.find((word) => !keywords.has(word) && !/^\w+=/.test(word))
    if (program === undefined || !/^[\w./@+[-]+$/.test(program)) continue
    if (program === "cd" || program === "pushd") hasMoved = true
    else if (!hasMoved || program.startsWith("/") || !program.includes("/")) started.push(program)
  }
  return [...new Set(started)]
}

/** The modules that a command has Python run, each with the program that runs it; what it installs itself is left out. */
export const modulesOf = (command: string): ReadonlyArray<{ readonly program: string; readonly module: string }> =>
  /\b(?:install|sync|venv|cd|pushd)\b|PYTHONPATH=|<</.test(command)
    ? []
    : wordsOfCommands(command.replaceAll(redirection, " ")).flatMap((words) => {
        const at = words.findIndex((word) => !keywords.has(word) && !/^\w+=/.test(word))
        const program = words[at] ?? ""
        const [module = ""] = words.slice(words.indexOf("-m", at) + 1)
        const isRun = /^(?:[\w./-]*\/)?python[\d.]*$/.test(program) && words.slice(at + 1).find(isPlain) === module
        return isRun && /^\w[\w.]*$/.test(module) ? [{ program, module: module.split(".", 1)[0] ?? module }] : []
      })

const isPlain = (word: string): boolean => !word.startsWith("-")

/** The words of each command; what stands together is one word, also where a part of it is quoted. */
const wordsOfCommands = (text: string): ReadonlyArray<ReadonlyArray<string>> => {
  const commands: Array<Array<string>> = [[]]
  let last = -1
  for (const { end, kind, start, text: word } of shellTokens(text)) {
    const words = commands.at(-1) ?? []
    if (kind === "operator") commands.push([])
    else if (start === last) words.push(`${words.pop() ?? ""}${word}`)
    else words.push(word)
    last = end
  }
  return commands
}

interface SimpleCommand {
  readonly start: number
  readonly end: number
  readonly words: ReadonlyArray<string>
}

/** What a shell would run one by one; of a command in quotes, such as that of `sh -c`, what stands in them. */
const simpleCommands = (text: string, offset = 0): ReadonlyArray<SimpleCommand> => {
  const found: Array<SimpleCommand> = []
  let words: Array<string> = []
  let [start, end] = [0, 0]
  const close = () => {
    if (words.length > 0) found.push({ start: offset + start, end: offset + end, words })
    words = []
  }
  for (const token of shellTokens(text)) {
    if (token.kind === "operator") {
      close()
      continue
    }
    if (token.kind === "quoted" && words.at(-1)?.startsWith("-") === true && isShell(words)) {
      // the shell itself runs nothing else
      words = []
      found.push(...simpleCommands(token.text, offset + token.start + 1))
      continue
    }
    if (words.length === 0) start = token.start
    words.push(token.text)
    end = token.end
  }
  close()
  return found
}

const isShell = (words: ReadonlyArray<string>): boolean =>
  /^(?:sh|bash|dash|zsh|ksh|ash)$/.test((withoutWrappers(words)[0] ?? "").split("/").at(-1) ?? "") &&
  /c/.test(words.at(-1) ?? "")
