import { assert, describe, it } from "@effect/vitest"
import { layer } from "@proofline/plugins/adapters/tree-sitter"
import { type SourceOutline, Syntax } from "@proofline/plugins/ports"
import { Effect } from "effect"
import { pythonStubs } from "../../../packages/plugins/src/adapters/tree-sitter/languages/python.ts"
import { fixturesIn, listOf, type Part } from "../fixtures.ts"
import { findingIn, outlined, verdictsIn } from "./support.ts"

/**
 * A file for a language has: which files are `in` it, all bodies in all places for those before the `;`; bodies that do
 * `nothing` or `something`, or always the same (`one value`, `a failure`), which is something only where the function is
 * given nothing or overrides another; the places where they stand, `as` what, with the line that is cited; whole files.
 */
const fixtures = fixturesIn(new URL("fixtures/", import.meta.url))

const isBody = ({ head }: Part): boolean => /^(?:in|nothing|something|one value|a failure|as|indented)\b/.test(head)

/** A text with a body in it. Where a place has nothing else on the line, all lines of the body get its indentation. */
const placed = ({ head, text }: Part, body: string) => {
  const [, indent = ""] = /^([ \t]*)BODY$/m.exec(text) ?? []
  const lines = indent === "" ? body : body === "" ? "" : `${indent}${body.replaceAll("\n", `\n${indent}`)}`
  const made = text.replace(lines === "" ? /^[ \t]*BODY\n/m : indent === "" ? "BODY" : /^[ \t]*BODY/m, () => lines)
  const [, line = "1"] = / by line (\d+)/.exec(head) ?? []
  const before = text.slice(0, text.indexOf("BODY")).split("\n").length
  return {
    text: /Windows/.test(head) ? made.replaceAll("\n", "\r\n") : made,
    first: Number(line),
    last: before + body.split("\n").length - 1,
    end: made.trimEnd().split("\n").length
  }
}

const bodies = (parts: ReadonlyArray<Part>, what: string): ReadonlyArray<string> =>
  parts.filter(({ head }) => head === what).flatMap(({ text }) => listOf(text))

describe.each(fixtures)("given a body in %s", (_, parts) => {
  const about = parts.find(({ head }) => head.startsWith("in "))?.head.slice(3) ?? ""
  const [all = "", brief = ""] = about.replace(", named f", "").split("; ")
  const places = parts.filter(({ head }) => /^(?:as|indented) /.test(head))
  const cases = [
    ...all.split(" ").flatMap((path) => places.map((place) => [place.head, path, place] as const)),
    ...brief
      .split(" ")
      .flatMap((path) => (path === "" ? [] : places.slice(0, 1).map((p) => [p.head, path, p] as const)))
  ].filter(([head, path]) => !head.includes(", in ") || head.endsWith(`, in ${path}`))

  it.each(cases)("when it stands %s, of %s, and does nothing, then that is empty", async (head, path, place) => {
    const stubs = [
      ...bodies(parts, "nothing"),
      ...(head.startsWith("indented") ? bodies(parts, "nothing, indented") : [])
    ]
    assert.isNotEmpty(stubs)
    const passed: Array<string> = []
    for (const body of stubs) {
      const { end, first, last, text } = placed(place, body)
      const outline = await outlined(path, text)
      const signature = findingIn(path, text, outline, first)
      const isNamed = !about.endsWith(", named f") || /\bf\b/.test(signature.declaration?.name ?? "")
      const whole = findingIn(path, text, outline, [first, last])
      const file = findingIn(path, text, outline, [1, end])
      const isAll = / (?:local|nested) /.test(head) || file.empty !== null
      if (signature.empty === null || !isNamed || whole.empty === null || !isAll)
        passed.push(`${text}${signature.declaration?.name}: ${signature.empty}, ${whole.empty}, ${file.empty}`)
    }
    assert.deepStrictEqual(passed, [])
  })

  it.each(cases)("when it stands %s, of %s, and does something, then that is not", async (head, path, place) => {
    const real = [
      ...bodies(parts, "something"),
      ...(head.startsWith("indented") ? bodies(parts, "something, indented") : [])
    ]
    assert.isNotEmpty(real)
    const refused: Array<string> = []
    for (const body of real) {
      const { first, text } = placed(place, body)
      const { empty } = findingIn(path, text, await outlined(path, text), first)
      if (empty !== null) refused.push(`${text}: ${empty}`)
    }
    assert.deepStrictEqual(refused, [])
  })
})

const sameAlways = [
  ["one value", /, (?:given |an override|a block)/],
  ["a failure", /, (?:an override|a block)/]
] as const

const withSame = fixtures.filter(([, parts]) => parts.some(({ head }) => /^(?:one value|a failure)/.test(head)))

describe.each(withSame)("given a body in %s that always does the same", (_, parts) => {
  const path =
    parts
      .find(({ head }) => head.startsWith("in "))
      ?.head.slice(3)
      .split(/[ ;,]/)[0] ?? ""
  const places = parts.filter(({ head }) => /^(?:as|indented) /.test(head))
  const cases = sameAlways.flatMap(([what, reasons]) => {
    const all = bodies(parts, `${what}, whatever it is given`)
    const indented = bodies(parts, `${what}, whatever it is given, indented`)
    return places.map(
      (place) =>
        [what, place.head, place.head.startsWith("indented") ? [...all, ...indented] : all, place, reasons] as const
    )
  })

  it.each(cases.filter(([, , all]) => all.length > 0))(
    "when it is %s and stands %s, then that is empty unless it overrides or is given nothing",
    async (_, head, all, place, reasons) => {
      const made: Array<unknown> = []
      for (const body of all) {
        const { first, text } = placed(place, body)
        const at = / in (\S+)$/.exec(head)?.[1] ?? path
        const { empty } = findingIn(at, text, await outlined(at, text), first)
        made.push([text, empty === null])
      }
      assert.deepStrictEqual(
        made,
        all.map((body) => [placed(place, body).text, reasons.test(head)])
      )
    }
  )
})

/** What a line of a fixture says of its text, and what is so. */
const found = (path: string, text: string, outline: SourceOutline, expected: string): ReadonlyArray<unknown> => {
  const names = outline.declarations.map(({ name }) => name)
  const verdicts = verdictsIn(text, outline)
  const empty = Object.keys(verdicts).filter((name) => verdicts[name] !== null)
  const [word = "", ...others] = expected.split(" ")
  const rest = others.join(" ")
  const [start = 1, end = start] = word.split("-").map(Number)
  switch (word) {
    case "no":
      return [outline.faults, []]
    case "language":
      return [outline.language, rest]
    case "declares":
      return [Object.keys(verdicts).join(", "), rest]
    case "names":
      return [names.join(", "), rest]
    case "among": {
      const some = rest.replace("others declares ", "").split(", ")
      return [some.filter((name) => name in verdicts), some]
    }
    case "empty:":
      return [empty.join(", ") || "nothing", rest]
    case "rows":
      return [outline.declarations.map(({ end, start }) => `${start.row + 1}-${end.row + 1}`).join(", "), rest]
    case "emptied":
      return [
        outline.declarations.flatMap(({ empty, name, start }) => (empty === null ? [] : [`${name} ${start.row + 1}`])),
        rest.split(", ")
      ]
    case "says": {
      const name = Object.keys(verdicts).find((one) => rest.startsWith(`${one} `)) ?? ""
      return [`${name} ${verdicts[name]}`, rest]
    }
  }
  if (!/^\d+(?:-\d+)?$/.test(word)) throw new Error(`"${expected}" says nothing of a text.`)
  const { empty: why } = findingIn(path, text, outline, [start, end])
  if (rest === "implemented") return [why, null]
  if (rest === "empty") return [why !== null, true]
  const isNot = rest.startsWith("not ")
  return [why !== null && why.includes(isNot ? rest.slice(4) : rest) !== isNot ? rest : why, rest]
}

/** The text as it is to be when lines are made to fail: a line of it put in before another, or in place of it. */
const failing = (text: string, edits: ReadonlyArray<string>): string =>
  edits.reduce((made, edit) => {
    const [, place, row, line = ""] = /^(before|in) (\d+): (.*)$/.exec(edit) ?? []
    return made
      .split("\n")
      .toSpliced(Number(row) - 1, place === "in" ? 1 : 0, line)
      .join("\n")
  }, text)

for (const [language, parts] of fixtures) {
  const tests: Array<readonly [name: string, files: Array<Part>]> = []
  for (const part of parts.filter((one) => !isBody(one))) {
    if (/^(?:given|when) /.test(part.head)) tests.push([part.head, []])
    else tests.at(-1)?.[1].push(part)
  }

  describe(`given files of ${language}`, () => {
    it.each(tests)("%s", async (_, files) => {
      const made: Array<unknown> = []
      const wanted: Array<unknown> = []
      for (const { expected, head, text } of files)
        for (const path of head.split(" ")) {
          const outline = await outlined(path, text)
          const fails = new Map<string, Array<string>>()
          for (const line of expected) {
            const [, range, edit] = /^fails (\S+) (.*)$/.exec(line) ?? []
            if (range !== undefined && edit !== undefined) fails.set(range, [...(fails.get(range) ?? []), edit])
            else {
              const [is, shall] = found(path, text, outline, line)
              made.push([text, line, is])
              wanted.push([text, line, shall])
            }
          }
          for (const [range, edits] of fails) {
            const [start = 1, end = start] = range.split("-").map(Number)
            made.push(outline.neutralised({ start, end }))
            wanted.push(failing(text, edits))
          }
        }
      assert.isNotEmpty(wanted)
      assert.deepStrictEqual(made, wanted)
    })
  })
}

describe("given files of type stubs of Python", () => {
  it.effect("when they are read, then nothing in them is missing", () =>
    Effect.gen(function* () {
      const text = "class A:\n    def f(self, a: int) -> int: ...\ndef g() -> None: ...\nclass B: ...\n"
      const outline = yield* Effect.flatMap(Syntax, (syntax) => syntax.outline("a.pyi", text))
      assert.deepStrictEqual(
        outline?.declarations.map(({ empty, name }) => `${name} ${empty}`),
        ["A null", "f null", "g null", "B null"]
      )
    }).pipe(Effect.provide(layer({ languages: [pythonStubs] })))
  )
})
