/** A file that a checklist item names as the place of its work. */
export interface NamedFile {
  /** As it stands in the item, `/` separated, without `./` before it. */
  readonly name: string
  /** It can be nothing but a file. Otherwise it counts only when the project has one of this name. */
  readonly certain: boolean
  /** It is to be made into another, so that it counts only as long as it is there: `Convert a.js to TypeScript`. */
  readonly mayGo: boolean
}

/**
 * The files in which, as the text of an item says, the work is to be done, in their order: what stands after `in`, `to`
 * or the like, what is created, changed or moved, and what the item begins with. A file that is only read, compared with
 * or tested is none, nor is anything whose part in the sentence is not known. Pure.
 */
export const namedFiles = (item: string): ReadonlyArray<NamedFile> => {
  const found = new Map<string, NamedFile>()
  for (const { certain, isTarget, mayGo, name } of mentionedFiles(item)) {
    const before = found.get(name)
    if (isTarget && (before === undefined || (certain && !before.certain))) found.set(name, { name, certain, mayGo })
  }
  return [...found.values()]
}

/** Whether a path is one of those that are named, from the top or by their last parts. */
export const isOneOf = (path: string, names: ReadonlyArray<string>): boolean =>
  names.some((name) => path === name || path.endsWith(`/${name}`))

/** A file that a text speaks of, and where in it. */
export interface MentionedFile extends NamedFile {
  readonly start: number
  readonly end: number
  /** The work is to be done in it. */
  readonly isTarget: boolean
}

/** All files that a text speaks of, in their order. Pure. */
export const mentionedFiles = (text: string): ReadonlyArray<MentionedFile> => {
  let last: { readonly end: number; readonly isTarget: boolean } | null = null
  return mentionsOf(text).map((mention) => {
    const { end, isSource, name, start } = mention
    const role = roleOf(text, mention, last)
    const isTarget = role !== null
    last = { end, isTarget }
    const certain = mention.certain || (isSource && role === "said")
    const mayGo = isTarget && converted.test(text.slice(Math.max(0, start - 100), start))
    return { name, start, end, isTarget, certain, mayGo }
  })
}

// --- what looks like a file ---------------------------------------------------------------------------------------

interface Mention {
  readonly name: string
  readonly start: number
  readonly end: number
  readonly quoted: boolean
  readonly certain: boolean
  /** It ends as program sources do. */
  readonly isSource: boolean
}

const words = (text: string): ReadonlySet<string> => new Set(text.split(" "))

const sources = words(
  "c cc cpp cxx h hh hpp hxx cs go java js jsx mjs cjs ts tsx mts cts kt kts php py pyi rb rs scala swift sh bash bats lua pl pm r dart ex exs erl hs elm clj fs ml jl nim zig vue svelte astro sql proto css scss sass less html htm"
)
const others = words(
  "md mdx markdown rst txt adoc json jsonc json5 jsonl yml yaml toml ini cfg conf env xml csv tsv tf hcl gradle properties lock svg png graphql ipynb tex mod sum csproj sln xsd ejs hbs j2 tpl tmpl snap service dockerfile"
)
const bare = words(
  "AUTHORS NEWS MAINTAINERS CONTRIBUTORS Dockerfile Makefile Containerfile Jenkinsfile Procfile Rakefile Gemfile Vagrantfile CMakeLists.txt CODEOWNERS LICENSE README CHANGELOG .gitignore .dockerignore .editorconfig .npmrc .env"
)

/** Names of products that end like files. */
const brands =
  /^(?:node|next|nuxt|vue|react|three|d3|express|nest|socket|discord|chart|moment|day|ember|backbone|angular|alpine|knockout|electron|deno|bun|p5|solid|svelte|handlebars|mustache|redux|mobx|axios|lodash|underscore|math|brain|tensorflow|paper|fabric|phaser|pixi|babylon|anime|video|plotly|leaflet|cypress|puppeteer|playwright|passport|sequelize|koa|hapi|sails|meteor|polymer|require|system|core|stimulus|turbo|hotwire|asp|ado|ml|vb)\.(?:js|jsx|ts|io|net)$|^docs\.rs$/i

/** A name; letters of Japanese and Chinese end it, as blanks do. */
const plain = /(?<![\w@./\\~$:#-])(?:\.{0,2}\/)?(?:[\w.@()[\]+~-]+\/)*[\w.@+~-]*[\w\])](?:\.\w+)?\/?/g
const quotedName =
  /`([^`\n]{1,200})`|"([^"\n]{1,200})"|'([\w./@+~() -]{1,200})'|“([^”\n]{1,200})”|「([^」\n]{1,200})」/g

const mentionsOf = (item: string): ReadonlyArray<Mention> => {
  const text = item.slice(0, maxItem)
  const found: Array<Mention> = []
  const covered: Array<readonly [number, number]> = []
  for (const { 0: link, index } of text.matchAll(
    /\b[a-z][a-z\d+.-]*:\/\/[^\s)>\]"'`]+|\b(?:www\.|[\w.+-]+@)[\w-]+(?:\.[\w-]+)+\S*/gi
  ))
    covered.push([index, index + link.length])
  const isCovered = (at: number) => covered.some(([from, to]) => at >= from && at < to)
  for (const match of text.matchAll(quotedName)) {
    if (isCovered(match.index)) continue
    const inside = match.slice(1).find((part) => part !== undefined) ?? ""
    const end = match.index + match[0].length
    const one = mentionOf(inside.trim(), match.index, end, true)
    // a quoted sentence may hold names of its own
    if (one !== null || !/\s/.test(inside)) covered.push([match.index, end])
    if (one !== null) found.push(one)
  }
  for (const { 0: word, index } of text.matchAll(plain)) {
    if (isCovered(index) || isCovered(index + word.length - 1)) continue
    const name = word.replace(/[.,;:!?)\]]+$/, "")
    const next = text.charAt(index + name.length)
    if (next === "(" || next === "@") continue
    const one = mentionOf(name, index, index + name.length, false)
    if (one !== null) found.push(one)
  }
  return found.toSorted((a, b) => a.start - b.start)
}

const maxItem = 4_000

const mentionOf = (given: string, start: number, end: number, quoted: boolean): Mention | null => {
  // `src/a.ts:12-30` and `src/a.ts#login` name a place in a file
  const name = given.replace(/^(?:\.\/)+/, "").replace(/:\d+(?:[-:]\d+)*$|#[\w-]+$/, "")
  if (/[\s*?<>|{}=,;()"'`]/.test(name) || /^(?:\/|~|-|\$)/.test(name) || name.includes("..")) return null
  const parts = name.split("/")
  const base = parts.at(-1) ?? ""
  const extension = /^.+\.(\w+)$/.exec(base)?.[1]?.toLowerCase() ?? ""
  const isSource = sources.has(extension)
  const isKnown = isSource || others.has(extension) || bare.has(base)
  const common = { name, start, end, quoted, isSource }
  // a folder, a route, `and/or`, `read/write`, 1/2
  if (!isKnown) return null
  if (parts.length > 1) return { ...common, certain: true }
  if (brands.test(base)) return null
  if (!bare.has(base) && isMember(base)) return quoted ? { ...common, certain: false } : null
  return { ...common, certain: quoted }
}

/** `user.name`, `config.env`, `response.json`: as likely a member of something. */
const isMember = (base: string): boolean =>
  (/^(?:this|self|user|config|process|response|res|req|request|data|result|error|event|options|state|props|body|console|window|document|module|JSON|Math|Date|[A-Z][A-Za-z]*)\.(?:json|env|html|css|sql|md|go|rs|r|c|h|service|mod|lock|sum|conf|properties|text|txt|xml)$/.test(
    base
  ) &&
    !/^[A-Z]+\.\w+$/.test(base)) ||
  // a module of Elixir
  /^[A-Z][a-z]\w*\.[A-Z]+$/.test(base)

// --- what it is in the sentence -----------------------------------------------------------------------------------

/** `said`: a word before it says that the work is there. `first`: the item begins with it. Null: not a place of work. */
type Role = "said" | "first" | null

const roleOf = (
  item: string,
  { end, start }: Mention,
  last: { readonly end: number; readonly isTarget: boolean } | null
): Role => {
  const before = item.slice(Math.max(0, start - 200), start)
  const after = item.slice(end, end + 60)
  const japanese = japaneseRole(after)
  if (japanese !== undefined) return japanese
  // `a.ts, b.ts and c.ts`: all are what the first one is
  if (last !== null && listing.test(item.slice(last.end, start))) return last.isTarget ? "said" : null
  if (/^\W*(?:\[[ x]\]\W*)?(?:\d+[.)]\s*)?(?:(?:the|file|new|in|module)\s+)*\W*$/i.test(before)) return firstRole(after)
  const clause = before.slice(boundaryOf(before))
  if (aside.test(before) || ofAnother.test(after)) return null
  if (notThere.test(clause) || written.test(clause) || valued.test(clause) || toList.test(after)) return null
  if (there.test(clause) || changed.test(clause)) return "said"
  return /(?:[.;:]|\s[-–—])\s$/.test(before) && /^\s*:/.test(after) ? "said" : null
}

/** `… (see the comment in update.sh)` */
const aside = /\((?:also )?(?:see|cf|compare|as in|like)\b[^()]*$/i

/** It is added to what lists files: the work is there. */
const toList =
  /^[`"')]*\s+(?:to|in|into)\s+(?:the\s+)?(?:(?:[\w.`"'-]+\s+){0,3}(?:lists?|examples|ignores?|patterns|allow-?list|deny-?list)|(?:version |known |supported |ignored )files|build|targets?|sources?|gemspec|autoload\w*|coverage|settings|configuration|manifest|[`"']?(?:[\w./-]*\/)?(?:CMakeLists\.txt|Makefile|[\w.-]+\.(?:csproj|fsproj|vcxproj|sln|toml|json|ya?ml|gemspec|cmake|xml|gradle|kts|cfg|ini|mod|pro|pri|bazel|build)))\b/i

const listing =
  /^[`"')\s]*(?:,\s*(?:and\s+|or\s+)?|\s+(?:and|&|plus|as well as)\s+(?:(?:in|to|into)\s+)?(?:the\s+)?|\s*[/+]\s*|\s*[、と及]\s*)[`"'(]*$/

const boundaryOf = (before: string): number => {
  const found = [...before.matchAll(/\b(?:because|while|when|if|unless|which|that|where)\s/gi)].at(-1)
  return found === undefined ? 0 : found.index + found[0].length
}

const article = String.raw`(?:\s+(?:the|a|an|our|your|its|this|new|existing|file|files|module|script|class|header|page|document|called|named|empty|(?:\w+\s+){0,2}(?:file|module|script|config|configuration|component|stylesheet|template|workflow|document|page|entry\s+point)))*[\s\x60"'“「(]*$`

/** Words that say that what follows is elsewhere, only looked at, or not wanted. */
const notThere = new RegExp(
  String.raw`(?:\b(?:coverage\s+(?:to|in|on)|for|from|like|per|see|using|use|uses|used|with|via|than|against|instead\s+of|rather\s+than|based\s+on|according\s+to|described\s+in|defined\s+in|specified\s+in|documented\s+in|listed\s+in|found\s+in|declared\s+in|given\s+in|shown\s+in|as\s+in|exists?\s+in|already\s+in|currently\s+in|lives?\s+in|stored\s+in|without|except|besides|beside|unlike|by|of|about|after|before|compared\s+to|similar\s+to|identical\s+to|equal\s+to|refers?\s+to|referring\s+to|links?\s+to|link\s+to|linking\s+to|points?\s+to|relative\s+to|next\s+to|according|conform(?:s|ing)?\s+to|run|runs|running|execute|parse|parses|parsing|read|reads|reading|load|loads|loading|support|supports|print|prints|printing|import|imports|importing|include|includes|including|require|requires|call|calls|calling|invoke|open|opens|opening|ignore|ignores|keep|review|check|checks|inspect|verify|validate|test|tests|testing|cover|covers|delete|deletes|remove|removes|output|outputs|emit|emits|generate|generates|produce|produces|download|upload|serve|serves|accept|accepts|watch|reference|references|mention|mentions|exists|existing\s+as|not\s+(?:touch|change|edit|modify)|do\s+not\s+\w+|don't\s+\w+|never\s+\w+))${article}`,
  "i"
)

/** What a program writes there while it runs is no place of work. */
const written =
  /\b(?:writes?|saves?|dumps?|exports?|stores?|logs?|prints?|appends?|sends?)\s+(?:(?:the|its|all|a|an|each|every)\s+)?(?:[\w-]+\s+){0,2}(?:reports?|outputs?|results?|logs?|summar(?:y|ies)|errors?|metrics|statistics|events?|messages?|html|csv|json)\s+(?:to|into)[\s`"'“「(]*$/i

/** `Set main to dist/index.js`: a value. */
const valued =
  /\b(?:set|sets|setting|point|points|pointing|change|changes|changing|switch|switches)\s+(?:the\s+)?[\w.`"'-]+(?:\s+(?:entry|field|key|option|property|setting|value|path|script))?\s+(?:to|at)[\s`"'“「(]*$/i

const there = new RegExp(String.raw`\b(?:in|to|into|inside|within|at|under|onto)${article}`, "i")

const changed = new RegExp(
  String.raw`\b(?:create|creates|creating|add|adds|adding|write|writes|writing|update|updates|updating|change|changes|changing|edit|edits|editing|modify|modifies|modifying|fix|fixes|fixing|implement|implements|implementing|extend|extends|extending|refactor|refactors|refactoring|rewrite|rewrites|rewriting|rename|renames|renaming|move|moves|moving|document|put|puts|finish|complete|clean\s+up|split|patch|adjust|adapt|improve|restructure|simplify|port|migrate|convert|replace|populate|fill(?:\s+in)?|set\s+up|scaffold|touch)${article}`,
  "i"
)

const converted = new RegExp(
  String.raw`\b(?:convert|converts|converting|port|ports|porting|migrate|migrates|migrating|rewrite|rewrites|rewriting|replace|replaces|replacing|split|splits|splitting|move|moves|moving|rename|renames|renaming)${article}`,
  "i"
)

/** It is a link to the file, or what tests it, that is worked on: `Fix the a.md link`, `Add a.php tests`. */
const ofAnother = /^[`"')]*\s+(?:(?:unit|integration|e2e|regression)\s+)?(?:links?|tests?|specs?)\b/i

/** An item that begins with a file speaks of it; unless it says that it is read, or run. */
const firstRole = (after: string): Role =>
  ofAnother.test(after) ||
  /^[`"')\s]*(?:is|are|was|were)\s+(?:read|loaded|parsed|imported|ignored|run|executed|used|unchanged|not\s+(?:touched|changed))\b|^[`"')\s]*(?:stays?|remains?)\s+(?:unchanged|as\s+(?:it\s+is|is)|untouched)\b/i.test(
    after
  )
    ? null
    : "first"

// --- Japanese -----------------------------------------------------------------------------------------------------

const work =
  "追加|作成|実装|更新|変更|修正|編集|記述|記載|定義|移動|書|拡張|置|改修|対応|導入|分割|整理|リファクタ|追記|保存|配置|設定|加え|直"

/** What a particle behind the name says; undefined: there is none, and the sentence is not Japanese. */
const japaneseRole = (after: string): Role | undefined => {
  const text = after.replace(/^[`"'」』)\s]+/, "")
  if (!/^[\u3040-\u30ff\u4e00-\u9fff]/.test(text)) return undefined
  if (
    /^(?:から|より|を(?:読|参照|使|利用|インポート|ロード|実行|解析|元|もと|確認|テスト)|に(?:基づ|従|ならっ|似)|と(?:同|比)|の(?:ように|とおり|通り|代わり|テスト)|のテスト|へのリンク|で(?:定義され|説明))/.test(
      text
    )
  )
    return null
  if (/^(?:の中)?(?:に|へ|内に|内の|の中に|上に)/.test(text)) return "said"
  if (new RegExp(`^(?:ファイル|モジュール)?を[^。、]{0,12}?(?:${work}|リネーム|改名|新規)`).test(text)) return "said"
  if (
    new RegExp(`^(?:ファイル|モジュール)?(?:で|の|は|が|にて|側)[^。]{0,60}(?:${work}|返|export|エクスポート)`).test(
      text
    )
  )
    return "said"
  return null
}
