/**
 * Calls by which a test in JavaScript tells its runner that it is done, or how much will be asserted: `t.end()`, `t.pass()`,
 * `t.plan(2)`, `expect.assertions(2)`. In a callback they show that it was called; in the test itself they show nothing.
 */

type Part = readonly [from: number, to: number]

const call = /(?<![\w$.])([\w$]+)\.(?:end|plan)\s*(?=\()|(?<![\w$.])expect\.(?:assertions|hasAssertions)\s*(?=\()/g

/** Where such calls stand in the body of a test, `pass` left out. */
export const harnessCalls = (code: string, closers: Int32Array): ReadonlyArray<Part> =>
  [...code.matchAll(call)].flatMap(({ 0: head, index }) => {
    const close = closers[index + head.length] ?? 0
    if (close === 0 || (/\.end\s*$/.test(head) && (isInCallback(code, index) || isInCatch(code, index)))) return []
    return [[index, close + 1] as const]
  })

/** How far a callback is looked for before a place. */
const reach = 5_000

/** Whether what stands at a place runs only when something else calls it: not in the test itself, nor in one within it. */
export const isInCallback = (code: string, at: number): boolean => {
  const receiver = /^[\w$]+/.exec(code.slice(at, at + 100))?.[0] ?? ""
  const direct = headBefore(code, at)
  if (direct !== null) return isCallback(direct, receiver)
  let depth = 0
  for (let place = at - 1; place > 0 && at - place < reach; place--) {
    const char = code.charAt(place)
    if (char === ")" || char === "]" || char === "}") depth++
    else if (char === "(" || char === "[" || char === "{") {
      if (depth > 0) depth--
      else if (char === "{") {
        const head = headBefore(code, place)
        if (head !== null) return isCallback(head, receiver)
      }
    }
  }
  return false
}

/** What ends there fails when nothing is thrown: the test never ends. */
const isInCatch = (code: string, at: number): boolean =>
  /\bcatch\s*(?:\([^()]*\)\s*)?\{[^{}]*$/.test(code.slice(Math.max(0, at - 1_000), at))

interface Head {
  readonly parameters: string
  /** What the function is given to, as far as it can be seen. */
  readonly before: string
}

const isCallback = ({ before, parameters }: Head, receiver: string): boolean =>
  !/(?<![\w$])(?:setTimeout|setImmediate|nextTick|queueMicrotask)\s*\(\s*(?:async\s*)?$/.test(before) &&
  !parameters.split(/[^\w$]+/).includes(receiver)

/** The head of a function whose body begins at a place. */
const headBefore = (code: string, at: number): Head | null => {
  const before = code.slice(Math.max(0, at - 300), at)
  const arrow = /(\([^()]*\)|(?<![\w$.])[\w$]+)\s*=>\s*(?:(?:await|void)\s+)?$/.exec(before)
  const found = arrow ?? /\bfunction\b[\s\w$*]*(\([^()]*\))\s*$/.exec(before)
  return found === null ? null : { parameters: found[1] ?? "", before: before.slice(0, found.index) }
}
