import type { SourceOutline } from "../../../../port/index.ts"
import { anyOf, declaring, keeping, standingIn } from "../../asked/words.ts"
import { isScript } from "../../code/families.ts"
import { onceFor } from "../../code/once.ts"
import { timesIn } from "../../code/timesIn.ts"
import { bindingIn } from "../bindings.ts"
import { type InertRule, type NewRows, nextRow, rowAt, shown, wordsOf } from "./newRows.ts"

/** All that is new is given a name, and nothing in the file, nor outside of it, can read that. */
export const neverRead: InertRule = (code) => {
  const rows = code.rows.filter(code.isNew)
  if (code.outline === null || rows.length === 0 || ofNames.test(code.item)) return null
  const whys = rows.map(
    (row) => optionIn(code, row) ?? constantIn(code, row) ?? parameterIn(code, row) ?? variableIn(code, row)
  )
  const [name] = whys
  return name != null && whys.every((one) => one !== null)
    ? `Nothing reads ${name}: ${shown(rowAt(code, rows[0] ?? 0))}. Use it.`
    : null
}

const ofNames = anyOf([
  declaring,
  standingIn,
  String.raw`alias\w*|callbacks?|constants?|defin\w*|export\w*|interface|match\w*|overload\w*|signatures?`
])

/** What Go is told to let be, and what a script keeps and never asks for. */
const variableIn = (code: NewRows, row: number): string | null => {
  const text = rowAt(code, row)
  if (code.language === "go") {
    const [, name = ""] = /^(\w+) := [^{}]+$/.exec(text) ?? []
    return name !== "" && timesIn(all(code), name) === 2 && new RegExp(`^\\s*_ = ${name}$`, "m").test(all(code))
      ? name
      : null
  }
  if (/^(?:java|csharp|kotlin|swift|javascript|typescript|tsx|python|php|ruby)$/.test(code.language)) {
    const bound = bindingIn(text)
    const own = bound !== null && amount.test(bound.value) ? bound.name : ""
    const isAsked = wordsOf(own).some((word) => wordsOf(code.item).includes(word))
    // of Ruby the last one is what is given back
    if (code.language === "ruby" && /^(?:end|else|elsif|when|rescue)\b/.test(rowAt(code, nextRow(code, row))))
      return null
    const isPrivate = /^private\b/.test(text) || /^\s/.test(code.texts[row] ?? "")
    const isLocal = () =>
      isPrivate &&
      code.outline?.declarations.some(
        ({ end, kind, start }) => (kind === "function" || /^private\b/.test(text)) && start.row < row && end.row >= row
      ) === true
    return own !== "" && isAsked && isLocal() && timesIn(all(code), own) === 1 ? own : null
  }
  const [, name = ""] = (code.language === "bash" ? /^([A-Z][A-Z\d_]*)=\S*$/ : /^(?!)/).exec(text) ?? []
  const isOwn = code.texts.every(
    (line) => !/\b(?:declare|env|envsubst|eval|exec|export|source)\b|^\s*\.\s|"\$@"|\bset -a\b/.test(line)
  )
  const isAsked = wordsOf(name).some((word) => wordsOf(code.item).includes(word))
  return name !== "" &&
    isOwn &&
    isAsked &&
    !isOnlySourced(code) &&
    !ofSystem.test(name) &&
    timesIn(all(code), name) === 1
    ? name
    : null
}
/** A file that does nothing by itself is read by others: settings, and functions for several scripts. */
export const isOnlySourced = ({ texts }: Pick<NewRows, "texts">): boolean =>
  texts.every((text) =>
    /^(?:\s|$|[A-Za-z_]\w*=|readonly\b|set\b|shopt\b|\}|(?:function\s+)?[\w-]+\s*\(\s*\)|function\b)/.test(text)
  )
/** Yes or no, a number, or a time of so many. */
const amount = /^(?:[Tt]rue|[Ff]alse|[\d_.*+\- ]+|(?:java\.time\.)?(?:Duration|TimeSpan)\.\w+\([\d_.]+\))$/
const ofSystem =
  /^(?:CDPATH|EDITOR|HOME|IFS|LANG|LANGUAGE|LC_\w+|OLDPWD|PATH|PS\d|PWD|SHELL|TERM|TIMEFORMAT|TMOUT|TMPDIR|TZ|USER)$/

const joined = onceFor((texts: ReadonlyArray<string>): string => texts.join("\n"))
const all = ({ texts }: NewRows): string => joined(texts)

/** Of a module of a script only what it exports is seen outside, of Python what begins with `_` is not. */
const constantIn = (code: NewRows, row: number): string | null => {
  const text = code.texts[row] ?? ""
  const { name = "", value = "", words = "" } = /^\s/.test(text) ? {} : (bindingIn(text) ?? {})
  const isOwn = isScript(code.language)
    ? /^(?:const|let)$/.test(words) && code.texts.some((line) => /^(?:import|export)\b/.test(line))
    : code.language === "python" && words === "" && /^_[a-z]/.test(name)
  return isOwn && isOnlyMade.test(value) && timesIn(all(code), name) === 1 ? name : null
}

/** A call may do something, and what comes of it is only held: `const server = app.listen(80)`. What is only made does nothing. */
const isOnlyMade =
  /^(?:[^({[]+|new (?:AbortController|Array|Date|Map|RegExp|Set|WeakMap|WeakSet)(?:<[^()]*>)?\([^()]*\)|(?:[\w$]+\.)*(?:create|get|make|[A-Z])\w*\([^()]*\)|[\w$]+\(\s*\{[^()]*\}\s*\))$/

/** A parameter of a function that does something, where that function is in no type and nothing stands before it. */
const parameterIn = (code: NewRows, row: number): string | null => {
  const declared = code.outline === null ? undefined : functionsAt(code.outline).get(row)
  if (declared === undefined) return null
  const body = code.texts.slice(declared.start.row, declared.end.row + 1).join("\n")
  // a prototype has no body that could
  if (/^[@#[]/.test(rowAt(code, row - 1)) || unseen.test(body) || /^[^{]*\);\s*$/.test(body)) return null
  const text = rowAt(code, row)
  // where it is annotated, it begins above its name
  if (timesIn(text, declared.name ?? "") === 0) return null
  const behind = text.slice(text.indexOf(declared.name ?? "") + (declared.name ?? "").length)
  const [, head = ""] = /^[^(]*\(([^()]*(?:\([^()]*\)[^()]*)*)\)/.exec(behind) ?? []
  const item = wordsOf(code.item)
  return (
    parameters(head, code.language).find(
      (one) => wordsOf(one).some((word) => item.includes(word)) && timesIn(body, one) === 1
    ) ?? null
  )
}

/** The first function that does something and is in nothing else, by the row in which it begins. */
const functionsAt = onceFor(
  ({ declarations }: SourceOutline) =>
    new Map(
      declarations
        .filter(
          ({ empty, kind, name, parent }) => kind === "function" && parent === null && empty === null && name !== null
        )
        .toReversed()
        .map((one) => [one.start.row, one])
    )
)

const unseen = /\barguments\b|\blocals\(|\bvars\(|\beval\b|\bfunc_get_args\b|\bbinding\b/
const parameters = (head: string, language: string): ReadonlyArray<string> =>
  head
    .replace(/[{}]/g, "")
    .split(",")
    .flatMap((part) => {
      const text = part
        .trim()
        .replace(/\s*=[^=].*$/, "")
        .replace(/\s*:.*$/, "")
      const name = /^(?:go|rust|swift|kotlin|scala)$/.test(language)
        ? /^[\w]+/.exec(text)?.[0]
        : /\$?([A-Za-z]\w*)$/.exec(text)?.[1]
      return name === undefined ||
        name.startsWith("_") ||
        /^(?:self|cls|this|ctx|context|next|e|evt|event|req|res|request|response)$/.test(name)
        ? []
        : [name]
    })

const ofKeeping = anyOf([keeping])

/** What keeps values is only filled, or only asked: `cache.set(…)` without a `get`. */
export const oneSided: InertRule = (code) => {
  const isPython = code.language === "python"
  if ((!isScript(code.language) && !isPython) || !ofKeeping.test(code.item)) return null
  const found = code.rows.find((row) => {
    const { name, value, words } = bindingIn(rowAt(code, row)) ?? { name: "", value: "", words: "" }
    if (!(isPython ? words === "" && madeInPython.test(value) : madeInScript.test(value))) return false
    const isOwn = isPython ? /^\s/.test(code.texts[row] ?? "") || name.startsWith("_") : /^(?:const|let)$/.test(words)
    return (
      (isOwn && isOneSided(all(code), name, isPython)) ||
      (/\bcach|\bmemo/i.test(code.item) && ofOneCall(code, row, name))
    )
  })
  return found === undefined
    ? null
    : `What is kept there is never both filled and asked: ${shown(rowAt(code, found))}. Do both.`
}

/** What is kept by one call alone is asked by nobody: there is no other way through that function. */
const ofOneCall = (code: NewRows, row: number, name: string): boolean => {
  const around = code.outline?.declarations
    .filter(({ end, kind, start }) => kind === "function" && start.row < row && end.row >= row)
    .at(-1)
  const body = around === undefined ? "" : code.texts.slice(row + 1, around.end.row + 1).join("\n")
  return (
    around !== undefined &&
    !/\b(?:for|while|def|lambda|function|yield|map|loop)\b|=>/.test(body) &&
    !new RegExp(`(?:return|[(,=])\\s*${name}\\s*(?:$|[,)])`, "m").test(body)
  )
}

const madeInPython = /^(?:\{\}|dict\(\)|set\(\))$/
const madeInScript = /^new (?:Weak)?(?:Map|Set)(?:<[^()]*>)?\(\)$/

const isOneSided = (text: string, name: string, isPython: boolean): boolean => {
  const it = `(?<![\\w$.])${name.replaceAll("$", "\\$")}(?![\\w$])`
  const uses = [...text.matchAll(new RegExp(it, "g"))].slice(1).map(({ index }) => ({
    line: text.slice(text.lastIndexOf("\n", index) + 1, index),
    behind: text.slice(index + name.length, index + name.length + 200).split("\n")[0] ?? ""
  }))
  if (uses.length === 0) return true
  const isFilling = ({ behind, line }: (typeof uses)[number]): boolean =>
    line.trim() === "" &&
    (isPython ? /^(?:\.(?:append|add|update|extend)\(|\[[^\]]*\] = )/ : /^(?:\.(?:set|add)\()/).test(behind)
  const isAsking = ({ behind, line }: (typeof uses)[number]): boolean =>
    isPython
      ? /\bin\s*$/.test(line) || /^(?:\.get\(|\[[^\]]*\](?!\s*=[^=]))/.test(behind)
      : /^\.(?:get|has|size)\b/.test(behind)
  return uses.every(isFilling) || uses.every(isAsking)
}

/** An option that a program is given and never asks for. */
const optionIn = (code: NewRows, row: number): string | null => {
  const text = rowAt(code, row)
  const whole = all(code)
  const click = code.language === "python" ? clickIn(code, row) : null
  if (click !== null) return click
  if (code.language === "python") {
    const [, long = ""] =
      /\.add_argument\(\s*(?:"-\w",\s*)?"--([\w-]+)"(?!.*\b(?:dest|action="version")\b)/.exec(
        text.replaceAll("'", '"')
      ) ?? []
    if (long === "") return null
    const [, args = ""] = /^\s*(\w+)(?:, _\w*)? = \w+\.parse(?:_known)?_args\(/m.exec(whole) ?? []
    const name = long.replaceAll("-", "_")
    return name !== "" &&
      args !== "" &&
      isOnlyAsked(whole, args) &&
      timesIn(whole, name) + (name === long ? 0 : timesIn(whole, long)) === 1
      ? `--${long}`
      : null
  }
  if (!isScript(code.language)) return null
  const [, quiet = ""] = /\.option\(\s*["'](?:-\w,\s*)?--([a-z]+)(?=["' ])/.exec(text) ?? []
  const [, opts = ""] = (quiet === "" ? null : /\bconst (\w+) = [\w.()]*\.opts\(\)/.exec(whole)) ?? []
  if (quiet !== "" && opts !== "") return isOnlyAsked(whole, opts) && timesIn(whole, quiet) === 1 ? `--${quiet}` : null
  if (!text.includes("type:") || !/\bparseArgs\b/.test(whole)) return null
  const [, held = ""] =
    /\bconst \{ values(?:: (\w+))?[^}]*\} = parseArgs\(/.exec(whole)?.map((one) => one ?? "values") ?? []
  const names = [...text.matchAll(/["']?([\w-]+)["']?: \{ (?:short: \S+ )?type:/g)].map(([, name = ""]) => name)
  const name = names.find((one) => timesIn(whole, one) === 1)
  return name !== undefined && held !== "" && isOnlyAsked(whole, held) ? `--${name}` : null
}

/** Of click, an option and the parameter that it fills. */
const clickIn = (code: NewRows, row: number): string | null => {
  const text = rowAt(code, row)
  if (!text.includes("--") && !/^(?:async )?def /.test(text)) return null
  const whole = all(code)
  const names = [...whole.matchAll(/@(?:\w+\.)?option\(\s*["']--([\w-]+)["'](?!\s*,\s*["']\w)/g)].map(
    ([, long = ""]) => long
  )
  const found = names.find((long) => {
    const name = long.replaceAll("-", "_")
    const isHere = text.includes(`--${long}`) || (/^(?:async )?def /.test(text) && timesIn(text, name) === 1)
    return (
      isHere &&
      timesIn(whole, name) === (name === long ? 2 : 1) &&
      new RegExp(`\\bdef \\w+\\([^)]*\\b${name}\\b`).test(whole)
    )
  })
  return found === undefined ? null : `--${found}`
}

/** No part of a file is given all of it. */
const isOnlyAsked = (whole: string, name: string): boolean =>
  [...whole.matchAll(new RegExp(`(?<![\\w.])${name}(?!\\w)(.?)`, "g"))]
    .slice(1)
    .every(([, next]) => next === "." || next === "[")
