/** What the text rules know of a language: enough to tell code from comments and to find where a body begins and ends. */
export interface Language {
  readonly name: string
  /** `braces`: bodies in `{}`; `indent`: bodies are what is indented deeper; `data`: every line stands for itself. */
  readonly layout: "braces" | "indent" | "data"
  readonly lineComments: ReadonlyArray<string>
  readonly blockComments: ReadonlyArray<readonly [open: string, close: string]>
  /** Quotes that end on their line, and those that may span lines. */
  readonly quotes: ReadonlyArray<string>
  readonly longQuotes: ReadonlyArray<string>
  /** A line comment counts only where nothing but blanks precedes it. */
  readonly commentsLead: boolean
  /** `'` begins a character, not a string. */
  readonly charLiterals: boolean
  readonly regexLiterals: boolean
  /** A statement ends with `;`, not with its line. */
  readonly semicolons: boolean
  /** `name(…) {` without a keyword declares a function. */
  readonly bareMethods: boolean
  /** A string that stands alone is documentation, not a value. */
  readonly docStrings: boolean
}

const base: Language = {
  name: "text",
  layout: "data",
  lineComments: [],
  blockComments: [],
  quotes: [],
  longQuotes: [],
  commentsLead: false,
  charLiterals: false,
  regexLiterals: false,
  semicolons: false,
  bareMethods: false,
  docStrings: false
}

const slashes = { lineComments: ["//"], blockComments: [["/*", "*/"]] } as const
const markup = [["<!--", "-->"]] as const

const braces: Language = { ...base, ...slashes, name: "braces", layout: "braces", quotes: ['"', "'"] }
const chars: Language = { ...braces, quotes: ['"'], charLiterals: true }
const c: Language = { ...chars, name: "c", semicolons: true, bareMethods: true }
const script: Language = {
  ...braces,
  name: "script",
  longQuotes: ["`"],
  regexLiterals: true,
  bareMethods: true,
  docStrings: true
}
const hashes: Language = { ...base, name: "hashes", lineComments: ["#"], quotes: ['"', "'"] }
const indent: Language = { ...hashes, layout: "indent" }
const tripled = { longQuotes: ['"""'] }

const known: ReadonlyArray<readonly [Language, ReadonlyArray<string>]> = [
  [
    { ...indent, name: "python", longQuotes: ['"""', "'''"], docStrings: true },
    ["py", "pyi", "pyw", "pyx", "gd", "bzl", "star", "mojo"]
  ],
  [script, ["js", "jsx", "mjs", "cjs", "ts", "tsx", "mts", "cts"]],
  [{ ...script, name: "component", blockComments: [["/*", "*/"], ...markup] }, ["vue", "svelte", "astro"]],
  [{ ...chars, name: "go", longQuotes: ["`"] }, ["go"]],
  [{ ...chars, name: "rust", quotes: [], longQuotes: ['"'], semicolons: true }, ["rs"]],
  [{ ...c, ...tripled, name: "java" }, ["java"]],
  [c, ["c", "h", "cc", "cpp", "cxx", "hh", "hpp", "hxx", "ino", "m", "mm", "cu", "d", "glsl"]],
  [{ ...c, ...tripled, name: "csharp" }, ["cs"]],
  [{ ...braces, ...tripled, name: "dart", semicolons: true, bareMethods: true }, ["dart"]],
  [{ ...chars, ...tripled, name: "kotlin" }, ["kt", "kts"]],
  [{ ...braces, ...tripled, name: "groovy" }, ["groovy", "gradle"]],
  [{ ...braces, ...tripled, name: "swift", quotes: ['"'] }, ["swift"]],
  [{ ...chars, ...tripled, name: "scala" }, ["scala", "sc"]],
  [{ ...braces, name: "php", semicolons: true, lineComments: ["//", "#"] }, ["php"]],
  [{ ...braces, name: "perl", semicolons: true, lineComments: ["#"], blockComments: [] }, ["pl", "pm"]],
  [{ ...braces, name: "zig", quotes: ['"'], charLiterals: true, semicolons: true }, ["zig"]],
  [{ ...braces, name: "proto", semicolons: true }, ["proto", "thrift"]],
  [{ ...braces, name: "r", lineComments: ["#"], blockComments: [] }, ["r"]],
  [{ ...indent, name: "ruby", blockComments: [["=begin", "=end"]] }, ["rb", "rake", "gemspec", "ru", "cr"]],
  [{ ...indent, name: "shell", docStrings: false }, ["sh", "bash", "zsh", "ksh", "fish", "bats"]],
  [{ ...indent, ...tripled, name: "elixir" }, ["ex", "exs"]],
  [{ ...indent, ...tripled, name: "julia", blockComments: [["#=", "=#"]] }, ["jl"]],
  [{ ...indent, ...tripled, name: "nim", blockComments: [["#[", "]#"]] }, ["nim"]],
  [{ ...braces, name: "powershell", lineComments: ["#"], blockComments: [["<#", "#>"]] }, ["ps1", "psm1"]],
  [{ ...indent, name: "lua", lineComments: ["--"], blockComments: [["--[[", "]]"]] }, ["lua"]],
  [
    { ...indent, name: "haskell", quotes: ['"'], lineComments: ["--"], blockComments: [["{-", "-}"]] },
    ["hs", "elm", "purs"]
  ],
  [
    { ...indent, ...tripled, name: "ml", quotes: ['"'], lineComments: ["//"], blockComments: [["(*", "*)"]] },
    ["fs", "fsx", "ml", "mli"]
  ],
  [{ ...base, ...slashes, name: "css", layout: "data", lineComments: [], quotes: ['"', "'"] }, ["css"]],
  [{ ...base, ...slashes, name: "css", quotes: ['"', "'"], commentsLead: true }, ["scss", "less", "sass", "styl"]],
  [
    { ...base, name: "sql", lineComments: ["--"], blockComments: [["/*", "*/"]], quotes: ["'"] },
    ["sql", "psql", "ddl"]
  ],
  [
    { ...base, name: "markup", blockComments: markup },
    ["html", "htm", "xml", "svg", "xhtml", "xsl", "plist", "csproj"]
  ],
  [{ ...base, name: "prose", blockComments: markup }, ["md", "mdx", "markdown", "txt", "rst", "adoc"]],
  [
    { ...base, ...slashes, name: "json", quotes: ['"'], commentsLead: true },
    ["json", "jsonc", "json5", "ndjson", "jsonl"]
  ],
  [
    hashes,
    ["yml", "yaml", "toml", "env", "conf", "cfg", "gitignore", "dockerignore", "editorconfig", "npmrc", "graphql", "mk"]
  ],
  [{ ...hashes, lineComments: [";", "#"], commentsLead: true }, ["ini", "properties"]],
  [{ ...hashes, ...slashes, lineComments: ["#", "//"], name: "hcl" }, ["tf", "tfvars", "hcl"]],
  [
    { ...base, name: "lisp", lineComments: [";"], quotes: ['"'] },
    ["clj", "cljs", "edn", "lisp", "el", "scm", "asm", "s"]
  ],
  [{ ...base, name: "percent", lineComments: ["%"], commentsLead: true }, ["tex", "erl", "hrl", "pro"]],
  [
    { ...base, name: "basic", lineComments: ["'", "REM ", "rem ", "::"], commentsLead: true },
    ["vb", "bas", "bat", "cmd"]
  ]
]

const byExtension = new Map(
  known.flatMap(([language, extensions]) => extensions.map((name) => [name, language] as const))
)

const byName = new Map<string, string>([
  ["dockerfile", "yml"],
  ["containerfile", "yml"],
  ["makefile", "yml"],
  ["gnumakefile", "yml"],
  ["justfile", "yml"],
  ["procfile", "yml"],
  ["codeowners", "yml"],
  ["rakefile", "rb"],
  ["gemfile", "rb"],
  ["podfile", "rb"],
  ["vagrantfile", "rb"],
  ["jenkinsfile", "groovy"],
  ["cmakelists.txt", "yml"],
  ["requirements.txt", "yml"],
  ["license", "md"],
  ["readme", "md"],
  [".bashrc", "sh"],
  [".profile", "sh"],
  [".zshrc", "sh"]
])

/** Line comments of every style where they lead a line; bodies by braces or by indentation, as the file looks. */
const unknown: Language = {
  ...base,
  name: "unknown",
  lineComments: ["#", "//", "--", ";", "%"],
  blockComments: [["/*", "*/"], ...markup],
  quotes: ['"', "'"],
  longQuotes: ['"""'],
  commentsLead: true,
  docStrings: true
}

/** The language of a file by its name; for an unknown one a guess from its lines. */
export const languageOf = (path: string, lines: ReadonlyArray<string>): Language => {
  const name = path.slice(path.lastIndexOf("/") + 1).toLowerCase()
  const [stem = ""] = name.split(".")
  const extension = byName.get(name) ?? byName.get(stem) ?? name.slice(name.lastIndexOf(".") + 1)
  const language = byExtension.get(extension)
  if (language !== undefined) return language
  if (name.startsWith(".env")) return hashes
  const interpreter = /^#!.*\b(?:(python|pypy)|(node|deno|bun)|(ruby)|(perl)|(\w*sh))/.exec(lines[0] ?? "")
  if (interpreter !== null) {
    const index = interpreter.slice(1).findIndex((found) => found !== undefined)
    return byExtension.get(["py", "js", "rb", "pl", "sh"][index] ?? "") ?? unknown
  }
  return { ...unknown, layout: lines.some((line) => /\{\s*$/.test(line)) ? "braces" : "indent", bareMethods: true }
}
