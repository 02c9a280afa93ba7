import { isDemand, type Role, roleOf } from "./labels.ts"
import type { Entry } from "./markdown.ts"
import { asks, isLimit } from "./read.ts"
import type { Request, Sentence } from "./requests.ts"
import { phrase } from "./text.ts"

/**
 * What the points of a list are: parts; limits for all; more about what was asked for before; background. `unsure`: some
 * of them seem to be requests, and the words do not say whether all are.
 */
export type ListKind = "work" | "limit" | "details" | "context" | "unsure"

interface Surroundings {
  /** The sentence before the list; null: there is none. */
  readonly lead: Sentence | null
  /** The label or the heading above it. */
  readonly label: string
  readonly role: Role
  /** A whole of parts is to be made. */
  readonly whole: boolean
}

/** A point is a request by itself, or by the points below it. */
const isAsked = ({ below, text }: Entry): boolean =>
  asks(text) || (below.length > 1 && below.every(asks) && !/[.。]$/u.test(text))

/** Decides by the words above a list, then by the words in it. */
export const kindOfList = (entries: ReadonlyArray<Entry>, { label, lead, role, whole }: Surroundings): ListKind => {
  const asked = entries.filter(isAsked).length
  const all = asked === entries.length
  const found = lead === null ? role : (role ?? endRole(lead.text))
  if (found === "info" || lead?.kind === "question") return "context"
  if (found === "limit") return all && asked > 1 && isDemand(label) ? "work" : "limit"
  if (entries.length > 0 && entries.filter(({ text }) => isLimit(text)).length * 2 > entries.length) return "limit"
  if (found === "work") return "work"
  const request = lead?.requests.at(-1)
  if (lead !== null && request !== undefined) return ledBy(lead, request, entries, all, whole)
  if (all) return "work"
  return asked * 2 > entries.length ? "unsure" : "context"
}

/** The role of the last words before a colon: `with these constraints:`. */
const endRole = (lead: string): Role => {
  const end = /([\p{L} -]{1,60})[:：]$/u.exec(lead.trim())?.[1]?.trim() ?? ""
  return roleOf(end) ?? (/\b(?:avoid|don't|do not)\b.*(?:following|these):$/iu.test(lead) ? "limit" : null)
}

const several =
  /\b(?:following|these|those|below)\b|\b(?:things|tasks|changes|steps|fixes|functions|features|components|endpoints|pages|screens|modules|files|commands|classes|methods|tests|scripts|routes|services|tables|forms)\b[^:]*:?$|以下|次の|下記|[0-9０-９]つ|以上|上記|これら|それら/iu
const properties =
  /\b(?:fields?|columns?|propert(?:y|ies)|attributes?|param(?:eter)?s?|arguments?|options?|props|keys|values|flags|criteria|requirements|rules|conditions)\b|フィールド|カラム|項目|属性|引数|パラメータ|オプション|条件|要件/iu

/** Below a request: its points are what is asked for, or say more about it. */
const ledBy = (
  lead: Sentence,
  { object, verb }: Request,
  entries: ReadonlyArray<Entry>,
  all: boolean,
  whole: boolean
): ListKind => {
  const isOpen =
    object.text === "" || /[:：]\s*$/u.test(lead.text) || /(?:following|these|以下|次の|下記)/iu.test(object.masked)
  const shown = phrase(object.text).masked
  if (isOpen && properties.test(shown)) return "details"
  // `Add:`, `Do the following:`
  if (
    isOpen &&
    (/^(?:this|it)?[:：]?$/iu.test(shown) || several.test(shown)) &&
    !/\b(?:an?|that|which|with) /iu.test(shown.split(/\b(?:following|these)\b/iu)[0] ?? "")
  )
    return "work"
  const behaves = entries.some(({ text }) => /^(?:[a-z]+s|should|must|can|users?|it|when|if)\s/u.test(text))
  if ((lead.whole || whole) && !behaves) return "work"
  return all && entries.every(({ number }) => number !== null) && verb !== "fix" && !isOpen ? "work" : "details"
}

const referring =
  /^(?:these|those|them|both|all|everything|all (?:of )?(?:these|them|the above)|the above)(?![\w-])|^(?:これら|それら|上記|以上|すべて|全て)/iu

/** A request after a list that is about all its points: `Please fix both.`, `を実装する。` */
export const isAboutList = ({ object, own }: Request): boolean => referring.test(object.text) || own.startsWith("を")
