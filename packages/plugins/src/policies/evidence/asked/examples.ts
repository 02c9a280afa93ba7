import { asksForComments, codeNamesIn } from "./commentItems.ts"
import { saidOf } from "./said.ts"

/**
 * Whether an item may be shown by examples in the documentation of code: by ones that are run (`Add a doctest for f()`, `Write a
 * test for f()`), or by any (`Add an example to the docstring of f()`). Null: it asks for something else. Pure.
 */
export const examplesAskedFor = (item: string): "run" | "any" | null => {
  const text = saidOf(item)
  if (/\bimplement\w*\b/i.test(text)) return null
  if (running.test(text)) return "run"
  const isOfCode = ofNamed.test(text) && codeNamesIn(text).length > 0
  return showing.test(text) || isOfCode || (example.test(text) && asksForComments(item)) ? "any" : null
}

/** Whether an item asks for examples, and for no tests. Pure. */
export const asksForExamples = (item: string): boolean =>
  example.test(item) && !/\btest(?:s|ed|ing)?\b|テスト/i.test(item)

const adding = "(?:add|write|put|insert|give|provide|create|include|show|extend)"
const running = new RegExp(
  String.raw`^${adding}\b[^.;]*\bdoc[- ]?tests?\b|^${adding}\s+(?:(?:an?|the|some|more|unit|missing|simple)\s+)*tests?\s+(?:for|of|to)\s`,
  "i"
)
/** What the examples of named code are: `Improve the parse() examples`, `Add an example to parse()`. */
const ofNamed = new RegExp(
  String.raw`^(?:${adding}|correct|fix|improve|tweak|update)\s+(?:(?:an?|the|some|more|another|missing)\s+)*(?:examples?\s+(?:for|of|to)\s+\S+|\S+\s+examples?)(?:\s*(?:,|and|/)\s*\S+)*\.?$`,
  "i"
)
const example = /@?\bexamples?\b|例/i
const showing = new RegExp(
  String.raw`^${adding}\b[^.;]{0,60}\bexamples?\b[^.;]{0,60}\b(?:docs?|documentation|doc[- ]?(?:string|comment|block)s?|(?:java|js|ts|go|rust)-?docs?)\b|^${adding}\b[^.;]{0,30}@example\b`,
  "i"
)
