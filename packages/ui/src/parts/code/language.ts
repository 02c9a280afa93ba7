/** By the end of a file name, lower case. */
const byExtension: Readonly<Record<string, string>> = {
  bash: "bash",
  bats: "bash",
  c: "c",
  cc: "cpp",
  cfg: "ini",
  cjs: "javascript",
  conf: "ini",
  cpp: "cpp",
  cs: "csharp",
  css: "css",
  cts: "typescript",
  cxx: "cpp",
  diff: "diff",
  editorconfig: "ini",
  env: "ini",
  go: "go",
  h: "cpp",
  hh: "cpp",
  hpp: "cpp",
  htm: "xml",
  html: "xml",
  hxx: "cpp",
  ini: "ini",
  java: "java",
  js: "javascript",
  json: "json",
  json5: "json",
  jsonc: "json",
  jsx: "javascript",
  kt: "kotlin",
  kts: "kotlin",
  less: "less",
  markdown: "markdown",
  md: "markdown",
  mdx: "markdown",
  mjs: "javascript",
  mk: "makefile",
  mts: "typescript",
  patch: "diff",
  php: "php",
  properties: "ini",
  py: "python",
  pyi: "python",
  rake: "ruby",
  rb: "ruby",
  rs: "rust",
  sbt: "scala",
  sc: "scala",
  scala: "scala",
  scss: "scss",
  sh: "bash",
  sql: "sql",
  svelte: "xml",
  svg: "xml",
  swift: "swift",
  toml: "ini",
  ts: "typescript",
  tsx: "typescript",
  vue: "xml",
  xhtml: "xml",
  xml: "xml",
  yaml: "yaml",
  yml: "yaml",
  zsh: "bash"
}

/** Files that are known by their whole name, lower case. */
const byName: Readonly<Record<string, string>> = {
  ".bashrc": "bash",
  ".gitconfig": "ini",
  ".npmrc": "ini",
  ".profile": "bash",
  ".zshrc": "bash",
  containerfile: "dockerfile",
  dockerfile: "dockerfile",
  gemfile: "ruby",
  makefile: "makefile",
  rakefile: "ruby"
}

/** The grammar for a file, by its name; null: none is known, and the text is shown as it is. */
export const languageOf = (path: string): string | null => {
  const name = path.slice(path.lastIndexOf("/") + 1).toLowerCase()
  const known = own(byName, name)
  if (known !== null) return known
  if (/^(dockerfile|containerfile)\./.test(name)) return "dockerfile"
  if (name.startsWith(".env")) return "ini"
  const dot = name.lastIndexOf(".")
  return dot < 0 ? null : own(byExtension, name.slice(dot + 1))
}

const own = (table: Readonly<Record<string, string>>, key: string): string | null =>
  Object.hasOwn(table, key) ? (table[key] ?? null) : null
