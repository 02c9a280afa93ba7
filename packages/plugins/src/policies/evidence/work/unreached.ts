import type { Declaration, LineRange, SourceOutline } from "../../../port/index.ts"
import { sharesWord } from "../asked/askedFor.ts"
import type { Placed } from "../asked/namedPlaces.ts"
import { saidOf } from "../asked/said.ts"
import { anyOf, declaring, standingIn } from "../asked/words.ts"
import { isScript } from "../code/families.ts"
import { onceFor } from "../code/once.ts"
import { type Plain, plainOf, rowOf } from "../code/plain.ts"
import { rowsIn, setOf } from "../code/rowsIn.ts"
import { timesIn } from "../code/timesIn.ts"
import { isTestFile } from "../tests/testCases.ts"
import { bindingIn } from "./bindings.ts"
import { declaresLocal, type IdleAdditions, isFoundByName, isHandedOn, quiet } from "./idleAdditions.ts"

type File = Placed & { readonly lines: ReadonlyArray<string> }
type Read = File & { readonly outline: SourceOutline; readonly rows: ReadonlyArray<string> }

/** What is new as a whole, with its first and last row. */
interface Part {
  readonly name: string
  readonly row: number
  readonly last: number
  /** The declaration around it. */
  readonly around: Declaration | null
  readonly isFunction: boolean
  readonly isLocal?: boolean
}

/**
 * Functions and values, all that is new in these lines, of which nothing else in the file speaks. Those that only the project can reach do
 * nothing by themselves; what others may use from outside does nothing for an item that asks for another behaviour of what is
 * there, and shares no word with it. Null: something else is new, or it may be found. `fresh`: rows that are new. Pure.
 */
export const unreachedIn = (
  item: string,
  file: File,
  fresh: ReadonlyArray<number>,
  range: LineRange
): IdleAdditions | null => {
  const { lines, outline, path, tokens } = file
  const said = saidOf(item)
  if (outline === null || outline.language === "bash" || isTestFile(path) || isFoundByName(path)) return null
  const [isOfNames, isOfWork] = [ofNames.test(said), changing.test(said)]
  if (isOfNames && !isOfWork) return null
  const cited = rowsIn(fresh, range).filter((row) => !quiet.test(tokens[row] ?? ""))
  if (cited.length === 0 || cited.length > maxRows) return null
  const plain = plainOf(lines, outline)
  const read = { ...file, outline, rows: rowsOf(plain) }
  const declared: Array<Part> = functionsIn(fresh)(read).filter(({ last, row }) =>
    cited.some((one) => one >= row && one <= last)
  )
  for (const row of cited) {
    if (isIn(declared, row) || isImport(outline, row)) continue
    const value = valueAt(read, plain, row)
    if (value === null) return null
    declared.push(value)
  }
  const rest = read.rows.filter((_, row) => !isIn(declared, row)).join("\n")
  const isIdle = (part: Part): boolean => {
    const head = headOf(read, part)
    if (isHandedOn(head, part.name) || calledByName.test(part.name)) return false
    const isOpen = !isOwn(read, part, head)
    if (isOpen && (isOfNames || !isOfWork || !isPublic(read, part, head))) return false
    // whoever is to be limited may be asked to: `limitRows()`
    if (isOpen && part.isFunction && sharesWord(part.name, said)) return false
    return !isSpokenOf(rest, part.name) && !hasSiblings(read, part, isOpen, fresh)
  }
  if (declared.length === 0 || !declared.every(isIdle)) return null
  return { declared, isEcho: false, why: "Nothing in the project uses" }
}

/** Whoever writes more than that does something. */
const maxRows = 80

/** What is to be there for others, and what they call it. */
const ofNames = anyOf(
  [
    declaring,
    standingIn,
    String.raw`alias\w*|apis?|callbacks?|constants?|defin\w*|export\w*|extract\w*|functions?|helpers?|hooks?|interfaces?|librar(?:y|ies)|macros?|methods?|move\w*|overload\w*|prepar\w*|refactor\w*|signatures?|split\w*|utils?|utilit\w*|versions?`
  ],
  "関数|定数|メソッド|ヘルパー"
)

/** What is there is to do something otherwise; nothing is to be there for others. */
const changing =
  /^(?:avoid|close|correct|do not|don't|enforce|ensure|fix(?:e[sd])?|handle|honou?r|improve|limit|never|optimi[sz]e|prevent|reduce|reject|release|resolve|respect|restrict|retry|skip|speed up|stop|throttle|wait)\b|^make (?!.*\b(?:accessible|available|possible|public)\b)/i

const rowsOf = onceFor((plain: Plain): ReadonlyArray<string> => plain.text.split("\n"))
const isIn = (parts: ReadonlyArray<Part>, row: number): boolean =>
  parts.some((one) => row >= one.row && row <= one.last)
const isImport = ({ asides }: SourceOutline, row: number): boolean =>
  asides.some(
    ({ end, kind, start }) =>
      kind === "import" && row >= start.row && (row < end.row || (row === end.row && end.column > 0))
  )

/** Its name, also as a part of one that is put together: `"_on_" + kind`. */
export const isSpokenOf = (text: string, name: string): boolean => {
  if (text.includes(name) && timesIn(text, name) > 0) return true
  const parts = [...name.matchAll(/(?<=[a-z\d])(?=[A-Z])|(?<=[a-z\d]_)/g)]
    .flatMap(({ index }) => (index > 2 ? [name.slice(0, index)] : []))
    .filter((part) => text.includes(part))
  return (
    parts.length > 0 &&
    new RegExp(`["'\`:](?:${parts.join("|").replace(/[$.?]/g, "\\$&")})(?:["'\`{%$]|#\\{)`).test(text)
  )
}

const functionsIn = onceFor((fresh: ReadonlyArray<number>) => {
  let found: ReadonlyArray<Part> | undefined
  return (file: Read): ReadonlyArray<Part> => {
    found ??= newFunctions(file, setOf(fresh))
    return found
  }
})

/** The outermost ones. */
const newFunctions = ({ outline, tokens }: Read, isNew: ReadonlySet<number>): ReadonlyArray<Part> =>
  outline.declarations.flatMap(({ end, kind, name, parent, start }) => {
    const around = parent === null ? null : (outline.declarations[parent] ?? null)
    const isWhole = tokens
      .slice(start.row, end.row + 1)
      .every((text, at) => isNew.has(start.row + at) || quiet.test(text))
    return kind === "function" && name !== null && /^[\w$]+[?!]?$/.test(name) && around?.kind !== "function" && isWhole
      ? [{ name, row: start.row, last: end.row, around, isFunction: true }]
      : []
  })

/** A name that is given what nothing is done for, up to where its brackets close. */
const valueAt = ({ outline, rows }: Read, plain: Plain, row: number): Part | null => {
  const from = plain.starts[row] ?? 0
  const line = rows[row] ?? ""
  let last = row
  for (let at = from; at < from + line.length; at++) last = Math.max(last, rowOf(plain, plain.closers[at] ?? 0))
  const text = rows
    .slice(row, last + 1)
    .join(" ")
    .trim()
  const [, macro] = /^#\s*define\s+([A-Za-z]\w*)\s+\S/.exec(text) ?? []
  const bound = macro === undefined ? bindingIn(text.replace(kinds, "")) : { name: macro, value: "1", words: "" }
  if (bound === null || !isOnlyMade(bound.value)) return null
  const around = outline.declarations.findLast(({ end, start }) => start.row < row && end.row >= last) ?? null
  const isLocal = around?.kind === "function" && declaresLocal.test(bound.words)
  return { name: bound.name, row, last, around, isFunction: false, isLocal }
}
/** Words of some languages between those that a binding may begin with. */
const kinds = /\b(?:constexpr|static(?=\s+(?:const|[A-Z][A-Z\d_]*\s*:))|unsigned|mut|float|\w+\[\])\s+/g

/** Nothing is called but what makes a value. */
const isOnlyMade = (value: string): boolean => {
  if (value.length > maxValue) return false
  const code = value
    .replace(/(["'`])(?:(?!\1)[^\\]|\\.)*\1/g, '""')
    .replace(/\bnew (?:Array|Date|Map|RegExp|Set|WeakMap|WeakSet)\b(?:<[\w, ]*>)?/g, "")
    .replace(
      /\b(?:(?:[A-Z]\w*\.|[A-Z]\w*::)(?:of|from|comparing|compile|parse|empty|days|hours|minutes|seconds|milli)\w*|re\.compile|regexp\.MustCompile|frozenset|set|dict|list|tuple)(?=\()/g,
      ""
    )
  return !/[\w>\])]\s*!?\(|\bnew\b|=>|->|\b(?:await|case|fn|func|function|if|lambda|yield)\b/.test(code)
}
const maxValue = 2_000

/** From its annotations to its body. */
const headOf = ({ outline, rows }: Read, { isFunction, row }: Part): string => {
  if (!isFunction) return (rows[row] ?? "").trim()
  const { bodyStart } = outline.declarations.find(({ kind, start }) => kind === "function" && start.row === row) ?? {}
  return rows
    .slice(row, (bodyStart?.row ?? row) + 1)
    .join(" ")
    .trim()
}

/** Others call it by what it is called. */
const calledByName = /^(?:_$|__|read(?:Object|Resolve)|write(?:Object|Replace)|serialVersionUID|on[A-Z_])/

/** Nothing outside of the project can speak of it. */
const isOwn = (file: Read, { around, isFunction, last, name, row }: Part, head: string): boolean => {
  const { language } = file.outline
  const above = (file.rows.slice(0, row).findLast((text) => text.trim() !== "") ?? "").trim()
  if (/^(?:@|#\[|\[)/.test(above) || /^(?:@|#\[|\[)/.test(head)) return false
  const outer =
    around === null ? "" : headOf(file, { name: "", row: around.start.row, last: 0, around, isFunction: false })
  // in Ruby the last one is what is given back
  const below = language === "ruby" ? (file.rows.slice(last + 1).find((text) => text.trim() !== "") ?? "") : ""
  if (around?.kind === "function")
    return !isFunction && isRead(file, around) && !/^\s*(?:end|else|elsif|when|rescue)\b/.test(below)
  if (isScript(language)) {
    if (around !== null) return /^private\b/.test(head)
    return !/^export/.test(head) && (isFunction || /^(?:const|let)\b/.test(head))
  }
  switch (language) {
    case "python":
      return name.startsWith("_") && (around === null || /^class \w+\s*:/.test(outer))
    case "go":
      return /^[a-z]/.test(name)
    case "rust":
      return (
        !/^(?:pub\b|extern\b)/.test(head) && !/^(?:unsafe )?(?:impl\b.* for |trait\b)|^(?:pub )?trait\b/.test(outer)
      )
    case "c":
    case "cpp":
      return /^(?:static|constexpr|const)\b/.test(head)
        ? around?.kind !== "type" && !/\.h\w*$/.test(file.path)
        : /^#\s*define\s+[A-Z]/.test(head) && /\.(?:c|cc|cpp|cxx)$/.test(file.path)
    case "ruby":
      return /^private def\b/.test(head)
    case "csharp":
      return isPrivate.test(head) && !/\bclass \w+(?:<[^>]*>)?\s*:/.test(outer)
    default:
      return isPrivate.test(head) && (isFunction || /\b(?:static|final|const|val|let)\b/.test(head))
  }
}
const isPrivate = /^(?:(?:static|final|override|lazy|inline|suspend) )*(?:private|fileprivate)\b(?!\[)/

/** Of a function nobody asks for its names by their texts, nor gives all of them away. */
const isRead = ({ rows }: Read, { end, start }: Declaration): boolean =>
  !rows
    .slice(start.row, end.row + 1)
    .some((text) =>
      /\b(?:arguments|binding|compact|eval|extract|func_get_args|include|locals|require|vars)\b/.test(text)
    )

/** At the outermost level, or of a type that is there for its names. */
const isPublic = ({ outline, path }: Read, { around, isFunction, name }: Part, head: string): boolean => {
  if (/^(?:@|#\[|\[)/.test(head) || around?.kind === "function") return false
  if (isFunction) return around?.kind !== "type" && !/\.h\w*$/.test(path)
  return (
    /^[A-Z][A-Z\d_]*$/.test(name) ||
    (outline.language === "go" && /\bconst\b/.test(head)) ||
    /\bconst(?:expr)?\b/.test(head)
  )
}

/** Others like it were there before of which the file does not speak either: somebody finds them. */
const hasSiblings = (file: Read, part: Part, isOpen: boolean, fresh: ReadonlyArray<number>): boolean => {
  const [isNew, { outline, rows }] = [setOf(fresh), file]
  if (!part.isFunction)
    return [part.row - 1, part.last + 1].some((row) => {
      const text = rows[row] ?? ""
      return !isNew.has(row) && (bindingIn(text) !== null || /^\s*#\s*define\b/.test(text))
    })
  return (
    !isOpen &&
    outline.declarations
      .filter(({ kind, name, start }) => kind === "function" && name !== null && !isNew.has(start.row))
      .slice(0, maxSiblings)
      .some(({ end, name, parent, start }) => {
        const around = parent === null ? null : (outline.declarations[parent] ?? null)
        const other = { name: name ?? "", row: start.row, last: end.row, around, isFunction: true }
        return (
          around === part.around &&
          isOwn(file, other, headOf(file, other)) &&
          timesIn(rows.join("\n"), other.name) === 1
        )
      })
  )
}
const maxSiblings = 50
