import {
  type BranchForm,
  bladeBranches,
  cmakeBranches,
  goBranches,
  handlebarsBranches,
  percentBranches,
  rubyBranches,
  scriptletBranches,
  svelteBranches
} from "./branches.ts"

/** A comment up to the end of its line. */
export interface LineComment {
  readonly open: string
  /** Where the sign means a comment. */
  readonly where: "anywhere" | "behind a blank" | "leading"
  /** Not in front of this: `#[` of PHP; not behind it: `$#` of Perl. */
  readonly notBefore?: string
  readonly notBehind?: string
}

export interface BlockComment {
  readonly open: string
  readonly close: string
  /** It may hold others of its kind. */
  readonly isNested?: boolean
  /** Only where nothing but blanks precedes it. */
  readonly isLeading?: boolean
  /** What belongs to its end, without which it is none. */
  readonly tail?: RegExp
}

/** How a string begins and ends. The first of a language that fits is it. */
export interface StringForm {
  /** The quote, or what is found at it. */
  readonly open: string | RegExp
  /** By what was found; the quote itself when left out, and what was found is the whole when it is null. */
  readonly close?: ((found: RegExpExecArray) => string) | null
  /** What makes the next character a part of the string. */
  readonly escaping?: string
  /** It may span lines, and one that nobody closes goes to the end of the text; otherwise that is no string. */
  readonly isLong?: boolean
  /** `${…}` in it holds code with strings of its own. */
  readonly isTemplate?: boolean
}

/** What the text itself tells of a language: where comments and strings are, and where a body begins and ends. */
export interface Language {
  readonly name: string
  readonly lineComments: ReadonlyArray<LineComment>
  readonly blockComments: ReadonlyArray<BlockComment>
  readonly strings: ReadonlyArray<StringForm>
  /** Its second group names the line that ends a string which begins on the next one. */
  readonly heredoc?: RegExp
  readonly regexLiterals: boolean
  /**
   * `braces`: bodies in `{}`; `indent`: bodies are what is indented deeper; `forms`: everything is a list in brackets;
   * `data`: every line stands for itself.
   */
  readonly layout: "braces" | "indent" | "forms" | "data"
  /** Braces that hold no body: what they stand around is read as if it were in parentheses. */
  readonly wordBraces?: boolean
  /** A statement ends with `;`, not with its line. */
  readonly semicolons: boolean
  /** `name(…) {` without a keyword declares a function. */
  readonly bareMethods: boolean
  /** A string that stands alone is documentation, not a value. */
  readonly docStrings: boolean
  /** It takes the next form out of the program: `#_` of Clojure. */
  readonly discard?: string
  /** How branches are written between its text. */
  readonly branches?: ReadonlyArray<BranchForm>
}

// --- comments -----------------------------------------------------------------------------------------------------

const anywhere = (open: string): LineComment => ({ open, where: "anywhere" })
const behindBlank = (open: string): LineComment => ({ open, where: "behind a blank" })
const leading = (open: string): LineComment => ({ open, where: "leading" })

const slashes = [anywhere("//")]
const hash = [behindBlank("#")]
const stars: BlockComment = { open: "/*", close: "*/" }
const nestedStars: BlockComment = { ...stars, isNested: true }
const markup: BlockComment = { open: "<!--", close: "-->" }
const block = (open: string, close: string): BlockComment => ({ open, close })
/** Of templates in Go: `{{- /* … *\/ -}}`. */
const goComments: ReadonlyArray<BlockComment> = ["{{/*", "{{- /*"].map((open) => ({
  open,
  close: "*/",
  tail: /\s{0,9}-?\}\}/y
}))
const braced = block("{/*", "*/}")
const signed = block("{#", "#}")
const bracedDashes = block("{{!--", "--}}")
const percents = [block("<%#", "%>"), block("<% #", "%>"), block("<%--", "--%>"), block("<%!--", "--%>")]
/** Of Django and Liquid. */
const named = ["{% comment", "{%- comment"].map((open) => ({ open, close: "endcomment", tail: /\s{0,9}-?%\}/y }))

// --- strings ------------------------------------------------------------------------------------------------------

/** A string that ends on its line. */
const quoted = (open: string, escaping = "\\"): StringForm => ({ open, escaping })
const double = quoted('"')
const single = quoted("'")
/** One that may span lines. */
const long = (open: string): StringForm => ({ open, escaping: "\\", isLong: true })
const tripled = long('"""')
const rawTicks: StringForm = { open: "`", isLong: true }
const template: StringForm = { ...long("`"), isTemplate: true }
/** `'` begins a character, not a string. */
const char: StringForm = { open: /'(?:\\[^']{1,10}|\\'|[^'\\\n]{1,2})'/uy, close: null }
/** `r#"…"#` */
const rustRaw: StringForm = { open: /(?<=\br(#*))"/y, close: ([, hashes]) => `"${hashes ?? ""}` }
/** `R"x(…)x"` */
const cRaw: StringForm = { open: /(?<=\bR)"([^\s()\\]{0,16})\(/y, close: ([, name]) => `)${name ?? ""}"` }
/** `@"…"` */
const verbatim: StringForm = { open: /(?<=@\$?)"/y, close: () => '"' }
/** `[==[…]==]` */
const luaLong: StringForm = { open: /\[(=*)\[/y, close: ([, equals]) => `]${equals ?? ""}]` }
/** `@"…"@` of PowerShell, which ends at the beginning of a line. */
const hereString: StringForm = { open: /(?<=@)(["'])\r?\n/y, close: ([, quote]) => `\n${quote ?? ""}@` }
/** `r"…"` of Dart. */
const dartRaw: StringForm = { open: /(?<=\br)(["'])/y, close: ([, quote]) => quote ?? '"' }
/** `$tag$…$tag$` */
const dollars: StringForm = { open: /\$(\w*)\$/y, close: ([, tag]) => `$${tag ?? ""}$` }

const here = /<<[-~]?(["'`]?)([A-Za-z_]\w*)\1/y

// --- languages ----------------------------------------------------------------------------------------------------

const base: Language = {
  name: "text",
  lineComments: [],
  blockComments: [],
  strings: [],
  regexLiterals: false,
  layout: "data",
  semicolons: false,
  bareMethods: false,
  docStrings: false
}

const braces: Language = {
  ...base,
  name: "braces",
  layout: "braces",
  lineComments: slashes,
  blockComments: [stars],
  strings: [double, single]
}
const chars: Language = { ...braces, strings: [char, double] }
const c: Language = { ...chars, name: "c", semicolons: true, bareMethods: true, strings: [cRaw, char, double] }
const script: Language = {
  ...braces,
  name: "script",
  strings: [template, double, single],
  regexLiterals: true,
  bareMethods: true,
  docStrings: true
}
const hashes: Language = { ...base, name: "hashes", lineComments: hash, strings: [double, single] }
const indent: Language = { ...hashes, layout: "indent", lineComments: [anywhere("#")] }
const tripledIndent: Language = { ...indent, strings: [tripled, double, single] }
const words = (text: string): ReadonlyArray<string> => text.split(" ")
const prose: Language = { ...base, name: "prose", blockComments: [markup] }
/** Also as Django, Jinja and Handlebars write them. */
const pages: Language = {
  ...base,
  name: "markup",
  blockComments: [markup, signed, bracedDashes, ...named],
  branches: [percentBranches]
}
const lisp: Language = {
  ...base,
  name: "lisp",
  layout: "forms",
  lineComments: [anywhere(";")],
  blockComments: [{ open: "#|", close: "|#", isNested: true }],
  strings: [long('"')]
}

/** What stands around the program of a component. */
export const aroundPrograms: Language = { ...pages, blockComments: [markup, braced], branches: [svelteBranches] }

/** Templates of files of any kind, by the end of their names: what they add to the language of what they make. */
const templates: ReadonlyArray<
  readonly [added: Pick<Language, "blockComments" | "branches">, extensions: ReadonlyArray<string>]
> = [
  [{ blockComments: [signed, ...named], branches: [percentBranches] }, words("j2 jinja jinja2 twig njk liquid tera")],
  [
    { blockComments: [bracedDashes, block("{{!", "}}")], branches: [handlebarsBranches] },
    words("hbs handlebars mustache")
  ],
  [{ blockComments: goComments, branches: [goBranches] }, words("tmpl gotmpl gohtml")],
  [{ blockComments: [...goComments, block("{*", "*}")], branches: [goBranches] }, ["tpl"]],
  [{ blockComments: percents, branches: [rubyBranches] }, words("erb eex heex leex")],
  [{ blockComments: percents, branches: [scriptletBranches] }, words("ejs jsp aspx")],
  [{ blockComments: [block("{{--", "--}}")], branches: [bladeBranches] }, ["blade.php"]],
  [{ blockComments: [block("@*", "*@")] }, words("cshtml razor vbhtml")],
  [{ blockComments: [block("<#--", "-->")] }, ["ftl"]]
]

const known: ReadonlyArray<readonly [Language, ReadonlyArray<string>]> = [
  [
    { ...indent, name: "python", strings: [tripled, long("'''"), double, single], docStrings: true },
    words("py pyi pyw pyx gd bzl star mojo")
  ],
  [script, words("js jsx mjs cjs ts tsx mts cts")],
  [
    { ...script, name: "component", lineComments: [behindBlank("//")], blockComments: [stars, markup] },
    words("vue svelte astro")
  ],
  [{ ...chars, name: "go", strings: [rawTicks, char, double] }, ["go"]],
  [{ ...base, name: "go modules", lineComments: slashes }, ["mod"]],
  [
    {
      ...chars,
      name: "rust",
      blockComments: [nestedStars],
      strings: [rustRaw, long('"'), char],
      semicolons: true
    },
    ["rs"]
  ],
  [{ ...c, name: "java", strings: [tripled, char, double] }, ["java"]],
  [c, words("c h cc cpp cxx hh hpp hxx ino m mm cu d glsl hlsl sol")],
  [{ ...c, name: "csharp", strings: [verbatim, tripled, char, double] }, ["cs"]],
  [
    {
      ...braces,
      name: "dart",
      blockComments: [nestedStars],
      strings: [dartRaw, tripled, long("'''"), double, single],
      semicolons: true,
      bareMethods: true
    },
    ["dart"]
  ],
  [{ ...chars, name: "kotlin", blockComments: [nestedStars], strings: [tripled, char, double] }, ["kt", "kts"]],
  [{ ...braces, name: "groovy", strings: [tripled, long("'''"), double, single] }, ["groovy", "gradle"]],
  [{ ...braces, name: "swift", blockComments: [nestedStars], strings: [tripled, double] }, ["swift"]],
  [{ ...chars, name: "scala", blockComments: [nestedStars], strings: [tripled, char, double] }, ["scala", "sc"]],
  [
    {
      ...braces,
      name: "php",
      semicolons: true,
      lineComments: [...slashes, { ...anywhere("#"), notBefore: "[" }],
      heredoc: /<<<[ \t]*(["']?)([A-Za-z_]\w*)\1/y
    },
    ["php"]
  ],
  [
    {
      ...braces,
      name: "perl",
      semicolons: true,
      lineComments: [{ ...anywhere("#"), notBehind: "$" }],
      blockComments: words("=pod =head =over =item =back =begin =for =encoding").map((open) => ({
        open,
        close: "\n=cut",
        isLeading: true
      })),
      heredoc: here
    },
    ["pl", "pm"]
  ],
  [{ ...braces, name: "zig", blockComments: [], strings: [char, double], semicolons: true }, ["zig"]],
  [{ ...braces, name: "v" }, ["v"]],
  [{ ...chars, name: "move", semicolons: true }, ["move"]],
  [
    { ...braces, name: "raku", semicolons: true, lineComments: [anywhere("#")], blockComments: [] },
    words("raku rakumod")
  ],
  [{ ...braces, name: "nix", semicolons: true, lineComments: [anywhere("#")], strings: [double] }, ["nix"]],
  [{ ...braces, name: "proto", semicolons: true }, ["proto", "thrift"]],
  [{ ...braces, name: "r", lineComments: [anywhere("#")], blockComments: [] }, ["r"]],
  [
    { ...indent, name: "ruby", blockComments: [{ open: "=begin", close: "=end", isLeading: true }], heredoc: here },
    words("rb rake gemspec ru cr")
  ],
  [{ ...indent, name: "shell", lineComments: hash, heredoc: here }, words("sh bash zsh ksh fish bats")],
  [{ ...tripledIndent, name: "elixir" }, ["ex", "exs"]],
  [
    { ...tripledIndent, name: "julia", docStrings: true, blockComments: [{ open: "#=", close: "=#", isNested: true }] },
    ["jl"]
  ],
  [{ ...tripledIndent, name: "nim", blockComments: [{ open: "#[", close: "]#", isNested: true }] }, ["nim"]],
  [
    {
      ...braces,
      name: "powershell",
      lineComments: [anywhere("#")],
      blockComments: [{ open: "<#", close: "#>" }],
      strings: [hereString, quoted('"', "`"), quoted("'", "")]
    },
    ["ps1", "psm1"]
  ],
  [
    {
      ...indent,
      name: "lua",
      lineComments: [anywhere("--")],
      blockComments: [{ open: "--[[", close: "]]" }],
      strings: [luaLong, double, single]
    },
    ["lua"]
  ],
  [
    {
      ...indent,
      name: "haskell",
      lineComments: [anywhere("--")],
      blockComments: [{ open: "{-", close: "-}", isNested: true }],
      strings: [double]
    },
    words("hs elm purs")
  ],
  [
    {
      ...indent,
      name: "ml",
      lineComments: slashes,
      blockComments: [{ open: "(*", close: "*)", isNested: true }],
      strings: [tripled, double]
    },
    words("fs fsx ml mli")
  ],
  [{ ...base, name: "css", blockComments: [stars], strings: [double, single] }, ["css"]],
  [
    { ...base, name: "css", lineComments: [behindBlank("//")], blockComments: [stars], strings: [double, single] },
    words("scss less sass styl")
  ],
  [
    {
      ...base,
      name: "sql",
      lineComments: [anywhere("--")],
      blockComments: [stars],
      // a quote in a string is written twice
      strings: [dollars, quoted("'", "")]
    },
    words("sql psql ddl")
  ],
  [pages, words("html htm")],
  [{ ...base, name: "markup", blockComments: [markup] }, words("xml svg xhtml xsl xaml plist csproj")],
  [{ ...base, name: "markup", lineComments: [leading("-#"), leading("/")] }, words("haml slim")],
  [{ ...base, name: "markup", lineComments: [leading("//")] }, words("pug jade")],
  [prose, words("md markdown txt rst adoc")],
  [
    {
      ...base,
      name: "gettext",
      // what editors write into the head of each file says nothing in another language
      lineComments: ["#", ...words("POT-Creation PO-Revision").map((date) => `"${date}-Date:`), '"X-Generator:'].map(
        leading
      ),
      strings: [double]
    },
    words("po pot")
  ],
  [{ ...prose, blockComments: [markup, braced] }, ["mdx"]],
  [
    { ...base, name: "json", lineComments: slashes, blockComments: [stars], strings: [double] },
    words("json jsonc json5 ndjson jsonl")
  ],
  [{ ...base, name: "json", lineComments: [...hash, behindBlank("//")], blockComments: [stars] }, ["hjson"]],
  [{ ...hashes, blockComments: goComments, branches: [goBranches] }, words("yml yaml")],
  [hashes, words("toml env conf cfg gitignore dockerignore dockerfile editorconfig npmrc graphql gql mk")],
  [{ ...hashes, blockComments: [block("#[[", "]]")], branches: [cmakeBranches] }, ["cmake"]],
  [{ ...hashes, lineComments: [behindBlank(";"), leading("#")] }, ["ini"]],
  [{ ...hashes, lineComments: ["#", "!"].map(leading) }, ["properties"]],
  // units of systemd
  [
    { ...hashes, lineComments: ["#", ";"].map(leading) },
    words("service socket timer mount automount target slice netdev desktop")
  ],
  [
    { ...hashes, name: "hcl", lineComments: [...hash, behindBlank("//")], blockComments: [stars] },
    words("tf tfvars hcl")
  ],
  [lisp, words("lisp lsp cl el fnl")],
  [{ ...lisp, discard: "#_" }, words("clj cljs cljc edn bb")],
  [{ ...lisp, discard: "#;" }, words("scm ss rkt")],
  [{ ...base, name: "assembly", lineComments: [anywhere(";")], strings: [double] }, words("asm s")],
  [
    {
      ...indent,
      name: "erlang",
      lineComments: [anywhere("%")],
      strings: [{ open: /\$(?:\\.|[^\\])/y, close: null }, double, single]
    },
    words("erl hrl")
  ],
  [
    { ...braces, name: "tcl", lineComments: [leading("#")], blockComments: [], strings: [double], wordBraces: true },
    words("tcl tm")
  ],
  [{ ...indent, name: "vb", lineComments: [behindBlank("'"), leading("'")], strings: [quoted('"', "")] }, ["vb"]],
  [{ ...base, name: "percent", lineComments: [behindBlank("%")] }, words("tex pro")],
  [{ ...indent, name: "vim", lineComments: [leading('"')] }, words("vim vimrc")],
  [{ ...base, name: "basic", lineComments: ["'", "REM ", "rem ", "::"].map(leading) }, words("bas bat cmd")]
]

const byExtension = new Map(
  known.flatMap(([language, extensions]) => extensions.map((name) => [name, language] as const))
)

const templatesByExtension = new Map(
  templates.flatMap(([added, extensions]) => extensions.map((name) => [name, added] as const))
)

const templateEnd = (name: string): RegExpExecArray | null => {
  const end = /\.(blade\.php|\w+)$/.exec(name)
  return end !== null && templatesByExtension.has(end[1] ?? "") ? end : null
}

/** Whether a file of this name is made into another one. */
export const isTemplate = (name: string): boolean => templateEnd(name.toLowerCase()) !== null

/** By the end of a name: what a template is one of, or else a page. */
const templateOf = (name: string): Language | undefined => {
  const end = templateEnd(name)
  const added = templatesByExtension.get(end?.[1] ?? "")
  if (end === null || added === undefined) return undefined
  const inner = name.slice(0, end.index)
  const made = byExtension.get(byName.get(inner) ?? /\.(\w+)$/.exec(inner)?.[1] ?? "") ?? pages
  return { ...made, blockComments: [...added.blockComments, ...made.blockComments], branches: added.branches ?? [] }
}

const byName = new Map<string, string>([
  ["dockerfile", "conf"],
  ["containerfile", "conf"],
  ["makefile", "conf"],
  ["gnumakefile", "conf"],
  ["justfile", "conf"],
  ["procfile", "conf"],
  ["codeowners", "conf"],
  ["crontab", "conf"],
  ["rakefile", "rb"],
  ["gemfile", "rb"],
  ["podfile", "rb"],
  ["vagrantfile", "rb"],
  ["jenkinsfile", "groovy"],
  ["cmakelists.txt", "cmake"],
  ["go.work", "mod"],
  ["requirements.txt", "conf"],
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
  lineComments: words("# // -- ; %").map(leading),
  blockComments: [
    { ...stars, isLeading: true },
    { ...markup, isLeading: true }
  ],
  strings: [tripled, double, single],
  docStrings: true
}

/** Whether it is known how comments are written in such a file. */
export const hasComments = ({ blockComments, lineComments, name }: Language): boolean =>
  name !== "unknown" && name !== "prose" && lineComments.length + blockComments.length > 0

/** The language of a file by its name; for an unknown one a guess from its lines. */
export const languageOf = (path: string, lines: ReadonlyArray<string>): Language => {
  const name = path.slice(path.lastIndexOf("/") + 1).toLowerCase()
  const [stem = ""] = name.split(".")
  const template = templateOf(name)
  if (template !== undefined) return template
  const extension = byName.get(name) ?? byName.get(stem) ?? name.slice(name.lastIndexOf(".") + 1)
  const language = byExtension.get(extension)
  if (language !== undefined) return language
  if (name.startsWith(".env")) return hashes
  const interpreter = /^#!.*\b(?:(python|pypy)|(node|deno|bun)|(ruby)|(perl)|(\w*sh))/.exec(lines[0] ?? "")
  if (interpreter !== null) {
    const index = interpreter.slice(1).findIndex((found) => found !== undefined)
    return byExtension.get(["py", "js", "rb", "pl", "sh"][index] ?? "") ?? unknown
  }
  const layout = lines.some((line) => /\{\s*$/.test(line)) ? "braces" : "indent"
  return { ...unknown, layout, bareMethods: true, docStrings: layout === "indent" }
}
