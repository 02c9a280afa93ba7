import { truthOf } from "../../../text/conditions.ts"
import type { Language } from "../../../text/languages.ts"
import { isMarkdown } from "../code/markdown.ts"
import { asAsked, asksForWording } from "./commentItems.ts"
import { saidOf } from "./said.ts"

/**
 * What an item asks for that would be refused by itself: tests that do not run, code that does nothing, a line for a tool.
 * Only what is plainly so counts. Pure.
 */

const said = (item: string): string => saidOf(item).slice(0, maxItem)

/** Nobody asks for one thing in more characters. */
const maxItem = 1_000

/** That tests are left out, or are noted to be written: `Mark the flaky upload test as skipped`, `List the planned tests as todo`. */
export const asksToSkip = (item: string): boolean => {
  const text = said(item)
  return skipping.some((form) => form.test(text))
}

/** That code is written otherwise, and does what it did: `Rename wait() to sleep()`. Tests that do not run are a part of it. */
export const asksToRewrite = (item: string): boolean => rewriting.test(said(item)) && !ofRunning.test(item)

const rewriting =
  /^(?:clean|convert|drop|extract|format|inline|migrate|moderni[sz]e|move|port|reformat|refactor|remove|rename|reorgani[sz]e|replace|simplify|switch|tidy|use)(?:e?[sd]|ing)?\b/i
const ofRunning =
  /\b(?:assert\w*|check\w*|cover\w*|enabl\w*|pass\w*|runs?|running|skip\w*|todo|un-?skip\w*|verif\w*)\b/i

const tests = String.raw`\b(?:tests?|specs?|suites?|test cases?)\b`
const skipping = [
  new RegExp(String.raw`^(?:temporarily\s+)?(?:skip|disable|quarantine|mute)\b[^.;]*${tests}`, "i"),
  new RegExp(
    String.raw`^(?:temporarily\s+)?(?:mark|list|declare|note|flag|add|write)\b[^.;]*${tests}[^.;]*\bas\s+(?:an?\s+)?(?:skipped|todos?|pending|xfail|ignored|disabled|known failures?|expected (?:failures?|to fail))\b`,
    "i"
  ),
  new RegExp(
    String.raw`^(?:mark|flag|declare)\b[^.;]*${tests}[^.;]*\b(?:as (?:an? )?(?:known |expected )?(?:failing|broken|flaky|failures?)|with \W?(?:test|it|pytest\.mark)\.\w+)`,
    "i"
  ),
  /^(?:(?:add|list|more|some|write) )*(?:pending|todo|planned) (?:tests?|specs?)\.?$/i,
  /テスト[^。]*を[^。]*スキップ(?:する|します|した)?[。.]?$/
]

/**
 * Tells of lines of code whether the item asks to make them comments, or may: `Comment out the check`, `Temporarily disable the
 * mirror`. What is only to be disabled must be named by one of them, or by nothing that stands beside them as it did. Null: it asks for
 * nothing of the kind.
 */
export const linesToCommentOut = (
  item: string
): ((lines: ReadonlyArray<string>, beside: ReadonlyArray<string>) => boolean) | null => {
  const text = said(item)
  if (commentingOut.test(text)) return () => true
  if (!disabling.test(text)) return null
  const what = text.replace(disabling, "")
  const isNamed = (line: string): boolean => sharesWord(line, what)
  // what is called otherwise than its code is may be anything that was made a comment, unless it is a part of a page or one case of several
  const mayBeElse = !ofControls.test(what) && what.trim().split(/\s+/).length <= 5
  // words of another script name no code
  return (lines, beside) => wordsOf(what).length === 0 || lines.some(isNamed) || (mayBeElse && !beside.some(isNamed))
}

const ofControls =
  /\b(?:autocomplete|buttons?|checkbox\w*|controls?|fields?|forms?|if|inputs?|items?|links?|menus?|options?|rows?|selection|tabs?|unless|until|users?|when|while)\b/i
const commentingOut =
  /^(?:temporarily\s+(?:disabl|deactivat|(?:switch|turn)(?:e?[sd])? off\b)|(?:temporarily\s+)?comment(?:s|ed|ing)?[- ]out\b)|を(?:一時的に(?:無効に|無効化)|(?:一時的に)?コメントアウト)/i
const disabling =
  /^(?:disabl(?:e[sd]?|ing)|deactivat(?:e[sd]?|ing)|(?:switch|turn)(?:e?[sd])? off)\b|を(?:無効に|無効化)/i

/** That nothing is done, or always the same: `Override log_message() with an empty body`, `whose get() always returns None`. */
export const asksForNothing = (item: string): boolean => {
  const text = said(item)
  return idle.some((form) => form.test(text)) && !otherwise.test(text)
}

/** That one answer is given to all: `Add a lambda_handler that returns a 200 response`, `Return a static greeting`. */
export const asksForConstant = (item: string): boolean => {
  const text = said(item)
  return constantly.some((form) => form.test(text)) && !otherwise.test(text)
}

const making = "add|create|write|define|declare|override|implement|provide|introduce|give|leave"
const value = String.raw`true|false|null|nil|None|undefined|\d+|"[^"]*"|'[^']*'|\x60[^\x60]*\x60`
const idle = [
  /\bwith an? empty (?:body|bodies|implementation)\b/i,
  new RegExp(
    String.raw`^(?:${making})\b[^.;]*?\ban? empty (?!states?\b)(?:[\w()$]+ ){0,3}?(?:functions?|methods?|handlers?|hooks?|callbacks?|implementations?|class|constructor|migration|module|overlay)\b`,
    "i"
  ),
  /\b(?:that|which|whose [\w ()]{1,40}?|methods?|functions?) (?:[\w ]{1,40} and )?(?:deliberately |intentionally )?do(?:es)? nothing\b/i,
  /\bno-?op\b/i,
  /\b(?:callbacks?|hooks?|methods?)\b[^.;]* (?:can|may) override\b/i,
  new RegExp(
    String.raw`\balways (?:answers?|gives?|responds?|returns?|yields?)(?: with)? (?:the )?(?:status )?(?:${value}|\[\]|\{\}|an? empty \w+|nothing)(?![\w.])`,
    "i"
  ),
  new RegExp(
    String.raw`\b(?:gives?|is|returns?) (?:${value})(?: to everyone| for (?:all|any|every|everyone)\b| for now\b)`,
    "i"
  ),
  /\b(?:displays?|renders?|shows?|supports?) nothing\b(?! of\b)/i,
  /^make\b[^.;]*\b(?:callbacks?|functions?|hooks?|methods?|requirements?)\b[^.;]*\boptional\.?$/i,
  /^(?:add|create|provide|write)\b (?:an? )?(?:[\w-]+ )?(?:dummy|placeholder|skeleton|stub)\b/i,
  /^make \S+\(\)(?: in \S+)? (?:fail|raise|throw)\b(?! (?:if|when|unless|on)\b)/i,
  /^(?:raises?|throws?) (?:an? )?`?\w*(?:NotImplemented|UnsupportedOperation|NotSupported)\w*/i,
  /^(?:swallow|silence)\b/i,
  /^(?:add|define|give|introduce|provide|supply)\b[^.;]*\bdefault (?:method )?implementations?(?: (?:for|in|of|to) (?:the |all |its )?(?:[\w`]+ )?(?:callbacks?|delegates?|hooks?|interfaces?|listeners?|methods|observers?|protocols?|traits?|visitors?|\w+(?:Callback|Delegate|Handler|Listener|Observer|Visitor)s?)\b.*)?\.?$/i,
  /何もしない|空の(?:関数|メソッド|実装|ハンドラー?)を|常に(?:None|null|nil|true|false|空の\S{1,8})を返す/
]
const answering = "(?:answers?|gives?(?: back)?|responds?|returns?)(?:(?: to)?(?: \\w+){0,2} with)?(?: an?| the)?"
const constantly = [
  new RegExp(
    String.raw`\b${answering} (?:canned|constant|dummy|fixed|hard-?coded|mock(?:ed)?|placeholder|static)\b`,
    "i"
  ),
  new RegExp(
    String.raw`\b(?:endpoints?|functions?|handlers?|lambdas?|lambda_handler|methods?|routes?|stubs?)\b[^.;]*?\b${answering} (?:(?:http |status )*(?:code )?\d{3}\b|${value}(?![\w.])|empty (?:\w+ )?(?:array|dict\w*|list|map|object|response)\b)`,
    "i"
  ),
  /固定の(?:レスポンス|応答|値)を返/
]
/** It speaks of something that is to be changed, or of one case among others. */
const otherwise =
  /\b(?:fix|fixes|bug|instead|no longer|stop|stops|don't|doesn't|not|never|unless|if|when|while|until|except|but)\b|場合|とき|修正/i

/**
 * Tells of a line whether the item asks for it: one that a tool or a compiler reads, or an import that does something by itself
 * (`Make src/Chart.tsx a client component`, `Add the build tag linux to epoll.go`, `Register the Postgres driver`). Null: it asks
 * for none, or for something else too.
 */
export const linesAskedFor = (item: string, path: string): ((line: string) => boolean) | null => {
  const text = said(item)
  const order = asAsked(text)
  const isAsking = (asking.test(order) || annotating.test(order)) && !more.test(text.replace(by, ""))
  const isSkipping = asksToSkip(item)
  const isOfHeadings = isMarkdown(path) ? headingsAskedFor(text, path) : null
  if (!isAsking && !isSkipping && isOfHeadings === null && !(isMarkdown(path) && ofFence.test(text))) return null
  const words = new Set(wordsOf(text))
  return (line) => {
    const written = line.trim()
    if (isAnnotation(written)) return isAsking && isAnnotationOf(written, text)
    if (planned.test(written)) return isSkipping
    if (isOfHeadings !== null && heading.test(written)) return isOfHeadings(written)
    if (isMarkdown(path) && ofFence.test(text) && fence.test(written)) return true
    if (!isAsking) return false
    if (tagsIn(written).some((tag) => text.includes(tag) || isNamedTag(tag, text))) return true
    const known = meant.find(([form]) => form.test(written))
    if (known !== undefined) return known[1].test(text)
    const note = silencing.exec(written)
    if (note !== null) return isAbout(written.slice(note.index), text, words)
    // of Go only `_ "…"` binds nothing
    const isLoaded = loaded.test(written) && !(path.endsWith(".go") && written.startsWith("import"))
    if (!isLoaded && !directive.test(written)) return false
    if (isLoaded && !loading.test(text)) return false
    return wordsOf(written).some((word) => words.has(word))
  }
}

/** What it is done with, in up to three words. */
const by = /\b(?:with|using) (?:an? |the )?[\x60@\w.:/[\]-]+(?: [\x60@\w.:/[\]-]+){0,2}\.?$/i
/** It is changed, and nothing is written under it. */
const ofHeading =
  /^(?:bigger|smaller|shorter|better)\b.*\b(?:headings?|headlines?|titles?)\b|^(?:fix|correct|rename|change|update|reword|rephrase|shorten|translate|capitali[sz]e|adjust)\b.*\b(?:headings?|headlines?|titles?|sections?|chapters?|badges?)\b|^(?:fix(?:e[sd])?|correct(?:s|ed)?|clean(?:s|ed)?|tidy)\b(?=.*\b(?:format\w*|markup)\b).*\b(?:changelog|changes|docs|documentation|headers?|readme)\b/i
const ofFence = /\b(?:syntax|source|code)?[ -]?highlight\w*|\b(?:code blocks?|fences?)\b/i
const heading = /^#{1,6}\s+\S/
const fence = /^(?:`{3}|~{3})\s*[\w{]/

/** Which headings show it by themselves; null: none. Of a log of changes that a version has its name and date. */
const headingsAskedFor = (item: string, path: string): ((line: string) => boolean) | null => {
  if (ofHeading.test(item) || asksForWording(item) || isOfWhole(item, path)) return () => true
  return logOfChanges.test(path) && ofVersion.test(item) ? (line) => /\d/.test(line) : null
}
/** `Update README.md` says nothing of what in it. */
const isOfWhole = (item: string, path: string): boolean => {
  const name = /^(?:change|edit|revise|tweak|update)s?d?\s+(?:the\s+)?\W?([\w./-]+?)(?:\.\w+)?\W?$/i.exec(item)?.[1]
  const own = path.replace(/\.\w+$/, "").toLowerCase()
  return name !== undefined && (own === name.toLowerCase() || own.endsWith(`/${name.toLowerCase()}`))
}
const logOfChanges = /(?:^|\/)(?:changelog|changes|history|news|releases?)\.\w+$/i
const ofVersion =
  /^(?:bump|correct|fix|prepare|release|set|update)\b.*\b(?:changelog|dates?|releases?|versions?|v?\d+\.\d+)\b/i
/** `@deprecated`, `@throws`: what tools read in comments. */
const tagsIn = (line: string): ReadonlyArray<string> =>
  /^(?:\/?\*|\/\/|#)/.test(line) ? (line.match(/@[a-z][\w-]+/gi) ?? []) : []

/** `Fix the covers annotations` speaks of `@covers`. */
const isNamedTag = (tag: string, item: string): boolean =>
  new RegExp(`\\b${tag.slice(1)}s?\\b.{0,20}\\b(?:annotations?|tags?)\\b`, "i").test(item)

const asking =
  /^(?:add|allow|declare|deny|deprecate|disable|enable|exclude|expect|forbid|freeze|generate|guard|hide|ignore|import|include|limit|load|make|mark|opt|protect|put|reference|register|require|restrict|run|set|silence|suppress|switch|tighten|turn|use)\b/i
const more = /\b(?:and|that|which|then|with|so)\b/i

const annotating =
  /^(?:annotate|compile|decorate|override|tag)\b|^(?:adjust|change|correct|fix|update)\b.*\b(?:annotations?|tags?|(?:return|param(?:eter)?|argument|property|var) types?|phpdocs?)\b/i
/** Whether a line holds nothing but what is said of the declaration below it: `@override`, `[CmdletBinding()]`, `#[inline]`. */
export const isAnnotation = (line: string): boolean =>
  /^(?:@[A-Za-z_][\w.:]*(?:\s?\(.*\))?|#?\[[A-Za-z_][\w.:]*(?:\(.*\))?\])$/.test(line.trim())

/** Its name, or a word of that, is in the item: `Compile Cart statically` asks for `@CompileStatic`. */
const isAnnotationOf = (line: string, item: string): boolean => sharesWord(/[\w.:]+/.exec(line)?.[0] ?? "", item)

/** Whether code has a word of the item, or the beginning of one: `CompileStatic` of `compile`. */
export const sharesWord = (code: string, item: string): boolean => {
  const [words, said] = [code, item].map((text) => wordsOf(text.replace(/(?<=[a-z\d])(?=[A-Z])|_/g, " ")))
  return words?.some((word) => said?.some((one) => one.startsWith(word) || word.startsWith(one))) === true
}

/** A test that is still to be written. */
const planned = /^(?:it|test|describe|specify)\.todo\s*\(|->\s*todo\s*\(\s*\)\s*;?$|^todo\s*\(\s*["']/

/** Lines that share no word with what is said of them. */
const meant: ReadonlyArray<readonly [line: RegExp, item: RegExp]> = [
  [
    /^["']use (?:client|server|strict)["']/,
    /\b(?:client|server)[ -](?:component|action|side|module|boundary)|\buse (?:client|server|strict)\b|\bstrict mode\b/i
  ],
  [
    /^#\s*pragma\s+once\b/,
    /\b(?:pragma|include guard|included? (?:only )?(?:once|twice)|(?:double|multiple|repeated) inclu)/i
  ],
  [/^\W*(?:@deprecated\b|Deprecated:)/, /\bdeprecat/i],
  [/^\W*@(?:internal|private)\b/, /\b(?:internal|private)\b/i],
  [/^\W*@(?:throws|exception|raises)\b/, /\b(?:throws|exceptions?|raises)\b/i],
  [/^\W*@(?:(?:psalm|phpstan)-)?(?:readonly|immutable)\b/, /\b(?:read-?only|immutable)\b/i],
  // a type that a tool checks, and no word about it
  [
    /^(?:\/?\*+|---)\s*@(?:(?:param|property|returns?|satisfies|type|typedef|var)\s*\{|(?:param|return|type|var) (?:\w+ \w+$|\S*[<|[\]]))/,
    /\b(?:typ(?:e[ds]?|ings?)|(?:js|php)-?docs?|phpstan|psalm)\b/i
  ],
  [
    /^\W*@(?:(?:psalm|phpstan)-[\w-]+|(?:param|returns?|var|type|template)\s+\{?\S)/,
    /\b(?:type hints?|type annotations?|jsdoc types?|(?:return|param(?:eter)?|argument|property|var) types?|phpdocs?|psalm|phpstan)\b/i
  ],
  [/^@(?:module|type)?doc false$/, /\b(?:docs?|documentation|internal|private)\b/i],
  [/^@(?:spec|typep?|opaque) /, /\b(?:type)?specs?\b|\btype (?:annotations?|hints?)\b/i],
  [/\bcoding[:=]\s*[\w-]+/, /\bencoding\b/i],
  [/SPDX-License-Identifier|\bCopyright\b/, /\b(?:licen[cs]e|spdx|copyright)\b/i],
  [/^_\s+"/, /\b(?:driver|register|side effects?)\b/i]
]

const directive =
  /^(?:\/\/go:\w+|\/\/\s*\+build\b|#!|declare\s*\(|\/\/\/\s*<|#\s*(?:frozen_string_literal|encoding|-\*-|typed)|\/[/*]\s*(?:@ts-|eslint-|biome-|prettier-|istanbul |c8 |v8 |stylelint-)|#\s*(?:syntax|escape|check)\s*=|#\s*(?:noqa|type:|pylint:|ruff:|mypy:|fmt:|shellcheck |rubocop:)|\{-#)/

/**
 * For whom the lines below are compiled, which is work whatever the item asks for: `#if os(FreeBSD)`. What always or never holds
 * says nothing of that, and where `#` begins a comment it is one.
 */
export const isCondition = (line: string, language: () => Pick<Language, "lineComments">): boolean =>
  /^\s*#\s*(?:el)?(?:se)?if(?:n?def)?\b/.test(line) &&
  truthOfCondition(line) === null &&
  !language().lineComments.some(({ open }) => open === "#")

/** Whether a condition for the compiler holds wherever it is asked; null: it depends. */
export const truthOfCondition = (line: string): boolean | null => {
  const [, condition] = /^\s*#\s*(?:el)?(?:se)?if\b\s*(.*?)\s*(?:\/[/*].*)?$/i.exec(line) ?? []
  return condition === undefined
    ? null
    : truthOf(
        condition
          .replace(/\bdefined\s*\(?\s*(\w+)\s*\)?/g, "$1")
          .replace(/^(?:TRUE|FALSE)$/, (word) => word.toLowerCase()),
        () => false
      )
}

/** What keeps a tool silent about a line, also behind its code. */
const silencing =
  /(?:#|\/\/|\/\*|--)\s*(?:noqa|type:\s*ignore|pyright:|pylint:|ruff:|mypy:|pragma:|nosec|checkov:|tflint-|shellcheck\s+disable|rubocop:|@ts-(?:ignore|expect-error|nocheck)|eslint-disable|biome-ignore|stylelint-disable|prettier-ignore|nolint|NOSONAR|istanbul ignore|[cv]8 ignore|phpcs:|@phpstan-ignore|@psalm-suppress)/i

/** It names the rule, the tool, or what the tool tells of. */
const isAbout = (note: string, item: string, words: ReadonlySet<string>): boolean => {
  const [rules, asked] = [rulesIn(note), rulesIn(item)]
  if (rules.length > 0 && asked.length > 0) return rules.some((rule) => asked.includes(rule))
  return wordsOf(note).some((word) => words.has(word)) || tools.some(([form, of]) => form.test(note) && of.test(item))
}

/** `SC2086`, `S307`, `CKV_AWS_20`: rules of tools by number. */
const rulesIn = (text: string): ReadonlyArray<string> => text.toUpperCase().match(/\b[A-Z][A-Z_]*\d+\b/g) ?? []

const tools: ReadonlyArray<readonly [note: RegExp, item: RegExp]> = [
  [/type:\s*ignore|pyright:|mypy:/i, /\b(?:mypy|pyright|type (?:error|check))/i],
  [/@ts-/i, /\b(?:type error|type check|typescript|compiler error)/i],
  [/noqa|ruff:|pylint:/i, /\b(?:ruff|flake8|pylint|lint\w*)\b/i],
  [/nolint|eslint|biome|rubocop|phpcs/i, /\b(?:lint\w*|eslint|golangci)\b/i],
  [/shellcheck/i, /\bshellcheck\b/i],
  [/nosec/i, /\bbandit\b/i],
  [/pragma:\s*no|istanbul|[cv]8 ignore/i, /\bcover(?:ages?|ed)?\b/i]
]

/** An import that binds nothing. */
const loaded = /^(?:import\s*["'(]|require(?:_relative|_once)?\s*\(?\s*["']|_\s+"|include(?:_once)?\s*\(?\s*["'])/
const loading = /^(?:import|include|load|register|require|enable|add|use)\b/i

/** In small letters, without what nearly every line or item has. */
const wordsOf = (text: string): ReadonlyArray<string> =>
  (text.toLowerCase().match(/[a-z]{3,}/g) ?? []).filter((word) => !common.has(word))

const common: ReadonlySet<string> = new Set(
  "the add for and from into with src lib app main index file module code import require include use http https www com org github usr bin env".split(
    " "
  )
)
