// Which files a text names, and whether it names them to be written.

/** A stretch of a text, in UTF-16 units, the end excluded. */
interface Stretch {
  readonly start: number
  readonly end: number
}

const extensions =
  "tsx?|jsx?|[mc][tj]s|pyi?|rb|go|rs|java|kts?|scala|c|h|cc|cpp|hpp|cs|fs|swift|php|pl|sh|bash|zsh|ps1|bat|lua|r|jl|exs?|erl|hs|clj|dart|vue|svelte|astro|html?|css|scss|sass|less|jsonc?|json5|ya?ml|toml|ini|cfg|conf|env|mdx?|rst|txt|csv|tsv|sql|prisma|graphql|gql|proto|xml|svg|lock|gradle|tf|hcl|ipynb|log|png|jpe?g|gif|pdf"
const word = /[\w.@~/\\-]+/g
const file = new RegExp(
  `^(?:[\\w.@~-]+[/\\\\])*(?:[\\w@-][\\w.@-]*\\.(?:${extensions})|Dockerfile|Makefile|\\.gitignore|\\.env|\\.[a-z]{2,20}rc)$`,
  "u"
)
/** Names of products and of programs' parts that look like files. */
const product =
  /^(?:(?:console|math|logger|log|process|import\.meta|window|document)\.\w+|(?:node|next|vue|nuxt|express|three|d3|chart|ember|backbone|react|socket|discord|moment|day|p5|alpine|solid|nest|angular|electron|handlebars|knockout|mermaid|highlight|prism|pdf|bun|deno|asp|ml|tensorflow|brain)\.(?:js|ts|net))$/i
const address = /(?:https?|ftp|file):\/\/[^\s<>"'`、。）」』]+|www\.[^\s<>"'`、。）」』]+/gu

/** Where a text names a file. */
export const fileSpans = (text: string): ReadonlyArray<Stretch> => {
  const spans: Array<Stretch> = []
  for (const { 0: found, index } of text.matchAll(word)) {
    if (found.length > 300 || !/[.]\w|file$/u.test(found)) continue
    const name = found.replace(/[.\\-]+$/u, "")
    if (file.test(name) && !product.test(name)) spans.push({ start: index, end: index + name.length })
  }
  return spans
}

const withoutAddresses = (text: string): string =>
  text.includes("://") || text.includes("www.") ? text.replaceAll(address, (found) => " ".repeat(found.length)) : text

/** The files that a text names, each once, in order. */
export const filesIn = (text: string): ReadonlyArray<string> => {
  const shown = withoutAddresses(text)
  return [...new Set(fileSpans(shown).map(({ end, start }) => shown.slice(start, end)))]
}

/** What a text says of a file that it names: `named` where its words say neither. */
export type FileUse = "written" | "named" | "read"

export interface FileMention extends Stretch {
  /** As a path of the project, without `./`. */
  readonly path: string
  readonly use: FileUse
}

/** Every place at which a text names a file, with what it says of it there. */
export const fileMentions = (text: string): ReadonlyArray<FileMention> => {
  const shown = withoutAddresses(text)
  return fileSpans(shown).map(({ end, start }) => ({
    path: projectPath(shown.slice(start, end)),
    use: useOf(clauseBefore(shown, start), shown.slice(end, end + longest)),
    start,
    end
  }))
}

const uses: ReadonlyArray<FileUse> = ["read", "named", "written"]

/** By file what a text as a whole says of it. Only what it nowhere wants written is read. */
export const fileUses = (text: string): ReadonlyMap<string, FileUse> => {
  const found = new Map<string, FileUse>()
  for (const { path, use } of fileMentions(text)) {
    const before = found.get(path) ?? "read"
    found.set(path, uses.indexOf(use) > uses.indexOf(before) ? use : before)
  }
  return found
}

export const projectPath = (name: string): string => name.replaceAll("\\", "/").replace(/^(?:\.\/)+/u, "")

/** Whether a path of the project may be what a text names. */
export const isNamed = (path: string, name: string): boolean => path === name || path.endsWith(`/${name}`)

const longest = 120

/** What stands before a name in its sentence. */
const clauseBefore = (text: string, start: number): string =>
  text
    .slice(Math.max(0, start - longest), start)
    .split(/\n|[.;!?。！？](?=\s|\P{ASCII}|$)/u)
    .at(-1) ?? ""

const writing =
  /(?<![\p{L}\p{N}-])(?:in|into|inside|within|to|onto|on|at|under|create|add|write|update|change|edit|extend|modify|fix|implement|refactor|rewrite|rename|delete|remove|replace|append|prepend|insert|put|move|save|generate|named|called)(?![\p{L}\p{N}])/giu
const reading =
  /(?<![\p{L}\p{N}-])(?:from|us(?:e|es|ing)|with the help of|like|see|as in|similar to|based on|according to|described in|documented in|defined in|declared in|specified in|found in|shown in|listed in|exported (?:by|in)|follow(?:s|ing)?|per|imports?|importing|calls?|calling|reads?|reading|consult|refer(?:s|ring)? to|look(?:ing)? at|stay consistent with|consistent with|without (?:changing|touching|editing|modifying)|do not (?:change|touch|edit|modify)|don't (?:change|touch|edit|modify))(?![\p{L}\p{N}])/giu
/** What is taken out of a file changes it. */
const taking =
  /(?<![\p{L}\p{N}])(?:move|moving|extract|extracting|remove|removing|delete|deleting|drop|dropping|strip|split|pull|cut|take)(?![\p{L}\p{N}])/iu
const japaneseReading =
  /^[`"'」』\s]*(?:の[^、。\n]{1,20})?(?:を(?:使|利用|用い|参照|参考|もとに|元に|基に|呼び|読)|のように|と同様|に従|に基づ)/u
const japaneseWriting = /^[`"'」』\s]*(?:の中)?(?:に|へ|を)/u

const lastEnd = (text: string, pattern: RegExp): number => {
  let end = -1
  for (const found of text.matchAll(pattern)) end = found.index + found[0].length
  return end
}

/** The nearest word that says what becomes of the file decides. */
const useOf = (before: string, after: string): FileUse => {
  if (japaneseReading.test(after)) return "read"
  if (japaneseWriting.test(after)) return "written"
  const read = lastEnd(before, reading)
  const written = lastEnd(before, writing)
  if (read < 0 && written < 0) return "named"
  // `described in` ends where `in` does
  if (read < written) return "written"
  return /from\s*$/iu.test(before.slice(0, read)) && taking.test(before) ? "written" : "read"
}
