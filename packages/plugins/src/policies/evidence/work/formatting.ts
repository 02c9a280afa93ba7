import type { LineRange } from "../../../port/index.ts"
import { withoutEnd } from "../../../text/lines.ts"
import { isOfProduct, isShownToPeople } from "../asked/commentItems.ts"
import { mentionedFiles } from "../asked/namedFiles.ts"
import { saidOf } from "../asked/said.ts"
import { isCutIn, isRowIn } from "../code/rowsIn.ts"
import { type LineChanges, lineChanges } from "./changes.ts"

/**
 * Whether an item asks to lay out files in another way, and for nothing else: `Format format.go with gofmt`, `Run prettier`.
 * What it names must be files, code or a formatter: `Format the price in cart.js` asks for code. Where it names files, the
 * path must be one of them. Pure.
 */
export const asksForFormatting = (item: string, path: string): boolean => {
  const text = saidOf(item)
    .replace(/[\s.,;:(-]*\b(?:no|without) functional changes?\)?(?=\.?$)/i, "")
    .replace(/[.。]$/, "")
    .replace(/[`'"]/g, "")
  return (forms.some((form) => form.test(text)) || isOfStyle(item, text)) && !isOfData(text) && isAboutFile(text, path)
}

/** What a program shows or is given has a layout too: `Fix the date formatting`, `Fix line breaks in e-mails`. */
const isOfData = (text: string): boolean => {
  const words = text.replace(/\S*[./_()]\S*/g, "NAME")
  return (
    !ofSource.test(words) && !ofTool.test(words) && (isOfProduct(words) || isShownToPeople(words) || ofData.test(words))
  )
}
const ofSource =
  /\b(?:ind?entation|indent(?:s|ed|ing)?|trailing|cod(?:e|ing)|files?|functions?|imports?|lint\w*|methods?|source|style ?guide)\b/i
const ofData =
  /\b(?:amounts?|addresses|cells?|currenc(?:y|ies)|dates?|inputs?|letters?|numbers?|paragraphs?|prices?|records?|rows|timestamps?|values?|widgets?)\b/i

/** By convention the layout of code and nothing else: `style: …`. In sheets of styles it may be anything. */
const isOfStyle = (item: string, text: string): boolean =>
  /^\s*style(?:\([^()\n]{1,60}\))?:\s/i.test(item) && !/^(?:add|create|implement|introduce|write)\b/i.test(text)

/** Whether a text names no file, or this one. */
export const isAboutFile = (text: string, path: string): boolean => {
  const files = mentionedFiles(text).map(({ name }) => name)
  const folders = [...text.matchAll(/(?<![\w./-])((?:[\w.-]+\/)+)(?![\w.*-])/g)].map(([, folder = ""]) => folder)
  if (files.length + folders.length === 0) return true
  return (
    files.some((name) => path === name || path.endsWith(`/${name}`)) ||
    folders.some((folder) => `/${path}`.includes(`/${folder}`))
  )
}

const tool = String.raw`(?:(?:the )?(?:code )?(?:formatter|linter)|gofmt|goimports|gofumpt|go fmt|prettier|black|ruff(?: format)?|isort|autopep8|yapf|rustfmt|cargo fmt|clang-format|eslint|biome(?: format| check)?|dprint|rubocop|standardrb?|rufo|php-cs-fixer|phpcbf|pint|ktlint|ktfmt|scalafmt|swiftformat|swift-format|google-java-format|spotless|dotnet format|csharpier|shfmt|stylua|mix format|deno fmt|zig fmt|dart format|ormolu|fourmolu|ocamlformat|cljfmt|erlfmt|styler|perltidy)(?: v?\d[\d.]*)?(?: --?[\w=-]+)*`
const ofTool = new RegExp(String.raw`\b${tool}\b`, "i")
const path = String.raw`[\w./*-]*(?:\.[a-zA-Z]{1,5}|\/)`
const paths = `(?:${path}(?:(?:,| and|, and) ${path})*)`
const code = String.raw`(?:(?:(?:the|all|every|each|our|whole|entire|changed|new) ){0,3}(?:(?:source|go|python|rust|java|javascript|typescript|ruby|php|kotlin|scala|swift|shell|c#|c\+\+|c) )?(?:code ?base|code|files?|sources?|project|repository|repo|package|module)(?: (?:in|under|of) ${paths})?)`
const object = `(?:(?:the (?:file|files|module|script) )?${paths}|${code}|everything)`
const layout = `(?:formatting|code style|coding style|spacing|newlines?|ind?entation|white-?space|trailing (?:white-?)?spaces?|trailing blanks|blank lines|line lengths?|line breaks|layout)`

const forms = [
  `^(?:re-?)?(?:format|lint|indent|prettif?y|beautify|tidy(?: up)?) ${object}(?: (?:with|using|by|through|via) ${tool})?$`,
  `^(?:(?:re-?)?format(?:ted|s|ting)?|fmt|lint(?:s|ed|ing)?|lint:fix)$`,
  `^(?:code )?(?:style|lint|formatting|indentation|white-?space) (?:fix(?:es)?|tweaks?|clean-?ups?)$`,
  `^(?:(?:minor|more|small|some) )+(?:code )?(?:formatting|indentation|white-?space)(?: (?:fix(?:es)?|tweaks?|clean-?ups?))?$`,
  `^(?:break|wrap|re-?wrap|re-?flow|shorten) (?:the |all |some |too )*long lines(?: (?:in|of|to) .{1,40})?$`,
  `^make ${tool} happy(?: again)?$`,
  `^(?:run|apply|use|execute) (?:the )?(?:latest |new(?:er|est)? )?${tool}(?: (?:on|over|to|in|for|across) ${object})?$`,
  `^${object} (?:is|are) (?:re-?)?(?:formatted|linted|indented)(?: (?:with|using|by|through|via) ${tool})?$`,
  `^(?:fix|correct|clean up|normali[sz]e|unify|adjust) (?:the )?${layout} (?:of|in|for|throughout) ${object}$`,
  `^(?:fix(?:e[sd])?|correct(?:s|ed)?|clean(?:s|ed)?[ -]?up|tidy(?:[ -]up)?|tidie[sd](?:[ -]up)?|normali[sz]e[sd]?|unif(?:y|ies|ied)|adjust(?:s|ed)?) (?:[\\w-]+ ){0,5}${layout}$`,
  `^(?:remove[sd]?|strip(?:s|ped)?|trim(?:s|med)?|delete[sd]?) (?:(?:the|all|an?|some|excess|extra|needless|odd|redundant|superfluous|unnecessary|wrong) ){1,3}(?:white-?spaces?|blanks|newlines?|line breaks?|indents?|indentation)(?: (?:from|in|of|at|after|before) .{1,40})?$`,
  `^(?:remove|strip|trim|delete) (?:the |all )?trailing (?:(?:white-?)?spaces?|blanks)(?: (?:from|in|of) ${object})?$`,
  `^(?:improve|fix|correct|clean up|normali[sz]e|unify|adjust) (?:the )?(?:code )?${layout}(?: formatting)?(?: (?:issues?|problems?|errors?))?(?: (?:of|in|for|throughout|introduced (?:in|by)) [\\w./-]+)?$`,
  `^(?:improve|fix|correct) (?:the )?(?:${path}|[\\w./-]+) (?:formatting|indentation|white-?space)$`,
  `^fix (?:the |all )?(?:${layout} )?(?:${tool}|lint|linter|format) (?:errors?|issues?|warnings?|problems?)(?: (?:of|in|for) (?:${object}|[\\w./-]+))?$`,
  `^(?:add|insert|put|remove|delete|collapse|squeeze|strip) (?:(?:an?|the|all|one|two|missing|extra|double|superfluous|redundant|multiple|leading|trailing|consecutive|single) ){0,3}(?:blank|empty) lines?(?: (?:above|after|around|at|before|behind|below|between|from|in|to) .*)?$`,
  `^use (?:\\d[- ]spaces?|tabs|spaces) (?:for )?(?:indents?|indentation|indenting)(?: (?:in|for) ${object})?$`,
  // words may stand in another order
  `^(?:sort|re-?order|(?:re)?arrange|alphabeti[sz]e|group|order) (?:the |all )?(?:[\\w-]+ )?(?:imports?|includes?|use statements|requires|functions|methods|constants|exports|members|declarations)(?: (?:of|in) \\S+){0,2}(?: (?:alphabetically|by name))?$`,
  `^move (?:the )?\\S+\\(\\)(?: function| method)? (?:above|below|before|after|in front of|behind|next to|beside) (?:the )?\\S+(?: (?:in|of) ${object})?$`,
  `^(?:(?:re)?arrange|group|move|re-?order|shuffle|sort)(?:e?[sd])? (?:(?:all|forward|function|some|static|the) )*(?:constants|declarations|definitions|exports|functions|imports|includes|methods|prototypes)(?: (?:around|up|down|together|(?:above|before|after|below|behind) \\S+|to the (?:top|bottom|beginning|start|end)(?: of ${object})?))?$`,
  `^(?:${tool}で)?(?:${path}|(?:すべての|全ての|全)?(?:コード|ソース(?:コード)?|ファイル))(?:全体)?を(?:${tool}で)?(?:再)?(?:整形|フォーマット|リント)(?:する|し直す|した)?$`,
  `^(?:(?:${path}|(?:すべての|全ての|全)?(?:コード|ソース(?:コード)?|ファイル))(?:全体)?に)?${tool}を(?:実行|適用|かけ|走らせ)(?:する|る|た)?$`
].map((form) => new RegExp(form, "i"))

/** How a file is laid out otherwise than before. */
export interface Layout {
  readonly changes: LineChanges
  readonly lines: ReadonlyArray<string>
}

/** Null: it says something else than before, so that it was not only laid out. Blank lines count. */
export const layoutOf = (before: ReadonlyArray<string>, now: ReadonlyArray<string>): Layout | null => {
  if (!isSameText(before, now)) return null
  return { changes: lineChanges(before.map(visible), now.map(visible)), lines: now }
}

/** Formatters move words, they neither write nor strike any; `gofmt` writes conditions of builds in two ways. */
const isSameText = (before: ReadonlyArray<string>, now: ReadonlyArray<string>): boolean => {
  const [old, young] = [wordsOf(before), wordsOf(now)]
  return old.length === young.length && old.every((word, i) => word === young[i])
}

const wordsOf = (lines: ReadonlyArray<string>): ReadonlyArray<string> =>
  lines
    .flatMap((line) => (/^\/\/(?:go:build| ?\+build)\b/.test(line) ? [] : (line.match(/[\p{L}\p{N}_]+/gu) ?? [])))
    .sort()

/** A blank line is a line too. */
const visible = (line: string): string => withoutEnd(line) || blank
const blank = "\u0000"

/** What was laid out in these lines, by name. Blanks at the end of a line are of no formatter. */
export const layoutIn = (
  { changes: { cuts, rows }, lines }: Layout,
  range: LineRange,
  sha256: (text: string) => string
): ReadonlyArray<string> => {
  const found = rows.filter((row) => isRowIn(range, row) && !/[ \t]\r?\n?$/.test(lines[row] ?? ""))
  const taken = cuts.filter((row) => isCutIn(range, row, lines.length))
  const name = (row: number): string => `${sha256(`${row} ${lines[row] ?? ""}`).slice(0, 8)}`
  return [...found.map((row) => `~${name(row)}`), ...taken.map((row) => `~-${name(row)}`)]
}
