import { mentionedFiles, parseReference } from "@proofline/plugins/policies/evidence"
import { Result } from "effect"

/** A file that a box names as a place of its work. */
export interface Named {
  /** `/` separated, as it stands there. */
  readonly path: string
  /** It can be nothing but a file. Otherwise it counts where there is one. */
  readonly certain: boolean
  /** That it is gone may be what was done: it was to be moved, merged, removed. */
  readonly mayBeGone: boolean
  /** It is what is written, and not what is read for it. */
  readonly isWritten: boolean
}

/** Lines that a box cites as what shows it. */
export interface Cited {
  readonly evidence: string
  readonly path: string
}

export interface NamedByBox {
  readonly files: ReadonlyArray<Named>
  readonly lines: ReadonlyArray<Cited>
  /** What of the code is to be written, where no file is named. */
  readonly symbols: ReadonlyArray<string>
  /** It asks to look at something: nothing need have changed. */
  readonly isLook: boolean
}

/** What a box names. */
export const namedBy = (texts: ReadonlyArray<string>): NamedByBox => {
  const read = texts.map(readable)
  const [first = ""] = read
  // what is listed below "Remove:" is what is removed
  const isRemoval = removal.test(first)
  const files = [...Map.groupBy(read.flatMap(filesIn), ({ path }) => path)].map(([path, same]) => ({
    path,
    certain: same.some((one) => one.certain),
    mayBeGone: isRemoval || same.some((one) => one.mayBeGone),
    isWritten: same.some((one) => one.isWritten)
  }))
  const isLook = look.test(first) || nothingDone.test(first)
  const symbols =
    isLook || files.length > 0 ? [] : symbolsIn(first).flatMap(({ isMade, name }) => (isMade ? [name] : []))
  return { files, lines: isLook ? [] : read.flatMap(linesIn), symbols, isLook }
}

// --- a text as a sentence -----------------------------------------------------------------------------------------

/** Without its number, marks of layout, and what is struck out. */
const readable = (text: string): string =>
  text
    .replaceAll(/~~.*?~~/g, " ")
    .replaceAll(/\\([_*`[\]()#+.!<>{}-])/g, "$1")
    .replaceAll(/!?\[([^\]\n]*)\]\([^()\n]*(?:\([^()\n]*\)[^()\n]*)*\)/g, "$1")
    .replaceAll("**", "")
    .replaceAll(windowsPath, (path) => path.replaceAll("\\", "/"))
    .replace(numbering, "")
    .replace(marks, "")
    // brackets around a path are none of its name
    .replaceAll(/(?<=^|\s)\((?=[\w.@-]+\/)/g, "( ")
    .replaceAll(/(?<=^|\s)\[((?:[\w.@-]+\/)+[\w.@-]+)\]/g, "( $1)")
    .trim()

const windowsPath = /(?<![\w:\\])(?:\.\\)?[\w.@()[\]-]+(?:\\[\w.@()[\]-]+)+\.\w+/g

/** `T012`, `1.2`, `#3`, `AC-1:`, `TASK-7`. */
const numbering = /^\s*(?:[A-Z]{1,10}-?\d+[a-z]?(?:\.\d+)*|#?\d+(?:\.\d+)*)\s*[:.)]?\s+/

/** `[P]`, `[US1]`, `(P)`. */
const marks = /^\s*(?:(?:\[[A-Z]{1,6}-?\d*\]|\([A-Z]\))\s*)+/

/** What begins with such a word looks at something. */
const look =
  /^\W*(?:(?:manually|re-?)?\s*(?:verif|check|review|confirm|ensur|validat|run|re-?run|test\b|tested|investigat|read|analy|audit|research|understand|inspect|evaluat|decid|measur|benchmark|identif|explor|study|assess|examin|monitor|profil|smoke|qa\b|manual|compar|discuss|keep|execut|observ|look|find|locate|list\b|map\b|commit|push|open|approv|see)\w*)/i

const nothingDone =
  /\b(?:already|existing|exists|unchanged|no changes?|not needed|not required|not applicable|n\/a|skip(?:ped)?|deferred|won'?t|out of scope|pre-existing|unnecessary|obsolete|cancell?ed|superseded|remains?|stays?|still|kept|no longer|continues?|preserv\w+)\b/i

// --- files --------------------------------------------------------------------------------------------------------

const filesIn = (text: string): ReadonlyArray<Named> =>
  mentionedFiles(text).flatMap(({ certain, end, isTarget, name, start }): ReadonlyArray<Named> => {
    const before = text.slice(0, start)
    const isPlace = isTarget || (name.includes("/") && apart.test(before) && ends.test(text.slice(end)))
    if (!isPlace || isPlaceholder(name) || denied.test(before)) return []
    const after = text.slice(end)
    const isMade = making.test(before) && isObject.test(after)
    return [
      {
        path: name,
        // a name alone may be that of anything, unless it is said to be made
        certain: certain && (name.includes("/") || isMade),
        mayBeGone: (going.test(before) && !whereTo.test(before)) || gone.test(after) || unkept.test(text),
        isWritten: !isProse.test(name) || writing.test(before)
      }
    ]
  })

/** Behind a bracket, a dash, an arrow or a colon, alone or in a list, unless it is said to be read there. */
const apart =
  /(?<!\b(?:see|from|per|like|using|via|e\.g\.|i\.e\.|cf\.?|ref|reference|based on|spec|docs?|example|input)\W{0,3})(?:[([]|\s[-–—|]|→|[-=]>|:)\s*[`"']?(?:[\w./@-]+\/[\w./@-]+[`"']?\s*(?:,|\+|&|and)\s*[`"']?){0,8}$/i

const ends = /^[`"']?\s*(?:$|[,;.)\]|+&–—-]|and\b)/

/** It stands for a name, is one of elsewhere, or says one or the other. */
const isPlaceholder = (name: string): boolean =>
  /^(?:path\/to|your|my[-_]?(?:app|project|module)|example|foo|some)\b/i.test(name) ||
  /(?:^|[/_.-])(?:XXX+|NNN+|YYYY|foo|bar|baz)(?=[/_.-])/.test(name) ||
  /^[\w-]+\.(?:com|org|net|io|dev|ai|app|sh|co)\//i.test(name) ||
  /(?:^|\/)(?:node_modules|\.git)\//.test(name) ||
  /\.(?:[jt]sx?|py|go|rs|java|rb|md|json|ya?ml|css|html)\//i.test(name)

/** Words between a verb and the name. */
const gap = String.raw`\s+(?:(?:the|a|an|new|file|module|script|page|document)\s+)*[\x60"'(]*$`

const denied = new RegExp(
  String.raw`\b(?:not|never|no|don't|doesn't|without|avoid(?:ing)?|instead\s+of|rather\s+than)(?:\s+\w+){0,2}${gap}`,
  "i"
)

const making = new RegExp(
  String.raw`\b(?:creat|writ|wrote|implement|add|generat|introduc|scaffold|build|built)\w*${gap}`,
  "i"
)

/** What follows says no more than what it is for: it is the name of no other thing. */
const isObject =
  /^[`"')\]]*(?:\W*$|\s*[,.;:(–—-]|\s+(?:with|that|which|for|containing|using|and|or|file|script|module|class|component|node|page|implementing|exporting|by)\b)/i

/** It begins with taking something away. */
const removal = /^\W*(?:remov|delet|drop|retir|get rid|clean)\w*/i

const gone = /\b(?:removed|deleted|dropped|retired|renamed|moved|gone)\b/i

/** Files that git is not to keep. */
const unkept = /gitignor/i

/** Words that may end in the absence of what follows. */
const going =
  /\b(?:remov|delet|drop|deprecat|retir|eliminat|clean|renam|mov|migrat|replac|merg|consolidat|split|convert|port|inlin|archiv|unif|extract|get rid|decommission|purg|obsolet|fold|collaps|refactor)\w*\b/i

/** Words that say where something goes. */
const whereTo = /(?:\b(?:to|into|in|as|with)|→|->|=>)\s+[`"'(]*(?:(?:the|new|a)\s+)*[`"'(]*$/i

/** What is read as often as it is written. */
const isProse = /\.(?:md|mdx|markdown|rst|txt|adoc|pdf|png|svg|json|ya?ml|toml)$/i

const writing = new RegExp(
  String.raw`\b(?:updat|writ|wrote|add|creat|edit|document|extend|rewrit|fix|revis|chang|modif|adjust|expand|refresh)\w*(?:${gap}|\b.*\b(?:to|in|into)${gap})`,
  "i"
)

// --- code ---------------------------------------------------------------------------------------------------------

/** Something of the code that a text names, as `login()` or `UserService.login`. */
export interface NamedSymbol {
  readonly name: string
  /** It is what is written. */
  readonly isMade: boolean
}

export const symbolsIn = (text: string): ReadonlyArray<NamedSymbol> =>
  [...text.matchAll(symbol)].map((found) => ({
    name: (found[1] ?? found[3] ?? "").replaceAll(/::|#/g, "."),
    isMade:
      (found[2] !== undefined || found[3] !== undefined || /[.#:]/.test(found[1] ?? "")) &&
      making.test(text.slice(0, found.index))
  }))

const symbol = /`([\p{L}_$][\w$]*(?:(?:\.|::|#)[\p{L}_$][\w$]*)*)(\([^`]*\))?`|(?<![\w.`])([\p{L}_$][\w$.]*)\(\)/gu

// --- lines --------------------------------------------------------------------------------------------------------

/** What was to be mended or taken out stood there, and shows nothing now. */
const mends =
  /\b(?:remov|delet|drop|replac|renam|mov|fix|bug|chang|modif|refactor|rewrit|migrat|clean|instead|current|was\b|line\b)/i

const somewhere = String.raw`(?:[\w.@+~-]+\/)*[\w.@+~-]*\w\.?\w*:[1-9]\d*(?:-[1-9]\d*)?`
const reference = String.raw`\s*\x60?(${somewhere})\x60?`

/** Up to the end of a sentence stands nothing but more of them. */
const untilEnd = String.raw`(?=(?:\s*(?:[,;+&]|\band\b)\s*\x60?${somewhere}\x60?)*\W*$)`

/**
 * Lines that stand where evidence stands: in brackets at the end, behind a dash or an arrow, or behind the word; at the
 * end also behind a comma, a colon, a hyphen, or where something is done.
 */
const cited = new RegExp(
  String.raw`(?:[→⇒—–|]|[([](?=[^()[\]]*[)\]]\W*$)|(?:->|=>|--)|\b(?:evidence|proof|proved by|shown by|implemented (?:in|at)|done (?:in|at)|see)\b\s*:?)${reference}(?=$|[\s)\],;.])` +
    String.raw`|(?:[,;:+&]|(?<=\s)-|\b(?:in|at|and)\b)${reference}${untilEnd}`,
  "giu"
)

const linesIn = (text: string): ReadonlyArray<Cited> =>
  mends.test(text)
    ? []
    : [...text.matchAll(cited)].flatMap(({ 1: apart, 2: last = "" }) => {
        const evidence = apart ?? last
        const reference = parseReference(evidence)
        const known = mentionedFiles(`\`${evidence}\``)[0]
        return Result.isSuccess(reference) && known !== undefined ? [{ evidence, path: reference.success.path }] : []
      })
