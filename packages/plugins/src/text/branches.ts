import { truthOf } from "./conditions.ts"
import type { Part } from "./parts.ts"

/** How a template writes a branch. Each begins where it is found; the first group of `open` and `other` is the condition. */
export interface BranchForm {
  readonly open: RegExp
  readonly other: RegExp
  readonly close: RegExp
  /** What `close` ends too. */
  readonly nested?: RegExp
  /** What is false there in its own words. */
  readonly isFalse?: RegExp
}

/** A mark between signs of its own: `{% if … %}`, `<% end %>`. */
const between = (open: string, close: string, words: string): RegExp =>
  new RegExp(`${open}\\s{0,9}(?:${words})\\s{0,9}${close}`)

/** `{{- if … }}` of Go, in charts and pages; a function stands before what it is given. */
export const goBranches: BranchForm = {
  open: between("\\{\\{-?", "-?\\}\\}", "if\\s{1,9}([^{}]{0,200}?)"),
  other: between("\\{\\{-?", "-?\\}\\}", "else(?:\\s{1,9}if\\s{1,9}([^{}]{0,200}?))?"),
  close: between("\\{\\{-?", "-?\\}\\}", "end"),
  nested: between("\\{\\{-?", "-?\\}\\}", "(?:block|define|range|with)\\b[^{}]{0,200}?"),
  isFalse: /^(?:false|0|""|nil|and\s+false\b.*)$/
}

/** Jinja, Twig, Liquid, Django. */
export const percentBranches: BranchForm = {
  open: between("\\{%[-+~]?", "[-+~]?%\\}", "if\\s{1,9}([^{}%]{0,200}?)"),
  other: between("\\{%[-+~]?", "[-+~]?%\\}", "el(?:se|if|sif|seif)(?:\\s{1,9}([^{}%]{0,200}?))?"),
  close: between("\\{%[-+~]?", "[-+~]?%\\}", "endif")
}

export const handlebarsBranches: BranchForm = {
  open: between("\\{\\{~?", "~?\\}\\}", "#if\\s{1,9}([^{}]{0,200}?)"),
  other: between("\\{\\{~?", "~?\\}\\}", "else(?:\\s{1,9}if\\s{1,9}([^{}]{0,200}?))?"),
  close: between("\\{\\{~?", "~?\\}\\}", "/if")
}

export const svelteBranches: BranchForm = {
  open: between("\\{", "\\}", "#if\\s{1,9}([^{}]{0,200}?)"),
  other: between("\\{", "\\}", ":else(?:\\s{1,9}if\\s{1,9}([^{}]{0,200}?))?"),
  close: between("\\{", "\\}", "/if")
}

/** Of Ruby and Elixir. */
export const rubyBranches: BranchForm = {
  open: between("<%=?-?", "-?%>", "if\\s{1,9}([^%]{0,200}?)(?:\\s{1,9}(?:then|do))?"),
  other: between("<%-?", "-?%>", "els(?:e|if)(?:\\s{1,9}([^%]{0,200}?))?"),
  close: between("<%-?", "-?%>", "end"),
  nested: between(
    "<%=?-?",
    "-?%>",
    "(?:(?:unless|case|for|while|until|begin)\\b[^%]{0,200}?|[^%]{0,200}?\\bdo(?:\\s*\\|[^|%]{0,200}\\|)?|[^%]{0,200}?->)"
  )
}

/** Of JavaScript. */
export const scriptletBranches: BranchForm = {
  open: between("<%[-_]?", "[-_]?%>", "if\\s*\\(([^%]{0,200}?)\\)\\s*\\{"),
  other: between("<%[-_]?", "[-_]?%>", "\\}\\s*else(?:\\s{1,9}if\\s*\\(([^%]{0,200}?)\\))?\\s*\\{"),
  close: between("<%[-_]?", "[-_]?%>", "\\}\\)?;?"),
  nested: between("<%[-_]?", "[-_]?%>", "[^%]{0,200}?\\{")
}

export const bladeBranches: BranchForm = {
  open: /@if\s{0,9}\(([^()]{0,200})\)/,
  other: /@else(?:if\s{0,9}\(([^()]{0,200})\))?/,
  close: /@endif\b/
}

export const cmakeBranches: BranchForm = {
  open: /(?<![\w$])if\s*\(([^()]*)\)/i,
  other: /(?<!\w)else(?:if)?\s*\(([^()]*)\)/i,
  close: /(?<!\w)endif\s*\([^()]*\)/i,
  isFalse: /^(?:0|off|no|false|n|ignore|notfound)$/i
}

/** By which frameworks leave elements out: `v-if="false"`. */
const attribute =
  /\s(?:v-if|v-show|x-if|x-show|\*ngIf|\[ngIf\]|ng-if|ng-show)\s{0,9}=\s{0,9}(?:"([^"\n]{0,200})"|'([^'\n]{0,200})')/gi
const hasNoEnd = /^(?:area|base|br|col|embed|hr|img|input|link|meta|source|track|wbr)$/i

const isFalse = (condition: string, form?: RegExp): boolean => {
  const text = condition.trim()
  return form?.test(text) === true || truthOf(text, () => false) === false
}

/**
 * What a template never shows, in order: branches under a condition that is written out, elements that are left out in the
 * same way, and `{false && …}`. `text`: without comments.
 */
export const neverShown = (
  text: string,
  forms: ReadonlyArray<BranchForm>
): ReadonlyArray<Pick<Part, "from" | "to">> => {
  if (!mayBeOff.test(text)) return []
  return [...forms.flatMap((form) => offBranches(text, form)), ...offElements(text), ...offExpressions(text)].sort(
    (a, b) => a.from - b.from || b.to - a.to
  )
}

/** Hardly any text has one. */
const mayBeOff = /\b(?:if|ngIf|show)\b|&&/i

const offBranches = (text: string, { close, isFalse: form, nested, open, other }: BranchForm) => {
  const kinds = { open, other, close, ...(nested === undefined ? {} : { nested }) }
  const marks = Object.entries(kinds)
    .flatMap(([kind, pattern]) =>
      [...text.matchAll(new RegExp(pattern.source, `g${pattern.flags}`))].map((found) => ({
        kind,
        at: found.index,
        end: found.index + found[0].length,
        condition: found[1]
      }))
    )
    .sort((a, b) => a.at - b.at)
  const off: Array<Pick<Part, "from" | "to">> = []
  /** Where the branch begins that is looked into, and whether it runs; null: that depends. */
  const around: Array<{ from: number; runs: boolean | null; before: boolean | null }> = []
  let last = 0
  for (const { at, condition, end, kind } of marks) {
    // `<% } else { %>` is no other one besides
    if (at < last) continue
    last = end
    const top = around.at(-1)
    if (kind === "open" || kind === "nested") {
      const runs =
        kind === "open" ? (isFalse(condition ?? "", form) ? false : truthOf(condition ?? "", () => false)) : null
      around.push({ from: at, runs, before: runs })
      continue
    }
    if (top === undefined) continue
    if (top.runs === false) off.push({ from: top.from, to: kind === "close" ? end : at })
    if (kind === "close") around.pop()
    else {
      // behind one that always runs none does
      top.runs = top.before === true || (condition !== undefined && isFalse(condition, form)) ? false : null
      top.from = at
    }
  }
  return off
}

/** What is searched for ends: a text can be made so that every character begins something. */
interface Search {
  /** Characters that may still be looked at. */
  left: number
}

const offElements = (text: string) => {
  const search: Search = { left: 2_000_000 }
  let done = 0
  return [...text.matchAll(attribute)].flatMap(({ 0: { length }, 1: double, 2: single, index }) => {
    if (index < done || search.left <= 0 || !isFalse(double ?? single ?? "")) return []
    const from = text.slice(Math.max(done, index - maxTag), index).lastIndexOf("<") + Math.max(done, index - maxTag)
    const [, name = ""] = /^<([A-Za-z][\w.:-]*)/.exec(text.slice(from, from + 80)) ?? []
    if (name === "") return []
    const head = endOfTag(text, index + length, search)
    const isWhole = text.charAt(head - 2) === "/" || hasNoEnd.test(name)
    done = isWhole ? head : endOfElement(text, name, head, search)
    return [{ from, to: done }]
  })
}

/** Nobody writes a longer one. */
const maxTag = 4_000

/** Behind the `>` that no attribute holds. */
const endOfTag = (text: string, from: number, search: Search): number => {
  let quote = ""
  const last = Math.min(text.length, from + maxTag)
  for (let at = from; at < last; at++) {
    const char = text.charAt(at)
    search.left--
    if (quote !== "") quote = char === quote ? "" : quote
    else if (char === '"' || char === "'") quote = char
    else if (char === ">") return at + 1
  }
  return last
}

/** Of one that nobody closes its tag alone. */
const endOfElement = (text: string, name: string, from: number, search: Search): number => {
  const tag = new RegExp(`<(/?)${name.replaceAll(".", "\\.")}(?![\\w.:-])`, "g")
  tag.lastIndex = from
  let depth = 1
  for (let found = tag.exec(text); found !== null && search.left > 0; found = tag.exec(text)) {
    const end = endOfTag(text, tag.lastIndex, search)
    if (found[1] === "/") depth--
    else if (text.charAt(end - 2) !== "/") depth++
    if (depth === 0) return end
    tag.lastIndex = end
  }
  search.left -= text.length
  return from
}

const offExpressions = (text: string) => {
  let done = 0
  return [...text.matchAll(/\{\s{0,9}(?:false|null|undefined|0)\s{0,9}&&/g)].flatMap(({ index }) => {
    if (index < done) return []
    let depth = 0
    for (let at = index; at < text.length; at++) {
      const char = text.charAt(at)
      depth += char === "{" ? 1 : char === "}" ? -1 : 0
      if (depth > 0) continue
      done = at + 1
      return [{ from: index, to: done }]
    }
    done = text.length
    return []
  })
}
