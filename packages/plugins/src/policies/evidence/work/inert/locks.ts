import type { Declaration } from "../../../../port/index.ts"
import { timesIn } from "../../code/timesIn.ts"
import { type InertRule, type NewRows, rowAt, shown } from "./newRows.ts"

/** A lock that nobody else has: made where it is taken, or given back at once. */
export const ownLock: InertRule = (code) => {
  if (!asking.test(code.item)) return null
  const { language } = code
  const form = madeAtOnce[language]
  const atOnce = code.rows.find((row) => form?.test(rowAt(code, row)) === true)
  const found = atOnce ?? localLock(code) ?? untaken(code)
  return found === undefined
    ? null
    : `Nobody else has the lock that is taken there: ${shown(rowAt(code, found))}. Share one.`
}

const asking =
  /\b(?:atomic\w*|concurren\w*|guard(?:s|ed)?|lock(?:s|ed|ing)?|mutex\w*|mutual\w*|races?|synchroni[sz]\w*|thread[- ]?saf\w*)\b|排他|ロック/i

const madeAtOnce: Readonly<Record<string, RegExp>> = {
  python: /^(?:async )?with (?:\w+\.)?(?:R?Lock|Condition|(?:Bounded)?Semaphore)\(\d*\)\s*:/,
  java: /\bsynchronized\s*\(\s*new\b/,
  csharp: /\block\s*\(\s*new\b/,
  kotlin: /\bsynchronized\s*\(\s*(?:Any|Object)\(\)\s*\)|\b(?:Mutex|ReentrantLock)\(\)\.withLock\b/,
  ruby: /\b(?:Mutex|Monitor)\.new\.synchronize\b/,
  rust: /^let _ = .*\.(?:lock|write|read)\(\)(?:\.unwrap\(\)|\.await)?;$/,
  cpp: /^(?:std::)?(?:lock_guard|scoped_lock|unique_lock)(?:<[\w:<> ]*>)?\s*[({]\s*\w+\s*[)}];$/
}

const made: Readonly<Record<string, RegExp>> = {
  python: /^(\w+) = (?:\w+\.)?(?:R?Lock|Semaphore)\(\d*\)$/,
  go: /^(?:var (\w+) sync\.(?:RW)?Mutex|(\w+) := &?sync\.(?:RW)?Mutex\{\})$/,
  java: /^(?:final )?(?:var|Object|Lock|ReentrantLock) (\w+) = new (?:Object|ReentrantLock)\((?:true)?\);$/,
  csharp: /^(?:var|object) (\w+) = new(?: object)?\(\);|\bvar (\w+) = new object\(\);/,
  swift: /^let (\w+) = (?:NS(?:Recursive)?Lock|OSAllocatedUnfairLock)\(\)$/,
  cpp: /^(?:std::)?(?:recursive_)?mutex (\w+);$/,
  kotlin: /^val (\w+) = (?:Any|ReentrantLock|Mutex)\(\)$/
}

/** In the function that takes it, and in which nothing runs beside it. */
const localLock = (code: NewRows): number | undefined => {
  const form = made[code.language]
  if (form === undefined || code.outline === null) return undefined
  const { declarations } = code.outline
  return code.rows.find((row) => {
    const name = form
      .exec(rowAt(code, row))
      ?.slice(1)
      .find((one) => one !== undefined)
    if (name === undefined) return false
    const around = declarations.filter(({ end, start }) => start.row <= row && end.row >= row)
    const inner: Declaration | undefined = around.at(-1)
    if (inner === undefined || inner.kind !== "function") return false
    const body = withoutType(code.texts.slice(inner.start.row, inner.end.row + 1).join("\n"))
    const isShared = beside.test(body) || functionInside.test(body.slice(body.indexOf("\n") + 1))
    return timesIn(body, name) === 1 || (!isShared && taken(name).test(body))
  })
}

/** One that only its type knows, and that nothing there takes. */
const untaken = (code: NewRows): number | undefined =>
  code.rows.find((row) => {
    const [, name = ""] =
      (/^(?:java|csharp|kotlin)$/.test(code.language) ? ofType : /^(?!)/).exec(rowAt(code, row)) ?? []
    return name !== "" && timesIn(code.texts.join("\n"), name) === 1
  })
const ofType =
  /^private (?:static )?(?:final |readonly )?(?:va[lr] )?(?:Object|object|Lock|ReentrantLock|SemaphoreSlim)? ?(\w+)(?: ?: \w+)? = (?:new (?:Object|object|ReentrantLock|SemaphoreSlim)?\(.*\)|Any\(\)|ReentrantLock\(\));?$/

/** What a function gives back is said with an arrow too. */
const withoutType = (body: string): string => body.replace(/\)[\w\s]*->[^{}\n]*\{/, ") {")

const beside =
  /\b(?:go func|thread\w*\s*[(<{]|spawn|submit|execut\w+|async|launch|parallel\w*|yield|return \w*lock)\b|\bgo \w|=>|->|lambda|\[[&=]/i
/** A function within the function may run in several threads: written as in Go, Python, Swift or C++. */
const functionInside =
  /\bfunc\s*\(|^\s+(?:async )?def |\{\s*[\w, ():]*\bin\s*$|\]\s*\([^()]*\)[\s\w]*\{|\[[^\]\n]+\]\s*\{/m
const taken = (name: string): RegExp =>
  new RegExp(
    `\\bwith ${name}\\b|\\b${name}\\.(?:lock|Lock|acquire|withLock)\\b|\\b(?:synchronized|lock)\\s*\\(\\s*${name}\\s*\\)|\\b(?:lock_guard|scoped_lock|unique_lock)\\b[^;]*[({]\\s*${name}\\s*[)}]`
  )
