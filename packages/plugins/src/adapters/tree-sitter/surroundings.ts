/** Reasons that a function may have, in what is around it, to fail or to give one value back whatever it is given. */
import type { Node } from "web-tree-sitter"
import type { Captured, Found } from "./captures.ts"
import { headOf, parametersOf, simpleName, wordOf } from "./shape.ts"
import { onlyValue } from "./ways.ts"

interface Text {
  /** All declarations of the text, outer ones before those in them. */
  readonly all: ReadonlyArray<Found>
  readonly captured: Captured
  readonly language: string
  /** Whether a function does anything by itself, whatever reason there may be for doing nothing. */
  readonly doesSomething: (declared: Found) => boolean
}

export interface Surroundings extends Text {
  /** What is looked for again and again; made when it is first asked for. */
  readonly index: () => Index
}

interface Index {
  /** The type that a declaration stands in, by its node. */
  readonly types: ReadonlyMap<number, Found>
  /** The functions of a type, by its node; those in a type in it belong to both. */
  readonly members: ReadonlyMap<number, ReadonlyArray<{ readonly member: Found }>>
  /** Whether a member of a type does something, as far as it was asked for. */
  readonly working: Map<number, boolean>
  /** Functions with a body by the last part of their names. */
  readonly named: ReadonlyMap<string, ReadonlyArray<Found>>
  /** What the types are called that have a word in their heads. */
  readonly heads: ReadonlyMap<string, ReadonlySet<string>>
  /** Where names stand that may be called, and those that are passed on. */
  readonly calls: Places
  readonly passed: Places
  /** Where it is said for which platforms the file is built; null: nowhere. */
  readonly platforms: number | null
}

export const surroundingsOf = (text: Text): Surroundings => {
  let index: Index | null = null
  return {
    ...text,
    index: () => {
      index ??= indexOf(text)
      return index
    }
  }
}

type Places = ReadonlyMap<string, ReadonlyArray<{ readonly index: number }>>

const indexOf = ({ all, captured, language }: Text): Index => {
  const text = all[0]?.node.tree.rootNode.text ?? ""
  const functions = all.filter(({ body, kind }) => kind === "function" && body !== null)
  const types = new Map<number, Found>()
  const inTypes: Array<{ readonly type: number; readonly member: Found }> = []
  const heads = new Map<string, Set<string>>()
  const open: Array<{ readonly type: Found; readonly end: number }> = []
  for (const declared of all) {
    const { kind, node } = declared
    const end = node.endIndex
    while ((open.at(-1)?.end ?? end) < end) open.pop()
    const around = open.at(-1)?.type
    if (around !== undefined) types.set(node.id, around)
    if (kind === "function") for (const { type } of open) inTypes.push({ type: type.node.id, member: declared })
    if (kind !== "type") continue
    open.push({ type: declared, end })
    for (const word of headOf(declared).match(/[A-Za-z_$][\w$]*/g) ?? []) {
      const names = heads.get(word) ?? new Set()
      heads.set(word, names.add(declared.name ?? ""))
    }
  }
  return {
    types,
    members: Map.groupBy(inTypes, ({ type }) => type),
    working: new Map(),
    named: Map.groupBy(functions, simpleName),
    heads,
    // Ruby may leave the brackets out
    calls: placesIn(text, language === "ruby" ? /([A-Za-z_]\w*[?!]?)/g : /([A-Za-z_$][\w$]*)\(/g),
    passed: placesIn(text, /(?<=[=,{(&:]\s{0,40}&?)([A-Za-z_]\w*)(?=\s{0,40}[,;})])/g),
    platforms:
      language === "go"
        ? ([...captured.comments.values()].find(({ text }) => /^\/\/(?:go:build|\s*\+build)\s/.test(text))
            ?.startIndex ?? null)
        : null
  }
}

const placesIn = (text: string, pattern: RegExp): Places => Map.groupBy(text.matchAll(pattern), ([, word = ""]) => word)

/** Null: nothing around it counts. */
export const mayFail = (around: Surroundings | null, declared: Found): boolean =>
  declared.name === null ||
  (around !== null &&
    (isNamedForFailure(declared.name) ||
      isNamedForFailure(typeAround(around, declared)?.name ?? "") ||
      isCalledFor(around, declared) ||
      isGuard(around, declared)))

export const mayBeFixed = (around: Surroundings | null, declared: Found): boolean =>
  declared.name === null ||
  (around !== null &&
    (isNamedForFailure(declared.name) ||
      isNamedForOneValue(declared.name) ||
      isCalledFor(around, declared) ||
      isPassedOn(around, declared)))

/**
 * Whether it may do nothing. Null: nothing around it counts. Its type is a null object, a double of tests of which something
 * works, or nothing at all, or what a framework asks both ends of.
 */
export const mayBeEmpty = (around: Surroundings | null, declared: Found): boolean => {
  if (around === null) return false
  const type = typeAround(around, declared)
  if (type === undefined) return around.language === "go" && isOfGoDouble(around, declared)
  const isUnused = parametersOf(declared, around.language)?.used === false
  const isOpen = isOpenType(type, around.language)
  if (isNullObject(type) && (isOpen || around.language === "ruby"))
    // an `EmptyCollection` is as likely to be something else
    return isUnused || !(type.name ?? "").startsWith("Empty")
  const works = hasWorkingMember(around, type)
  if (isDouble(type.name ?? ""))
    // in Ruby programs have mocks of their own
    return (works || isSilent(around, type)) && (around.language !== "ruby" || isUnused)
  return works && isOpen && isFixture(type)
}

/** All that is asked of it does nothing, without a word. */
const isSilent = ({ index }: Surroundings, { node }: Found): boolean =>
  (index().members.get(node.id) ?? []).every(({ member: { body } }) => body === null || /^\W*$/.test(body.text))

/** Methods of Go stand outside of their type. */
const isOfGoDouble = ({ all, doesSomething }: Surroundings, { name }: Found): boolean => {
  const owner = name?.split(".")[0] ?? ""
  return isDouble(owner) && all.some((one) => one.name?.startsWith(`${owner}.`) === true && doesSomething(one))
}

const isCalledFor = (around: Surroundings, declared: Found): boolean =>
  isOverride(declared) ||
  isMemberOfOpenType(around, declared) ||
  isOneOfMany(around, declared) ||
  isVariant(around, declared)

// --- its name -----------------------------------------------------------------------------------------------------

/** Such a function is there to fail. */
const isNamedForFailure = (name: string): boolean => {
  const words = name
    .replace(/([a-z\d])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z\d]+/)
    .filter((word) => word !== "")
  const first = words.find((word) => !before.has(word))
  return (
    (first !== undefined && failing.has(first)) ||
    words.some((word) => mentioning.has(word)) ||
    /\bnot (?:supported|allowed|implemented)\b/.test(words.join(" "))
  )
}

const isNamedForOneValue = (name: string): boolean =>
  /(?:^|[._])(?:nil|null|none|always|never|no_?[oO]p)(?:[A-Z_]|$)/.test(name)

const listed = (text: string): ReadonlySet<string> => new Set(text.split(" "))
const before = listed("do always must will should test it on is")
const failing = listed(
  "fail abort panic die crash reject exit bail explode croak forbid deny denied refuse invalid illegal bad error exhaust exhausted assert invariant impossible todo unimplemented"
)
const mentioning = listed(
  "throw throws thrower throwing raise raises raising fails failing failure failed errors erroring panics panicking never unreachable unsupported"
)

// --- its type -----------------------------------------------------------------------------------------------------

/** A type that fulfils what another one asks for, or is there to be filled in: it declares what it does not do. */
const isOpenType = (type: Found, language: string): boolean => {
  const head = headOf(type)
  return openHead.test(head) || openName.test(type.name ?? "") || (language === "python" && withBase.test(head))
}

/** `class A(Base)`; elsewhere brackets hold what its objects are made of. */
const withBase = /\bclass\s+\w+\s*\(\s*(?!object\s*\))[A-Za-z_]/

const openHead =
  /\b(?:extends|implements|interface|trait|protocol|abstract|open|sealed|with)\b|\bimpl\b[\s\S]*\bfor\b|(?:class|struct|extension|object|enum|actor)\s[^(]*(?:\([^)]*\))?\s*:\s*(?:public\s+|private\s+|protected\s+|virtual\s+)*[A-Za-z_]|\bclass\s+[\w:]+\s+<\s+[A-Z:]/

const openName =
  /^(?:Base|Abstract|Default)[A-Z_]|(?:Base|Listener|Adapter|Handler|Visitor|Callbacks?|Hooks|Delegate|Observer)$/

/** That a null object does nothing is what it is for. */
const isNullObject = ({ name }: Found): boolean =>
  name !== null && /^(?:Null|No_?[oO]p|Empty|Disabled|Dummy|Stub)[A-Z_]/.test(name)

/** It takes the place of another in tests: some of what is asked of it matters there, and some does not. */
const isDouble = (name: string): boolean =>
  /^(?:Fake|Spy|Mock|Stub|Dummy|(?:fake|spy|mock|stub|dummy)(?=[A-Z]))[A-Z_]|(?:Fake|Spy|Mock|Stub|Dummy)$/.test(name)

/** Its framework asks for both ends of it, and mostly one of them needs nothing. */
const isFixture = (type: Found): boolean => /\bIAsyncLifetime\b/.test(headOf(type))

/** Its head says that it takes the place of another, or is there to be replaced. */
const isOverride = (declared: Found): boolean => {
  const [before = "", behind = ""] = headOf(declared).split(new RegExp(wordOf(simpleName(declared))), 2)
  return (
    /\b(?:override|overriding|virtual|abstract|default|open|@objc)\b|@(?:[\w.]+\.)?(?:Override|override|abstractmethod|overload)\b/.test(
      before
    ) || /\)[^(]*\boverride\b/.test(behind)
  )
}

/** The type that a declaration stands in, if any. */
const typeAround = ({ index }: Surroundings, { node }: Found): Found | undefined => index().types.get(node.id)

/**
 * A member of a type that fulfils what another one asks for, or that others build on: of a null object, a constructor,
 * with parameters that are named as unused, or beside a member that does something.
 */
const isMemberOfOpenType = (around: Surroundings, declared: Found): boolean => {
  const type = typeAround(around, declared)
  if (type === undefined) return false
  // of two types that are compiled in turn one has the other's methods (`fn find(&self, _: &[u8])`)
  if (around.language === "rust" && parametersOf(declared, around.language)?.used === false) return true
  if (!(isOpenType(type, around.language) || isBase(around, type))) return false
  return (
    isNullObject(type) ||
    isConstructor(declared, type) ||
    parametersOf(declared, around.language)?.used === false ||
    hasWorkingMember(around, type)
  )
}

/** Whoever asks does nothing by itself, so it is another. */
const hasWorkingMember = ({ doesSomething, index }: Surroundings, { node }: Found): boolean => {
  const { members, working } = index()
  const before = working.get(node.id)
  if (before !== undefined) return before
  const found = (members.get(node.id) ?? []).some(({ member }) => doesSomething(member))
  working.set(node.id, found)
  return found
}

/** One that only fails forbids to make such objects. */
const isConstructor = (declared: Found, { name }: Found): boolean =>
  ["__init__", "__construct", "constructor", "initialize", "init", name].includes(simpleName(declared))

/** Another type of the text names it in its head; what goes on under its own name (`impl Store`) does not. */
const isBase = ({ index }: Surroundings, { name }: Found): boolean =>
  name !== null && [...(index().heads.get(name) ?? [])].some((other) => other !== name)

/**
 * Another of its name does something in the same type, or gives another value back: it is the answer for one kind of
 * caller or object.
 */
const isOneOfMany = (around: Surroundings, declared: Found): boolean => {
  const type = typeAround(around, declared)?.node.id
  return (around.index().named.get(simpleName(declared)) ?? []).some(
    (one) =>
      one.node.id !== declared.node.id &&
      (isOneValue(around, declared) && isOneValue(around, one)
        ? one.body?.text !== declared.body?.text
        : typeAround(around, one)?.node.id === type && around.doesSomething(one))
  )
}

/** The last statement of the body is a plain value, or all ways through it give one. */
const isOneValue = ({ captured, language }: Surroundings, declared: Found): boolean => {
  if (onlyValue(declared, captured, language) !== null) return true
  let last = declared.body
  for (let depth = 0; depth < 3 && last !== null; depth++) {
    if (captured.constants.has(last.id)) return true
    last = last.namedChildren.findLast((child) => child !== null && !captured.comments.has(child.id)) ?? null
  }
  return false
}

/** The file is built for some platforms only: another has the same function for the others. */
const isVariant = ({ index }: Surroundings, { node }: Found): boolean =>
  (index().platforms ?? Number.POSITIVE_INFINITY) < node.startIndex

/** Where nothing but the language says what is seen from elsewhere, a name that is not called is a value: a callback. */
const isPassedOn = ({ index, language }: Surroundings, declared: Found): boolean =>
  ["c", "cpp", "go"].includes(language) && elsewhere(declared, index().passed).length > 0

/** Where its name stands, but for the declaration itself. */
const elsewhere = (declared: Found, places: Places): ReadonlyArray<number> => {
  const [start, end] = [declared.node.startIndex, declared.node.endIndex]
  return (places.get(simpleName(declared)) ?? []).flatMap(({ index }) => (index < start || index >= end ? [index] : []))
}

// --- its callers --------------------------------------------------------------------------------------------------

/** Elsewhere it is called in some cases and not in others: it is what is done when something is wrong. */
const isGuard = ({ index }: Surroundings, declared: Found): boolean =>
  elsewhere(declared, index().calls)
    .slice(0, maxCalls)
    .some((at) => isInBranch(declared.node.tree.rootNode, at))

/** What is called more often is looked for in the first ones. */
const maxCalls = 100

/** The place is in a branch of a function, and not in what is asked before. */
const isInBranch = (root: Node, index: number): boolean => {
  for (let at = root.descendantForIndex(index), inner: Node | null = null; at !== null; inner = at, at = at.parent) {
    if (isFunctionNode.test(at.type)) return false
    if (branching.test(at.type)) return asked.every((field) => at.childForFieldName(field)?.id !== inner?.id)
  }
  return false
}

const isFunctionNode = /^(?:function|method|func_lit|lambda|arrow)/

const asked = ["condition", "subject", "value", "left"]

const branching =
  /^(?:if|else|elif|unless|switch|case|match|when|catch|except|rescue|conditional|ternary|elvis|guard|default)|_(?:case|clause|arm|branch)$|^(?:nil_?coalescing|null_?coalesc|binary_expression$|boolean_operator)/
