import { lineStarts, rowAt } from "../../../text/lines.ts"
import type { Scanned } from "../../../text/scan.ts"

// Programs of lists in brackets: Lisp, Scheme, Racket, Clojure.

/** A list, or a word, number or string that stands alone. */
export interface Form {
  readonly from: number
  readonly to: number
  /** Null: it is no list. */
  readonly items: ReadonlyArray<Form> | null
}

/** Deeper lists are skipped as one. */
const maxDepth = 100

/** What the forms in rows `first` to `last`, from 0, come to; null: to something. */
export const emptyForms = (
  forms: ReadonlyArray<Form>,
  { code, text }: Scanned,
  { first, last }: { readonly first: number; readonly last: number }
): "stub" | "nothing" | null => {
  const starts = lineStarts(code)
  const cited = forms.filter(({ from, to }) => rowAt(starts, from) <= last && rowAt(starts, to - 1) >= first)
  const kinds = new Set(cited.map((form) => kindOf(form, { code, text })))
  if (kinds.has("real")) return null
  return kinds.has("stub") ? "stub" : kinds.has("declared") ? null : "nothing"
}

interface Source {
  readonly code: string
  readonly text: string
}

/** `declared`: a type, or a name for others: something, unless functions beside it are still to be written. */
type Kind = "nothing" | "stub" | "declared" | "real"

/** All lists and words of a program that stand in no list. */
export const formsIn = (code: string): ReadonlyArray<Form> => {
  const open: Array<{ readonly from: number; readonly items: Array<Form> }> = [{ from: 0, items: [] }]
  const add = (form: Form) => (open.at(-1)?.items ?? []).push(form)
  const token = /[([{]|[)\]}]|"[^"]*"|[^\s()[\]{}"]+/g
  for (let found = token.exec(code); found !== null; found = token.exec(code)) {
    const [word] = found
    const { index } = found
    if (/^[([{]$/.test(word) && open.length < maxDepth) open.push({ from: index, items: [] })
    else if (/^[)\]}]$/.test(word)) {
      const closed = open.length > 1 ? open.pop() : undefined
      if (closed !== undefined) add({ ...closed, to: index + 1 })
    } else add({ from: index, to: index + word.length, items: null })
  }
  // a list that nobody closes goes to the end
  while (open.length > 1) {
    const unclosed = open.pop()
    if (unclosed !== undefined) add({ ...unclosed, to: code.length })
  }
  return open[0]?.items ?? []
}

const wordOf = (form: Form | undefined, { code }: Source): string =>
  form === undefined || form.items !== null ? "" : code.slice(form.from, form.to)

const isString = (form: Form, { code }: Source): boolean => code.charAt(form.from) === '"'

const imports =
  /^(?:ns|in-ns|require|use|import|provide|in-package|defpackage|define-library|library|module\+|use-modules|define-module|export|declare|declaim|proclaim|load|comment|asdf:defsystem|defsystem|only|except)$/
const types =
  /^(?:defrecord|defprotocol|deftype|defstruct|definterface|defclass|deftype|define-record-type|define-struct|struct|defgeneric|define-condition|define-type)$/
const functions =
  /^(?:defn-?|defmacro|defmethod|defun\*?|cl-defun|define|define\*|define-public|define\/contract|define\/public|lambda|fn|defmulti|defsubst|defnp)$/
const values = /^(?:def|defonce|defvar|defparameter|defconstant|defconst|setq|setf)$/

const kindOf = (form: Form, source: Source): Kind => {
  const { items } = form
  if (items === null) return isIdleWord(form, source) ? "nothing" : "real"
  const head = wordOf(items[0], source)
  if (imports.test(head)) return "nothing"
  if (types.test(head)) return "declared"
  if (functions.test(head)) {
    const body = bodyOf(items, head, source)
    return isUnwritten(body, source) || isEmptyOfGiven(items, body, source) ? "stub" : "real"
  }
  if (values.test(head)) {
    const given = items.slice(2)
    if (given.length === 0) return "declared"
    return given.every((one) => saysSo(one, source)) ? "stub" : "real"
  }
  if (/^(?:begin|progn|do|module|eval-when)$/.test(head)) {
    const kinds = new Set(items.slice(1).map((one) => kindOf(one, source)))
    return (["real", "stub", "declared", "nothing"] as const).find((kind) => kinds.has(kind)) ?? "nothing"
  }
  return saysSo(form, source) ? "stub" : "real"
}

/** `#lang racket` and what stands alone beside lists. */
const isIdleWord = (form: Form, { code, text }: Source): boolean => {
  const line = text.slice(text.lastIndexOf("\n", form.from) + 1, form.to)
  return /^\s*#(?:lang|!)/.test(line) || /^[^\w]*$/.test(code.slice(form.from, form.to))
}

/** What stands behind its name, documentation and parameters; of several heads that of all of them. */
const bodyOf = (items: ReadonlyArray<Form>, head: string, source: Source): ReadonlyArray<Form> => {
  // `(define (f x) …)` and `(lambda (x) …)` have the parameters at once, `(defn f [x] …)` behind the name
  const isNamed = !/^(?:lambda|fn)$/.test(head) || items[1]?.items === null
  let rest = items.slice(isNamed ? 2 : 1)
  const isDefine = head.startsWith("define")
  if (isDefine && items[1]?.items === null) {
    const value = rest[0]
    const inner = wordOf(value?.items?.[0], source)
    return value?.items != null && /^(?:lambda|case-lambda)$/.test(inner) ? bodyOf(value.items, inner, source) : rest
  }
  const dropped = (one: Form | undefined): boolean =>
    one !== undefined &&
    (isString(one, source) || source.code.charAt(one.from) === "{" || /^[\^:]/.test(wordOf(one, source)))
  while (!isDefine && dropped(rest[0])) rest = rest.slice(1)
  const clauses = rest.filter(({ items: inner }) => inner !== null && inner[0]?.items != null)
  if (
    !isDefine &&
    clauses.length === rest.length &&
    clauses.length > 0 &&
    source.code.charAt(rest[0]?.from ?? 0) === "(" &&
    isClause(rest[0], source)
  )
    return clauses.flatMap(({ items: inner }) => (inner ?? []).slice(1))
  if (!isDefine) rest = rest.slice(1)
  // documentation may stand behind the parameters; as the only thing there it is what the function gives
  while (!isDefine && isNamed && isDocumentation(rest, source)) rest = rest.slice(1)
  return rest
}

/** `([x] …)`: parameters in square brackets first. */
const isClause = (form: Form | undefined, { code }: Source): boolean => code.charAt(form?.items?.[0]?.from ?? 0) === "["

/** A string that something follows; or one that tells what is to be given. */
const isDocumentation = (rest: ReadonlyArray<Form>, source: Source): boolean => {
  const [first] = rest
  if (first === undefined || !isString(first, source)) return false
  return rest.length > 1 || /\s\S+\s\S+/.test(source.text.slice(first.from, first.to))
}

/** It is given something, looks at nothing of it, and gives back a list of nothing: `(defn parse [text] {})`. */
const isEmptyOfGiven = (items: ReadonlyArray<Form>, body: ReadonlyArray<Form>, source: Source): boolean => {
  const given = items.find((one) => one.items !== null && source.code.charAt(one.from) === "[")?.items ?? []
  const isNamed = given.some((one) => /^[a-z][^\s]*$/i.test(wordOf(one, source)))
  return (
    isNamed &&
    body.length === 1 &&
    body.every(({ from, items: inner }) => inner?.length === 0 && /[[{]/.test(source.code.charAt(from)))
  )
}

const isUnwritten = (body: ReadonlyArray<Form>, source: Source): boolean =>
  body.every((form) => saysSo(form, source) || isNothing(form, source))

const isNothing = (form: Form, source: Source): boolean =>
  form.items === null
    ? /^(?:nil|'|#f|TODO|:todo|:not-implemented)$/.test(wordOf(form, source))
    : /^(?:declare|ignore|comment|void)$/.test(wordOf(form.items[0], source)) ||
      (form.items.length === 0 && source.code.charAt(form.from) === "(")

/** Fails with words of its own, whatever it was given. */
const saysSo = ({ from, items, to }: Form, source: Source): boolean => {
  if (items === null || !failing.test(wordOf(items[0], source))) return false
  const words = source.code.slice(from, to).match(/[\w.?!*<>=+-]+/g) ?? []
  return words.every((word) => failing.test(word) || /^(?:new|\d+)$/.test(word))
}

const failing =
  /^(?:error|throw|raise|raise-user-error|signal|cerror|ex-info|not-implemented|todo|(?:[\w.]*\.)?\w*Exception\.?|\w*-error)$/
