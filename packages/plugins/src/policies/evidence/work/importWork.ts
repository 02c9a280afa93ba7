import type { LineRange, SourceOutline } from "../../../port/index.ts"
import { languageOf } from "../../../text/languages.ts"
import { asksForRemoval } from "../asked/removals.ts"
import { saidOf } from "../asked/said.ts"
import { countIn, rowsOf } from "../code/code.ts"
import { once } from "../code/once.ts"
import { isRowIn } from "../code/rowsIn.ts"
import { isImport } from "../code/statements.ts"

/**
 * The names that an item asks to import, or to pass on, in a file that it names, where it asks for nothing else: `Import
 * A_B and C_D in src/names.py`. They must be written as code (`two_words`, `TwoWords`, `name()`, or between backticks):
 * `Import users` asks for something else. Where a language passes on what it imports, as Python does, the item may say
 * export too. Empty: it asks for no import. Pure.
 */
export const importsAskedFor = (item: string, path: string): ReadonlyArray<string> => {
  const [, verb = "", asked = "", places = ""] = form.exec(saidOf(item)) ?? []
  if (places === "" || (/^(?:re-?)?exp/i.test(verb) && !/\.pyi?$/.test(path))) return []
  const names = asked.split(/\s*,\s*(?:and\s+)?|\s+and\s+/).map(
    (name) =>
      codeName
        .exec(name.replace(/^the\s+/, ""))
        ?.slice(1)
        .find((one) => one !== undefined) ?? ""
  )
  return names.every((name) => name !== "") ? names : []
}

/**
 * The names, as words, that an item asks to import where it says that these are missing, with or without a place: `Add the missing
 * include of unistd.h`, `Fix missing imports`. Empty: it names none. Null: it asks for something else. Pure.
 */
export const missingImports = (item: string): ReadonlyArray<string> | null => {
  const text = saidOf(item).slice(0, maxItem)
  if (unknownForm.test(text)) return []
  const found = lackingForm.exec(text) ?? includingForm.exec(text) ?? needingForm.exec(text)
  if (found === null) return null
  const [, asked = ""] = found
  return wordsOf(asked).filter((word) => !filler.has(word) && word.length > 1)
}

const missing = String.raw`(?:(?:the|an?|missing|required|necessary)\s+)*`
const at = String.raw`(?:\s+(?:in|into|to|at)\s+(?:the\s+)?[\x60\w./-]+)*(?:\s+for\s.{1,80})?\.?$`
const lackingForm = new RegExp(
  String.raw`^(?:add(?:s|ed)?|fix(?:e[sd])?|restore[sd]?|insert(?:s|ed)?)\s+${missing}(?:imports?|includes?|use statements?|using(?: directives?| statements?)?|requires?)(?:\s+(?:(?:of|for|statement for|from)\s+)?(?!in\b|to\b|into\b|at\b)([\x60\w./$<>"'@-]+(?:(?:,\s*(?:and\s+)?|\s+and\s+)[\x60\w./$<>"'@-]+)*))?${at}`,
  "i"
)
/** Whether a new import gives a name that the rest of the file uses; of one that gives all of a file, or names nothing, nobody can tell. */
export const isUsed = (row: string, rest: ReadonlyArray<string>): boolean => {
  const [, named] =
    /^(?:from\s+\S+\s+)?import\s+(?!static\b)(?:type\s+)?(?:\{\s*)?([\w$,.\s]+?)(?:\s*\}\s*from\s.*|\s+from\s.*)?;?$/.exec(
      row
    ) ?? []
  const names = (named ?? "").split(",").flatMap((part) => {
    const name =
      part
        .trim()
        .split(/\s+as\s+/)
        .at(-1) ?? ""
    return /^import\s/.test(row) && !/[{,]|\bfrom\b/.test(row) && name.includes(".") && !/^import\s+[a-z_.]+$/.test(row)
      ? [name.split(".").at(-1) ?? ""]
      : [name.split(".")[0] ?? ""]
  })
  if (names.every((name) => name === "") || /\*/.test(row)) return true
  const words = new Set(rest.flatMap(wordsOf))
  return names.some((name) => words.has(name))
}

/** What a program says where an import is missing. */
const unknownForm =
  /^(?:fix|resolve)(?:e?[sd])? (?:[\w$.`'"()-]+ ){0,4}?(?:uninitialized constants?|undefined (?:names?|references?|symbols?|identifiers?|variables?)|unresolved (?:names?|references?|symbols?|imports?)|(?:name|import|module ?not ?found|reference)errors?|class not found|missing (?:symbols?|types?))(?: (?:errors?|exceptions?|in|of|for|from|on|when) ?.{0,60})?\.?$/i
const includingForm = new RegExp(String.raw`^include\s+([\x60<"]?[\w./-]+\.h(?:pp)?[\x60>"]?)${at}`, "i")

const needingForm = /^[\w$.\x60()]+ (?:requires|needs) ([\x60<"]?[\w./-]+\.h(?:pp)?[\x60>"]?)\.?$/i

/** Verb, names, and places alone: a module or a file by its path or between backticks. */
const form =
  /^((?:re-?)?(?:import|export)|expose)\s+(\S.*?)((?:\s+(?:in|into|from|to|at)\s+(?:the\s+)?(?:(?:module|file|package)\s+)?(?=\S*[./`_])[`\w./-]+(?:\s+(?:again|too))?,?)+)\.?$/i
const codeName = /^(?:`([\w$.]+)(?:\(\))?`|([\w$.]+)\(\)|([\w$]*(?:_[\w$]|[a-z\d][A-Z]|[A-Z][A-Z]|[A-Z][a-z])[\w$]*))$/

/** A version of a file. */
export interface Importing {
  readonly path: string
  /** With their ends. */
  readonly lines: ReadonlyArray<string>
  readonly outline: SourceOutline | null
}

/** Rows, from 0, of imports that the file did not hold before, with what they say. */
export const newImports = (now: Importing, before: Importing): ReadonlyMap<number, string> => {
  const said = new Set(before.lines.map(oneSpaced))
  return new Map(importsOf(now).filter(([, text]) => !said.has(text)))
}

const oneSpaced = (text: string): string => text.trim().replace(/\s+/g, " ")

const importsOf = ({ lines, outline, path }: Importing): ReadonlyArray<readonly [row: number, text: string]> => {
  const what = outline === null ? null : rowsOf(lines, outline).what
  const language = once(() => languageOf(path, lines))
  const isOne = (text: string, row: number): boolean =>
    what === null ? isImport(text, text, language()) : countIn(what.imports, row, row) > 0
  return lines.flatMap((line, row) => {
    const text = oneSpaced(line)
    return /[\w$]/.test(text) && isOne(text, row) ? [[row, text] as const] : []
  })
}

/** New imports in these lines, where all that is asked for stands in them; else none. */
export const importsIn = (
  imports: ReadonlyMap<number, string>,
  range: LineRange,
  asked: ReadonlyArray<string>,
  sha256: (text: string) => string
): ReadonlyArray<string> => {
  const names = new Set(within(imports, range).flatMap((text) => text.match(/[\w$]+/g) ?? []))
  const isAll = asked.length > 0 && asked.every((name) => names.has(name.split(".").at(-1) ?? name))
  return isAll ? importNames(imports, range, sha256) : []
}

const within = (imports: ReadonlyMap<number, string>, range: LineRange): ReadonlyArray<string> =>
  [...imports].flatMap(([row, text]) => (isRowIn(range, row) ? [text] : []))

/** New imports in these lines, where each of the words stands in one of them. */
export const importsOfWords = (
  imports: ReadonlyMap<number, string>,
  range: LineRange,
  words: ReadonlyArray<string>,
  sha256: (text: string) => string
): ReadonlyArray<string> => {
  const found = within(imports, range).flatMap(wordsOf)
  return words.every((word) => has(found, word)) ? importNames(imports, range, sha256) : []
}

/** Those that stand in these lines, by name. */
export const importNames = (
  imports: ReadonlyMap<number, string>,
  range: LineRange,
  sha256: (text: string) => string
): ReadonlyArray<string> => within(imports, range).map((text) => `@${sha256(text).slice(0, 8)}`)

// --- what takes the place of another import -----------------------------------------------------------------------

/**
 * New imports that took the place of one that is gone, of the same things or of another module, where the item asks for that
 * alone: `Switch from lodash to lodash-es`, `Fix the import path of User`. It says that it is about imports, or names what
 * differs between both. Pure.
 */
export const importsReplaced = (item: string, now: Importing, before: Importing): ReadonlyMap<number, string> => {
  const text = saidOf(item).slice(0, maxItem)
  const packages = otherWork.test(text) || !ofPackages.test(text) ? [] : packagesReplaced(now, before)
  if (packages.length > 0) return new Map(packages)
  if (ofExports.test(text) && !otherWork.test(text)) {
    const were = new Set(before.lines.map(oneSpaced))
    return new Map(listedIn(now).filter(([, row]) => /\w/.test(row) && !were.has(row)))
  }
  const isMending = mending.test(text) || /^\s*(?:fix|refactor)(?:\([^()\n]{1,60}\))?!?:/i.test(item)
  const isUpgrade = upgrading.test(text) && !ofImports.test(text)
  const isExchange = exchanging.test(text) || isUpgrade || (isMending && ofImports.test(text))
  if (!isExchange || otherWork.test(text)) return new Map()
  const gone = [...newImports(before, now).values()]
  const asked = new Set([...wordsOf(text.toLowerCase()), ...versionsIn(text)])
  const known = once(() => new Set(before.lines.flatMap(wordsOf)))
  const isMeant = (row: string, was: string): boolean =>
    ofImports.test(text) ||
    // it says which one by what it is for: `Use a faster JSON library`
    (ofKinds.test(text) &&
      wordsOf(`${row} ${was}`).some((word) => asked.has(word.toLowerCase()) && !importing.has(word)) &&
      wordsOf(row).some((word) => !known().has(word))) ||
    (isUpgrade ? versionsIn(row).filter((version) => !versionsIn(was).includes(version)) : differing(row, was)).some(
      (word) => asked.has(word.toLowerCase())
    )
  return new Map(
    [...newImports(now, before)].filter(([, row]) => gone.some((was) => isInPlaceOf(row, was) && isMeant(row, was)))
  )
}

/** Of what is imported with its version: `npm:zod@4`, `github.com/go-chi/chi/v5`. */
const upgrading = /^(?:bump|downgrade|pin|update|upgrade)(?:e?[sd])?\b/i
const versionsIn = (text: string): ReadonlyArray<string> => text.match(/(?<=(?:^|[^\w.])v?)\d+(?:\.\d+)*/gi) ?? []

/** Where a file says what it belongs to. */
const packaged = /^(?:namespace|package)\s/
const ofPackages =
  /^(?:adapt|add|adjust|change|correct|fix|move|put|rename|set|update|use)(?:e?[sd])?\b.*\b(?:namespaces?|packages?)\b/i
/** What a module gives away stands in its head, as in Haskell. */
const ofExports =
  /^(?:re-?export|export|expose|hide|unexport)(?:e?[sd])?\b|^(?:make|keep)\b.*\b(?:internal|private|public|visible)\.?$|\bexport lists?\b/i
/** Rows of the head of a module that lists something, up to where the list closes. */
const listedIn = ({ lines }: Importing): ReadonlyArray<readonly [row: number, text: string]> => {
  const first = lines.findIndex((line) => /^(?:port )?module [\w.]+|^-export ?\(/.test(line))
  const found: Array<readonly [row: number, text: string]> = []
  let depth = 0
  for (const [at, line] of first === -1 ? [] : lines.slice(first).entries()) {
    depth += line.split("(").length - line.split(")").length
    found.push([first + at, oneSpaced(line)])
    if (depth <= 0 && found.some(([, text]) => text.includes("("))) return found
    if (/\bwhere\s*$/.test(line)) return []
  }
  return []
}
/** A file says it once, and says something else now. */
const packagesReplaced = (now: Importing, before: Importing): ReadonlyArray<readonly [row: number, text: string]> =>
  [...newImports(before, now).values()].some((was) => packaged.test(was))
    ? [...newImports(now, before)].filter(([, row]) => packaged.test(row))
    : []

const exchanging = /^(?:(?:make|let|have)\s+\S+\s+(?:use|import)|switch|replace|swap|migrate|move|import|prefer|use)\b/i
const mending = /^(?:update|change|fix|correct|adjust|adapt|point|rename|rewrite|convert|refactor)\b/i
const otherWork = /\b(?:and|then)\s+(?:use|call|wire|render|add|write|handle|implement|test|return|remove)\b/i
const ofKinds = /\b(?:dependency|librar(?:y|ies)|modules?|packages?)\b/i
const ofImports = /\b(?:imports?|includes?|requires?)\b/i

/** The same but for what stands in quotes, or the same thing by its last word or by name. */
const isInPlaceOf = (row: string, was: string): boolean => {
  if (outside(row) === outside(was)) return true
  const [names, old] = [boundIn(row), boundIn(was)]
  return names.at(-1) === old.at(-1) || (/\bimport\b/.test(row) && names.some((name) => old.includes(name)))
}

const outside = (row: string): string => row.replace(/(["'`])[^"'`]*\1/g, '""')

/** What a row makes known: the names beside the module that stands in quotes, those behind `import`, or all words. */
const boundIn = (row: string): ReadonlyArray<string> => {
  const named = wordsOf(/\bfrom\b.*\bimport\b(.*)$/.exec(row)?.[1] ?? (/["']/.test(row) ? outside(row) : ""))
  const own = named.filter((word) => !importing.has(word))
  return own.length > 0
    ? own
    : wordsOf(row)
        .filter((word) => !importing.has(word))
        .slice(-1)
}

const differing = (row: string, was: string): ReadonlyArray<string> => {
  const [young, old] = [wordsOf(row), wordsOf(was)]
  return [...young.filter((word) => !old.includes(word)), ...old.filter((word) => !young.includes(word))].filter(
    (word) => !importing.has(word)
  )
}

const importing: ReadonlySet<string> = new Set(
  "import from as type typeof require const let var use using include static default export extern crate pub mod".split(
    " "
  )
)

// --- what was moved away ------------------------------------------------------------------------------------------

/** What an item asks to use in a file, where it asks for nothing else. */
export interface Use {
  /** Names that are written as code: all of them. */
  readonly names: ReadonlyArray<string>
  /** The module that they must come from; empty: any. */
  readonly from: string
  /** Of the words of each one must be imported, or be a module of several things; none: the item says `them`. */
  readonly words: ReadonlyArray<ReadonlyArray<string>>
}

/** `Use them in timeparse.py`, `Use SIGN from patterns.py in timeparse.py`. Null: it asks for something else. Pure. */
export const useAskedFor = (item: string): Use | null => {
  const text = saidOf(item)
  const found = uses.map((form) => form.exec(text)?.groups).find((groups) => groups !== undefined)
  const what = (found?.["what"] ?? "").trim()
  const from = stemOf((found?.["from"] ?? "").replaceAll("`", ""))
  if (found === undefined || other.test(what)) return null
  if (pronoun.test(what)) return { names: [], from, words: [] }
  const parts = what.split(/\s*,\s*(?:and\s+)?|\s+and\s+|[、と]/)
  const nameOf = (part: string): string | undefined =>
    codeName
      .exec(part.replace(/^the\s+/i, ""))
      ?.slice(1)
      .find((one) => one !== undefined) ?? (from !== "" && from !== part && /^\w+(?<!s)$/.test(part) ? part : undefined)
  const names = parts.flatMap((part) => nameOf(part) ?? [])
  // what is no name may be how the module is called
  const words = from !== "" ? [] : parts.filter((part) => nameOf(part) === undefined).map(wordsOf)
  return { names, from, words }
}

/** Says more than what is used, or that it was not there before. */
const other = /\b(?:new|and then|instead|to|for|when|that)\b(?! (?:\w+ )?(?:module|file)\b)/i
const place = String.raw`\x60?[\w./-]+\.\w{1,5}\x60?`
const uses = [
  `^(?:use|import) (?<what>.+?)(?: (?:from|of) (?:the )?(?:(?:new )?(?:module|file) )?(?<from>\\S+))?(?: (?:again|there))? (?:in|inside|within|into) (?:the )?(?:(?:module|file) )?${place}\\.?$`,
  `^(?:change|switch|adapt|update) ${place} to (?:use|import) (?<what>.+?)(?: from (?:the )?(?:(?:new )?(?:module|file) )?(?<from>\\S+?))?\\.?$`,
  `^(?:in )?${place},? (?:uses?|imports?) (?<what>.+?)(?: from (?:the )?(?:(?:new )?(?:module|file) )?(?<from>\\S+?))?\\.?$`,
  `^${place}(?:で|は|に)(?:(?<from>[\\w./]+)(?:から|の))?(?<what>.+?)を(?:使う|使用する|利用する|参照する|インポートする|importする|読み込む)。?$`
].map((form) => new RegExp(form, "i"))

const pronoun = /^(?:it|them|these|those|this|that|both|all|all of (?:them|these)|それ|それら|これ|これら)$/i

/** `src/patterns.py` is `patterns`. */
const stemOf = (name: string): string =>
  name
    .replace(/\.\w{1,5}$/, "")
    .split(/[/.\\:]+/)
    .filter((part) => part !== "")
    .at(-1) ?? ""

/** Versions of a file, as they are compared. */
interface Moving extends Importing {
  /** What stands for each row. */
  readonly tokens: ReadonlyArray<string>
}

/**
 * Names that were defined in the file and are not any more, and that code in it uses which is as it was: something gives them
 * to it from elsewhere.
 */
export const movedAway = (now: Moving, before: Moving): ReadonlySet<string> => {
  const [old, young] = [definedIn(before), definedIn(now)]
  const known = new Set(before.tokens)
  const imports = new Set(importsOf(now).map(([row]) => row))
  const used = new Set(
    now.tokens.flatMap((text, row) => (imports.has(row) || !known.has(text) ? [] : wordsOf(withoutStrings(text))))
  )
  return new Set([...old].filter((name) => used.has(name) && !young.has(name)))
}

const wordsOf = (text: string): ReadonlyArray<string> => text.match(/[\p{L}_$][\p{L}\p{N}_$]*/gu) ?? []
const withoutStrings = (text: string): string => text.replace(/"(?:[^"\\]|\\.)*"/g, '""')

const definedIn = ({ outline, tokens }: Moving): ReadonlySet<string> => {
  const declared = (outline?.declarations ?? []).flatMap(({ name }) => (name === null ? [] : [name]))
  const assigned = tokens.flatMap(
    (text) =>
      assignment
        .exec(withoutStrings(text.slice(0, maxRow)))
        ?.slice(1)
        .find((name) => name !== undefined) ?? []
  )
  return new Set([...declared, ...assigned])
}

const maxRow = 400
/** Blanks stand between the tokens of a row. */
const assignment =
  /^[\w$&*<>[\],: ]*?(?<![\w$])([\p{L}_$][\w$]*)(?: : [^=()]*)?(?: \[ ?\w* ?\])*(?: :)? ?= (?![=>])|^# ?define (\w+)/u

/**
 * New imports in these lines that give back what was moved away, where they are what is to be used. An import that goes on
 * over several lines is one.
 */
export const importsInUse = (
  imports: ReadonlyMap<number, string>,
  range: LineRange,
  { from, names, words }: Use,
  moved: ReadonlySet<string>,
  sha256: (text: string) => string
): ReadonlyArray<string> => {
  const rows = [...imports.keys()].filter((row) => isRowIn(range, row))
  for (const row of rows)
    for (const next of [row - 1, row + 1]) if (imports.has(next) && !rows.includes(next)) rows.push(next)
  const texts = rows.toSorted((a, b) => a - b).map((row) => imports.get(row) ?? "")
  const said = new Set(texts.flatMap(wordsOf))
  const isWhole = texts.some((text) => /#\s*include\b|\brequire(?:_relative|_once)?\b|\bsource\b|\*/.test(text))
  const given = [...moved].filter((name) => isWhole || said.has(name))
  const hasWord = (word: string): boolean => has(given, word) || (/s$/.test(word) && has([...said], word))
  const isMeant =
    names.every((name) => given.includes(name.split(".").at(-1) ?? name)) &&
    words.every((each) => each.some(hasWord)) &&
    (from === "" || has([...said], from))
  return given.length > 0 && isMeant ? texts.map((text) => `@${sha256(text).slice(0, 8)}`) : []
}

const has = (words: ReadonlyArray<string>, asked: string): boolean =>
  words.some((word) => word.toLowerCase() === asked.toLowerCase())

// --- what is to be taken out --------------------------------------------------------------------------------------

/** What an item that asks for it alone wants no longer to be imported, and the file imports as before. Pure. */
export const importsStill = (item: string, now: Importing, before: Importing): ReadonlyArray<string> => {
  const text = saidOf(item).slice(0, maxItem)
  if (!asksForRemoval(text)) return []
  const asked = unwanted.flatMap((form) => (form.exec(text)?.[1] ?? "").split(/, (?:and )?| and /))
  const old = importsOf(before).map(([, line]) => line)
  const young = new Set(importsOf(now).map(([, line]) => line))
  const rowsWith = (word: string) => old.filter((line) => wordsOf(line).includes(word))
  const isOld = (word: string): boolean => !filler.has(word) && rowsWith(word).length > 0
  const isStill = (word: string): boolean => rowsWith(word).every((line) => young.has(line))
  // of `typing.List` the module may be imported for something else
  const stay = asked
    .map((thing) => wordsOf(thing).filter(isOld))
    .filter((words) => words.length > 0 && words.every(isStill))
  return [...new Set(stay.map((words) => words.join(".")))]
}

/** Characters that are looked into. */
const maxItem = 1_000

const things = String.raw`[\x60\w$./@,'"]+(?:(?:, | and |, and )[\x60\w$./@'"]+)*`
const unwanted = [
  new RegExp(
    String.raw`\bimports? (?:of )?(?:the )?(?:(?:module|package|name)s? )?(?!from\b|in\b|at\b)(${things})`,
    "i"
  ),
  /((?:[\x60\w$./@'"]+(?:, | and |, and ))*[\x60\w$./@'"]+) imports?\b/i,
  /([\w$./@]+)\x60?(?:の|を)?(?:未使用の|不要な)?(?:import|インポート)/i
]
const filler: ReadonlySet<string> = new Set(
  "the a an all any unused old dead import imports from of in and use using as include require statement statements line lines".split(
    " "
  )
)
