import { isDemand, roleOf } from "./labels.ts"
import type { Entry } from "./markdown.ts"
import { asks, isLimit } from "./read.ts"
import type { Request, Sentence } from "./requests.ts"
import { phrase } from "./text.ts"

/**
 * What the points of a list are: parts; limits for all; more about what was asked for before; background. `unsure`: some
 * of them seem to be requests, and the words do not say whether all are.
 */
export type ListKind = "work" | "limit" | "details" | "context" | "unsure"

/** A point is a request by itself, or by the points below it. */
const isAsked = ({ below, text }: Entry): boolean =>
  asks(text) || (below.length > 1 && below.every(asks) && !/[.。]$/u.test(text))

/** Decides by the words above a list, then by the words in it. */
export const kindOfList = (entries: ReadonlyArray<Entry>, label: string, lead: Sentence | null): ListKind => {
  const role = roleOf(label)
  const asked = entries.filter(isAsked).length
  const all = asked === entries.length
  if (role === "info" || lead?.kind === "question") return "context"
  if (role === "limit" || (lead?.kind === "limit" && /[:：]$/u.test(lead.text)))
    return all && asked > 1 && isDemand(label) ? "work" : "limit"
  if (entries.length > 0 && entries.filter(({ text }) => isLimit(text)).length * 2 > entries.length) return "limit"
  if (role === "work") return "work"
  const request = lead?.requests.at(-1)
  if (lead !== null && request !== undefined) return isWorkOf(lead, request, entries, all) ? "work" : "details"
  if (all) return "work"
  return asked * 2 > entries.length ? "unsure" : "context"
}

const several =
  /\b(?:following|these|those|below)\b|\b(?:things|tasks|changes|steps|fixes|functions|features|components|endpoints|pages|screens|modules|files|commands|classes|methods|tests|scripts|routes|services|tables|forms)\b[^:]*:?$|以下|次の|下記|[0-9０-９]つ|以上|上記|これら|それら/iu
const properties =
  /\b(?:fields?|columns?|propert(?:y|ies)|attributes?|param(?:eter)?s?|arguments?|options?|props|keys|values|flags|criteria|constraints|requirements|rules|conditions|notes)\b|フィールド|カラム|項目|属性|引数|パラメータ|オプション|条件|要件/iu

/** Whether the points below a request are what is asked for; else they say more about it. */
const isWorkOf = (lead: Sentence, { object, verb }: Request, entries: ReadonlyArray<Entry>, all: boolean): boolean => {
  const { masked } = phrase(object.text)
  const isOpen = masked === "" || /[:：]\s*$/u.test(lead.text) || /(?:following|these|以下|次の|下記)/iu.test(masked)
  if (isOpen && properties.test(masked)) return false
  // `Add:`, `Do the following:`
  const isOfOne = /\b(?:an?|that|which|with) /iu.test(masked.split(/\b(?:following|these)\b/iu)[0] ?? "")
  if (isOpen && !isOfOne && (/^(?:this|it)?[:：]?$/iu.test(masked) || several.test(masked))) return true
  const behaves = entries.some(({ text }) => /^(?:[a-z]+s|should|must|can|users?|it|when|if)\s/u.test(text))
  if (lead.whole && !behaves) return true
  return all && entries.every(({ number }) => number !== null) && verb !== "fix" && !isOpen
}

const referring =
  /^(?:these|those|them|both|all|everything|all (?:of )?(?:these|them|the above)|the above)(?![\w-])|^(?:これら|それら|上記|以上|すべて|全て)/iu

/** A request after a list that is about all its points: `Please fix both.`, `を実装する。` */
export const isAboutList = ({ object, own }: Request): boolean => referring.test(object.text) || own.startsWith("を")
