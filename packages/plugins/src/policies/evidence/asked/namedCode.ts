import type { LineRange, SourceOutline } from "../../../port/index.ts"
import { isRowIn } from "../code/rowsIn.ts"
import { timesIn } from "../code/timesIn.ts"
import { type MentionedFile, mentionedFiles } from "./namedFiles.ts"
import { saidOf } from "./said.ts"

/** Names of code that an item is about, as its text says. */
export interface NamedCode {
  /** It asks to write them: `Add login() to src/auth.py`. */
  readonly wanted: ReadonlyArray<Wanted>
  /** It asks to take them away, be it by another name: `Remove a10n()`, `Rename a10n() to l10n()`. */
  readonly unwanted: ReadonlyArray<string>
}

export interface Wanted {
  readonly name: string
  /** It is called: `login()`. A whole file may be what another name stands for. */
  readonly isCalled: boolean
  /** With the word that says what it is as a part of it: `FlashInterface`, of `Add Flash interface`. */
  readonly longer?: string
}

/**
 * The names that an item asks to write or to take away. A name counts when it is written as code (`name()`, `two_words`,
 * between backticks, or `class TwoWords`) and is itself what is added or removed: `Add tests for login()`, `Add caching to
 * login()` and `Fix login()` ask for something else. Of a path of names it is the last one. Pure.
 */
export const namedCode = (item: string): NamedCode => {
  const text = saidOf(item)
  let files: ReadonlyArray<MentionedFile> | undefined
  // most items name nothing, and are not searched for files
  const isFile = (start: number, end: number) => {
    files ??= mentionedFiles(text)
    return files.some((file) => file.start < end && start < file.end)
  }
  return inEnglish(text, isFile) ?? (text.includes("を") ? inJapanese(text, isFile) : nothing)
}

const nothing: NamedCode = { wanted: [], unwanted: [] }

// --- what a name looks like ---------------------------------------------------------------------------------------

export const owners = String.raw`(?:[\w$]+(?:\.|::|#|->))*`
export const call = String.raw`\([^()\n]{0,200}\)`
const quoted = String.raw`\x60${owners}([A-Za-z_$][\w$]*)[!?]?(?:${call})?\x60`
const called = String.raw`${owners}([A-Za-z_$][\w$]*)[!?]?${call}`
const joined = String.raw`${owners}(_*[A-Za-z\d$]+(?:_[A-Za-z\d$]+)+_*)(?![\w$(])`
/** A name that is written as code. */
const asCode = `(?:${quoted}|${called}|${joined})`
/** Beside a word that says what it is: `class Stack`, `useCart hook`. */
const shaped = String.raw`([A-Z][\w$]*|[a-z][\w$]*[A-Z][\w$]*)(?![\w$])`

const things =
  "function|method|class|interface|type|enum|struct|trait|protocol|record|helper|hook|component|decorator|macro|getter|setter|generator|exception"
const values =
  "constant|const|(?:environment )?variable|field|property|attribute|parameter|argument|option|flag|setting|column|table|fixture|command|event"
const leading = String.raw`(?:(?:an?|the|new|another|its|their|our|missing|unused|old|dead|obsolete|deprecated|legacy|public|private|static|async|pure|small|simple|own|exported|optional|required)\s+){0,4}`
const kind = String.raw`(?:(?:${things}|${values})s?(?:\s+(?:named|called))?:?\s+)`

const nameOf = (match: ReadonlyArray<string | undefined>): string =>
  match.slice(1).find((one) => one !== undefined) ?? ""

/** Values of a language, which are no names. */
const isLiteral = (name: string): boolean => /^(?:true|false|null|none|nil|undefined|nan|self|this)$/i.test(name)

interface Names {
  readonly names: ReadonlyArray<Wanted>
  /** Where the text goes on. */
  readonly end: number
}

type IsFile = (start: number, end: number) => boolean

const sticky = (source: string): RegExp => new RegExp(source, "iy")
const sensitive = (source: string): RegExp => new RegExp(source, "y")

const asCodeHere = sensitive(asCode)
const shapedHere = sensitive(shaped)
const leadingHere = sticky(leading)
const kindHere = sticky(kind)
const thingBehind = sticky(String.raw`\s+(?:[\w-]+\s+)?(?:${things})\b`)
/** Directly, and nothing goes on from there: of `Money type hints` Money is no type. */
const typeBehind = sticky(
  String.raw`\s+(?:class|interface|type|enum|struct|trait|protocol|record|component|exception)\b(?=\s*(?:$|[.,;:()\u2013\u2014-]|(?:in|into|to|at|on|inside|within|under|for|that|which|with|without|as|from|so|whose|using|extending|implementing|and)\b))`
)
/** What only says of which kind something is, before that and its name: `React hook useOnline()`. */
const qualifiedHere = sensitive(
  String.raw`([A-Z][\w$]*\s+(?:[\w-]+\s+)?)(?=(?:${things}|${values})\s+(?:(?:named|called)\s+)?(?:${asCode}|[A-Z][\w$]*[a-z][\w$]*(?:\s*(?:$|[.,;:])|\s+(?:in|to|for|that|which|with)\b)))`
)
const kindBehind = sticky(String.raw`\s+(?:[\w-]+\s+)?(?:${things}|${values})s?\b`)
const nextHere = sticky(String.raw`\s*,\s*(?:and\s+)?|\s+(?:and|&)\s+|\s*、\s*|\s*と\s*`)

export const at = (pattern: RegExp, text: string, from: number): RegExpExecArray | null => {
  pattern.lastIndex = from
  return pattern.exec(text)
}

interface Name extends Wanted {
  /** Where the text goes on. */
  readonly end: number
  /** A word says what it is. */
  readonly isKind: boolean
}

/** A name at a place, behind what leads to it and says what it is. */
const nameAt = (text: string, from: number, isFile: IsFile, isKnown = false): Name | null => {
  const before = from + (at(leadingHere, text, from)?.[0].length ?? 0)
  const led = before + (at(qualifiedHere, text, before)?.[1]?.length ?? 0)
  const said = at(kindHere, text, led)
  const isKind = said !== null
  const begin = led + (said?.[0].length ?? 0)
  const code = at(asCodeHere, text, begin) ?? shapedName(text, begin, isKnown || isKind)
  if (code === null) return null
  const end = begin + code[0].length
  const name = nameOf(code)
  if (isFile(begin, end) || isLiteral(name)) return null
  const behind = isKind || code[0] !== name ? null : at(typeBehind, text, end)
  const longer = behind === null ? {} : { longer: name + behind[0].trim() }
  return { name, end, isKind, isCalled: code[0].includes("("), ...longer }
}

/** Without a word before it that says what it is, a name of something else may stand there: `a Kafka consumer class`. */
const shapedName = (text: string, from: number, isKind: boolean): RegExpExecArray | null => {
  const found = at(shapedHere, text, from)
  if (found === null || isKind) return found
  const [name] = found
  if (isProper(name)) return null
  const isPlain = /^[A-Z][a-z\d]*$/.test(name)
  return at(isPlain ? typeBehind : thingBehind, text, from + name.length) === null ? null : found
}

/** A language, a framework, a service or a format, or an acronym. */
const isProper = (name: string): boolean => /^[A-Z\d]{1,5}$/.test(name) || properNames.has(name.toLowerCase())

const properNames: ReadonlySet<string> = new Set(
  `ada angular ansible apache arduino astro aurora avro azure babel backbone bash bazel bigquery bitbucket bootstrap bulma cargo
   cassandra celery chrome clang clojure cloudflare cmake cobol cocoa crystal cucumber cypress dart datadog debian deno discord django
   docker dockerfile drizzle drupal dynamodb edge elasticsearch electron elixir elm ember erlang eslint excel express expo fastapi
   fastify figma firebase firefox flask flow flutter fortran gatsby gin git github gitlab go google gradle grafana graphql groovy grpc
   gulp hadoop haskell heroku hibernate hugo ios istio jackson java javascript jasmine jekyll jenkins jest jinja jira jquery julia junit
   jwt kafka karma keycloak kotlin ktor kubernetes laravel latex less lambda linux lit livewire lodash lombok lua luxon mac macos magento
   makefile mariadb markdown matlab maven memcached metal micronaut mocha mockito mongo mongodb mongoose mssql mui mustache mysql nats
   nest nestjs netlify netty next nextjs nginx node nodejs numpy nuxt oauth objective ocaml octave okta openapi opengl openssl oracle
   pandas parquet pascal paypal perl phoenix php pinia playwright polars postgres postgresql powershell prisma prometheus protobuf puppet
   pydantic pytest python pytorch qt quarkus rabbitmq rails react redis redux relay remix rollup ruby rust rxjs safari salesforce sass
   scala scikit scss selenium sentry sequelize shell shopify sinatra slack slim snowflake socket solid solidity solr spark spring
   sqlalchemy sqlite stripe storybook supabase svelte swagger swift swiftui symfony tailwind tcl telegram tensorflow terraform thrift
   tokio toml travis trino twig twilio twitter typeorm typescript ubuntu unity unix unreal vagrant vercel vim vite vitest vue vuex
   wasm webassembly webgl webpack websocket windows wordpress xcode yaml yarn zig zod zookeeper zustand`.split(/\s+/)
)

const wantedOf = ({ isCalled, longer, name }: Name): Wanted => ({
  name,
  isCalled,
  ...(longer === undefined ? {} : { longer })
})

const plainNames = ({ names }: Names): ReadonlyArray<string> => names.map(({ name }) => name)

/** Names one after the other: `a()`, `b()` and `c()`. */
const namesAt = (text: string, from: number, isFile: IsFile, isKnown = false): Names | null => {
  const first = nameAt(text, from, isFile, isKnown)
  if (first === null) return null
  const names: Array<Wanted> = [wantedOf(first)]
  let { end } = first
  for (;;) {
    const next = at(nextHere, text, end)
    const more = next === null ? null : nameAt(text, end + next[0].length, isFile, isKnown)
    if (more === null) return { names, end }
    names.push(wantedOf(more))
    end = more.end
  }
}

// --- English ------------------------------------------------------------------------------------------------------

const opening = String.raw`\W*(?:\d+[.)]\s*)?(?:please\s+)?`
const adding = sticky(String.raw`${opening}(?:adds?|implements?|creates?|defines?|introduces?|writes?|declares?)\s+`)
const removing = sticky(
  String.raw`${opening}(?:remov(?:es?|ed|ing)|delet(?:es?|ed|ing)|drop(?:s|ped|ping)?|eliminat(?:es?|ed|ing))\s+`
)
const renaming = sticky(String.raw`${opening}renam(?:es?|ed|ing)\s+`)
const toNext = sticky(String.raw`\s+(?:to|into|as)\s+`)

/** What may follow what is added: else the name only says what kind of something is. */
export const ofItself = sticky(
  String.raw`\s*(?:$|[.,;:)\u2013\u2014-])|\s+(?:in|into|to|at|on|onto|inside|within|under|for|that|which|with|without|as|from|so|when|if|where|using|via|by|after|before|whose|returning|returns|taking|takes|and|or|\(|[-=\u2013\u2014])`
)

/** What may follow what is removed: else something of it is taken from somewhere, or something of it stays. */
const altogether = (text: string, from: number, isFile: IsFile): boolean => {
  const kindOf = at(kindBehind, text, from)
  const rest = from + (kindOf?.[0].length ?? 0)
  const place = at(fromPlace, text, rest)
  const end = place === null ? rest : rest + place[0].length
  if (place !== null && !isFile(end - (place[1]?.length ?? 0), end)) return false
  return /^\s*(?:everywhere|throughout\b[^.;]*|and\s+(?:all\s+)?(?:its\s+)?(?:callers|calls|uses|usages|references)\b[^.;]*)?\s*\.?$/i.test(
    text.slice(end)
  )
}

const fromPlace = sticky(
  String.raw`\s+(?:from|in)\s+(?:the\s+)?(?:(?:file|module)\s+)?([\x60"']?[\w./@+-]*\w[\x60"']?)`
)

const inEnglish = (text: string, isFile: IsFile): NamedCode | null => {
  const added = at(adding, text, 0)
  if (added !== null) {
    const found = namesAt(text, added[0].length, isFile)
    const isWanted =
      found !== null && (at(ofItself, text, found.end) !== null || at(kindBehind, text, found.end) !== null)
    return isWanted ? { wanted: found.names, unwanted: [] } : nothing
  }
  const removed = at(removing, text, 0)
  if (removed !== null) {
    const found = namesAt(text, removed[0].length, isFile, true)
    return found !== null && altogether(text, found.end, isFile) ? { wanted: [], unwanted: plainNames(found) } : nothing
  }
  const renamed = at(renaming, text, 0)
  if (renamed === null) return null
  const plainOld = nameAt(text, renamed[0].length, isFile)
  // what merely looks like a name is one where the file had it
  const old = plainOld ?? nameAt(text, renamed[0].length, isFile, true)
  if (old === null) return nothing
  const behind = old.end + (at(kindBehind, text, old.end)?.[0].length ?? 0)
  const to = at(toNext, text, behind)
  const next = to === null ? null : nameAt(text, behind + to[0].length, isFile, true)
  if (next === null) return nothing
  return {
    wanted: plainOld === null ? [] : [wantedOf(next)],
    unwanted: altogether(text, next.end, isFile) ? [old.name] : []
  }
}

// --- Japanese -----------------------------------------------------------------------------------------------------

const ofKind = String.raw`\s*(?:の?(?:関数|メソッド|クラス|型|インターフェース|列挙型|構造体|定数|変数|フィールド|プロパティ|属性|引数|オプション|フラグ|フック|コンポーネント|デコレータ|マクロ|ヘルパー|テーブル|カラム))?\s*`
const added = sticky(String.raw`${ofKind}を(?:新しく|新規に?|先に)?\s*(?:追加|実装|作成|定義|導入|宣言|書)`)
const removed = sticky(
  String.raw`${ofKind}を(?:すべて|全て|完全に)?\s*(?:削除|除去|取り除)(?:する|します|した|く|き)?(?:こと)?[。.]?$`
)
const toOther = sticky(String.raw`${ofKind}(?:の名前)?を\s*`)
const renamed = sticky(String.raw`${ofKind}(?:に|へ)\s*(?:リネーム|改名|名前を変|変更|名称変更)`)

const inJapanese = (text: string, isFile: IsFile): NamedCode => {
  for (const { index } of text.matchAll(beginOfName)) {
    const found = namesAt(text, index, isFile)
    if (found === null) continue
    if (at(added, text, found.end) !== null) return { wanted: found.names, unwanted: [] }
    if (at(removed, text, found.end) !== null) return { wanted: [], unwanted: plainNames(found) }
    const to = at(toOther, text, found.end)
    const next = to === null ? null : nameAt(text, found.end + to[0].length, isFile)
    if (next !== null && at(renamed, text, next.end) !== null)
      return { wanted: [wantedOf(next)], unwanted: plainNames(found) }
  }
  return nothing
}

const beginOfName = /(?<![\w$.\x60:#>-])[\x60\w$]/g

// --- what a file has of it ----------------------------------------------------------------------------------------

/** A file in which names are looked for. */
export interface Named {
  readonly path: string
  /** The tokens of each line, without comments. */
  readonly tokens: ReadonlyArray<string>
  readonly outline: SourceOutline | null
}

/**
 * Those of the names that cited lines do not stand for: nothing in the file has them; or something there is declared
 * under them, and these lines neither are in it nor speak of it. A file that bears a name itself has it, unless the name is called. Pure.
 */
export const lacking = (
  names: ReadonlyArray<Wanted>,
  { outline, path, tokens }: Named,
  range: LineRange
): ReadonlyArray<string> => {
  const isLacking = (wanted: Wanted): boolean =>
    lacks(wanted, wanted.name) && (wanted.longer === undefined || lacks(wanted, wanted.longer))
  const lacks = ({ isCalled }: Wanted, name: string): boolean => {
    const asked = plain(name)
    if (!isCalled && path.split("/").some((part) => plain(part.replace(/\.\w+$/, "")) === asked)) return false
    const isIn = (row: string): boolean => wordsIn(row).has(asked) || endsWith(name, row)
    const rows = plainRows(tokens).flatMap((text, row) =>
      text.includes(asked) && isIn(tokens[row] ?? "") ? [row] : []
    )
    if (rows.length === 0) return true
    if (rows.some((row) => isRowIn(range, row))) return false
    const declared = (outline?.declarations ?? []).filter((one) => one.name !== null && plain(one.name) === asked)
    return declared.length > 0 && !declared.some((one) => one.start.row < range.start && one.end.row >= range.end - 1)
  }
  return names.filter(isLacking).map(({ name }) => name)
}

/** How languages join words to a name means nothing: `parse_date`, `parseDate`. */
export const plain = (name: string): string => name.replace(/[^\p{L}\d]/gu, "").toLowerCase()

const plainOf = new WeakMap<ReadonlyArray<string>, ReadonlyArray<string>>()

/** A report may cite a large file for each of many items. */
const plainRows = (tokens: ReadonlyArray<string>): ReadonlyArray<string> => {
  const rows = plainOf.get(tokens) ?? tokens.map(plain)
  plainOf.set(tokens, rows)
  return rows
}

/** Whether a longer name ends with one of several words: `flow_log_skip_destroy` with `skip_destroy`. */
const endsWith = (name: string, row: string): boolean =>
  /[a-z\d]_[a-z\d]/.test(name) && (row.match(/\w+/g) ?? []).some((word) => word.endsWith(`_${name}`))

const wordsIn = (text: string): ReadonlySet<string> =>
  new Set([...(text.match(/[\w$]+/g) ?? []), ...(text.match(/[\w$]+(?:\s?-\s?[\w$]+)+/g) ?? [])].map(plain))

/** Those of the names under which as much is declared as before. Pure. */
export const remaining = (
  names: ReadonlyArray<string>,
  before: SourceOutline | null,
  now: SourceOutline | null
): ReadonlyArray<string> =>
  names.filter((name) => {
    const count = (outline: SourceOutline | null) =>
      (outline?.declarations ?? []).filter((one) => one.name === name).length
    return count(before) > 0 && count(now) >= count(before)
  })

/** Those of the names that every line of before with them still has as it was; `before`, `now`: tokens of each line. Pure. */
export const untouchedIn = (
  names: ReadonlyArray<string>,
  before: ReadonlyArray<string>,
  now: ReadonlyArray<string>
): ReadonlyArray<string> => {
  const there = new Set(now)
  return names.filter((name) => {
    const rows = before.filter((row) => row.includes(name) && timesIn(row, name) > 0)
    return rows.length > 0 && rows.every((row) => there.has(row))
  })
}
