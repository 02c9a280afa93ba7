import { isScript } from "../code/families.ts"
import { closersOf } from "../code/plain.ts"

/**
 * Assertions that a double was called, where the test calls it itself: `const spy = vi.spyOn(shop, "save"); shop.save("a");
 * expect(spy).toHaveBeenCalled()`. `code` has its strings hidden, `text` has them; `head`: what leads to the test, with strings. Pure.
 */
export const ofOwnCalls = (
  code: string,
  text: string,
  head: string,
  language: string
): ReadonlyArray<readonly [from: number, to: number]> => {
  const doubles = isScript(language) ? ofScript(text) : language === "python" ? ofPython(text, head) : []
  return doubles.flatMap(({ made, name, target }) => {
    const times = callsOf(code, name) + callsOf(code, target)
    if (times === 0) return []
    const asserted = [name, target].flatMap((one) =>
      isScript(language) ? expectedOf(code, text, one, times) : assertedOf(code, one)
    )
    // that one is made asserts nothing
    return asserted.length === 0 || made === undefined ? asserted : [...asserted, made]
  })
}

interface Double {
  readonly name: string
  /** What it stands for, as the test may call it. */
  readonly target: string
  /** Where it is made. */
  readonly made?: readonly [from: number, to: number]
}

const word = String.raw`[A-Za-z_$][\w$]*`

const ofScript = (text: string): ReadonlyArray<Double> =>
  [
    ...text.matchAll(
      new RegExp(
        String.raw`\b(?:const|let|var)\s+(${word})\s*=\s*(?:vi|jest|sinon|sandbox|mock|t\.mock)\s*\.\s*(?:spyOn|spy|stub|method)\s*\(\s*(${word}(?:\.${word})*)\s*,\s*["'](${word})["']`,
        "g"
      )
    )
  ].map(([, name = "", object = "", method = ""]) => ({ name, target: `${object}.${method}` }))

/** A name of a module by which it is called, of the place that is patched: `shop.save` of `app.shop.save`. */
const shortOf = (place: string): string => place.split(".").slice(-2).join(".")

const ofPython = (text: string, head: string): ReadonlyArray<Double> => {
  const within = [
    ...text.matchAll(
      /\bpatch(?:\.object)?\(\s*(?:["']([\w.]+)["']|([\w.]+)\s*,\s*["'](\w+)["'])[^\n]*?\)\s+as\s+(\w+)/g
    )
  ].map(({ 0: all, 1: place, 2: object = "", 3: method = "", 4: name = "", index }) => ({
    name,
    made: [index, index + all.length] as const,
    target: place === undefined ? `${object}.${method}` : shortOf(place)
  }))
  const patched = [
    ...head.matchAll(/@(?:\w+\.)*patch(?:\.object)?\(\s*(?:["']([\w.]+)["']|([\w.]+)\s*,\s*["'](\w+)["'])\s*\)/g)
  ]
    .map(([, place, object = "", method = ""]) => (place === undefined ? `${object}.${method}` : shortOf(place)))
    .toReversed()
  const parameters = (/\bdef\s+\w+\s*\(([^()]*)\)/.exec(head)?.[1] ?? "")
    .split(",")
    .map((one) => one.trim().replace(/[:=].*$/s, ""))
    .filter((one) => one !== "self" && one !== "")
  return [
    ...within,
    ...patched.flatMap((target, i) => (parameters[i] === undefined ? [] : [{ name: parameters[i], target }]))
  ]
}

const escaped = (name: string): string => name.replace(/[$.]/g, "\\$&")

const callsOf = (code: string, name: string): number =>
  code.match(new RegExp(String.raw`(?<![\w$.])${escaped(name)}\s*\(`, "g"))?.length ?? 0

const wasCalled =
  /^\s*\.\s*(?:toHaveBeenCalled(?:With|Once|OnceWith|ExactlyOnceWith)?|toBeCalled(?:With)?|toHaveBeenLastCalledWith|lastCalledWith|toHaveBeenCalledTimes|toBeCalledTimes|to\.have\.been\.called\w*)\s*(?=\()/

const expectedOf = (code: string, text: string, name: string, times: number) => {
  const closers = closersOf(code)
  const expected = [
    ...code.matchAll(new RegExp(String.raw`(?<![\w$.])expect\s*\(\s*${escaped(name)}\s*\)`, "g"))
  ].flatMap(({ 0: head, index }) => {
    const link = wasCalled.exec(code.slice(index + head.length, index + head.length + 200))
    if (link === null) return []
    const open = index + head.length + link[0].length
    const close = closers[open] ?? 0
    const isOther = /Times/.test(link[0]) && text.slice(open + 1, close).trim() !== `${times}`
    return close === 0 || isOther ? [] : [[index, close + 1] as const]
  })
  const said = [
    ...code.matchAll(
      new RegExp(
        String.raw`(?<![\w$.])(?:sinon\.assert\.called\w*\(\s*${escaped(name)}\b[^()\n]*\)|(?:expect|assert)(?:\.\w+)?\(\s*${escaped(name)}\.(?:called\w*|mock\.calls\.length)\b[^()\n]*\)[^\n;]*)`,
        "g"
      )
    )
  ].map(({ 0: all, index }) => [index, index + all.length] as const)
  return [...expected, ...said]
}

const assertedOf = (code: string, name: string) =>
  [
    ...code.matchAll(
      new RegExp(
        String.raw`(?<![\w.])(?:${escaped(name)}\.assert_(?:called|any_call|has_calls|awaited)\w*\([^\n]*|assert[ \t]+${escaped(name)}\.(?:called|call_count|call_args)\b[^\n]*)`,
        "g"
      )
    )
  ].map(({ 0: all, index }) => [index, index + all.length] as const)
