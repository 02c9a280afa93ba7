import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { ConfigFault } from "../../packages/cli/src/clients/ConfigFault.ts"
import { EntryDiffers, installed, removed } from "../../packages/cli/src/clients/edit.ts"
import { parse } from "../../packages/cli/src/clients/json.ts"
import { type ClientFile, clientNames, clients } from "../../packages/cli/src/clients/table.ts"
import { often } from "../often.ts"

const start = ["proofline"]
const filesFor = (format: ClientFile["format"]) =>
  clientNames.flatMap((name) =>
    clients[name].files(start).flatMap((one, index) => {
      const file = (words: ReadonlyArray<string>): ClientFile => clients[name].files(words)[index] ?? one
      return one.format === format ? [{ name: `${name}, ${one.path}`, file }] : []
    })
  )

type Put = { readonly name: string; readonly file: (words: ReadonlyArray<string>) => ClientFile }
const put = ({ file }: Put, text: string | null, words = start) =>
  installed(text, { file, start: words, replace: false })
const taken = ({ file }: Put, text: string | null) => removed(text, { file, replace: false })

/** Numbers that decide, one after the other, what is written. */
const tapes = Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 999 }))).check(
  Schema.isMaxLength(150)
)
const runs = { arbitrary: { runs: often(5_000) } }

type Pick = <A>(...of: ReadonlyArray<A>) => A

const picking = (tape: ReadonlyArray<number>): Pick => {
  let at = 0
  return (...of) => of[(tape[at++] ?? 0) % of.length] as never
}

const names = [
  "mcpServers",
  "servers",
  "mcp",
  "enabledMcpjsonServers",
  "permissions",
  "allow",
  "hooks",
  "Stop",
  "a",
  "$schema"
]
const lists = ["enabledMcpjsonServers", "allow", "Stop"]
const objects = ["mcpServers", "servers", "mcp", "permissions", "hooks"]

/** JSON with comments, as badly written as its rules allow. */
const jsonFrom = (tape: ReadonlyArray<number>): string => {
  const pick = picking(tape)
  const eol = pick("\n", "\r\n")
  const gap = (): string =>
    pick(
      "",
      "",
      " ",
      eol,
      `${eol}  `,
      `${eol}\t`,
      `${eol}${eol}    `,
      " /* , */",
      ` // ] }${eol}`,
      `/* a${eol}b */ `,
      `// "${eol}  `
    )
  const value = (depth: number, name = ""): string => {
    if (lists.includes(name)) return list(depth)
    if (objects.includes(name)) return object(depth)
    if (depth > 2) return pick("1", '"x"', "null")
    return pick<() => string>(
      () => object(depth),
      () => list(depth),
      () => '"//"',
      () => '"a\\"]"',
      () => "-1.5e3"
    )()
  }
  const within = (open: string, parts: ReadonlyArray<string>, close: string): string => {
    const inside = parts.map((part) => `${gap()}${part}${gap()}`).join(",")
    return `${open}${inside}${parts.length > 0 && pick(true, false, false) ? `,${gap()}` : ""}${parts.length === 0 ? gap() : ""}${close}`
  }
  const list = (depth: number): string =>
    within(
      "[",
      Array.from({ length: pick(0, 1, 2) }, () => value(depth + 1)),
      "]"
    )
  const object = (depth: number): string => {
    const keys = [...new Set(Array.from({ length: pick(0, 1, 1, 2, 3) }, () => pick(...names)))]
    return within(
      "{",
      keys.map((key) => `${JSON.stringify(key)}${gap()}:${gap()}${value(depth + 1, key)}`),
      "}"
    )
  }
  return `${pick("", "", "\uFEFF")}${gap()}${object(0)}${gap()}`
}

const tomlFrom = (tape: ReadonlyArray<number>): string => {
  const pick = picking(tape)
  const eol = pick("\n", "\r\n")
  let count = 0
  const lines = Array.from({ length: pick(0, 1, 2, 3, 5, 8) }, () =>
    pick(
      () => "",
      () => "# [mcp_servers.proofline]",
      () => `k${count++} = 1 # one`,
      () => `k${count++} = """${eol}[mcp_servers.proofline]${eol}"""`,
      () => `k${count++} = [${eol}  ["a"],${eol}]`,
      () => `  [t${count++}]`,
      () => `[mcp_servers.s${count++}]`,
      () => `d${count++} = 2026-01-01T00:00:00Z`
    )()
  )
  return `${pick("", "\uFEFF")}${lines.join(eol)}${pick("", eol, eol + eol, " ")}`
}

const markdownFrom = (tape: ReadonlyArray<number>): string => {
  const pick = picking(tape)
  const eol = pick("\n", "\r\n")
  const lines = Array.from({ length: pick(0, 1, 2, 5) }, () =>
    pick("", "# Title", "text", "  ", "<!-- other:begin -->")
  )
  return `${pick("", "\uFEFF")}${lines.join(eol)}${pick("", eol, eol + eol, " ")}`
}

/** What comes of putting something in twice and taking it out; null: the file is refused. */
const roundOf = (one: Put, text: string) => {
  try {
    const first = put(one, text)
    assert.notStrictEqual(first, text)
    assert.strictEqual(put(one, first), first, "a second time nothing is done")
    return { first, back: taken(one, first) }
  } catch (fault) {
    if (fault instanceof ConfigFault || fault instanceof EntryDiffers) return null
    throw fault
  }
}

const read = ({ children = [], type, value }: ReturnType<typeof parse>): unknown => {
  if (type === "array") return children.map(read)
  if (type !== "object") return value
  return Object.fromEntries(
    children.flatMap(({ children: [key, one] = [] }) => (one === undefined ? [] : [[key?.value, read(one)]]))
  )
}

/** All that was said before is said after. */
const isKept = (before: unknown, after: unknown): boolean => {
  if (Array.isArray(before)) return Array.isArray(after) && before.every((one, index) => isKept(one, after[index]))
  if (typeof before !== "object" || before === null) return before === after
  return (
    typeof after === "object" &&
    after !== null &&
    Object.entries(before).every(([key, one]) => isKept(one, (after as Record<string, unknown>)[key]))
  )
}

describe("given any file of a client, when its entries are put in and taken out, then the bytes are those of before", () => {
  for (const one of filesFor("json")) {
    it.prop(
      one.name,
      [tapes],
      ([tape]) => {
        const text = jsonFrom(tape)
        const round = roundOf(one, text)
        if (round === null) return
        assert.strictEqual(round.back, text)
        const readable = (file: string | null) => read(parse((file ?? "").replace(/^\uFEFF/, "")))
        assert.isTrue(isKept(readable(text), readable(round.first)), `${text}\n---\n${round.first}`)
      },
      runs
    )
  }

  for (const [one, from] of [
    ...filesFor("toml").map((one) => [one, tomlFrom] as const),
    ...filesFor("markdown")
      .slice(0, 1)
      .map((one) => [one, markdownFrom] as const)
  ]) {
    it.prop(
      one.name,
      [tapes],
      ([tape]) => {
        const text = from(tape)
        const round = roundOf(one, text)
        if (round !== null) assert.strictEqual(round.back, text)
      },
      runs
    )
  }

  it("is no rule about nothing: most of these files are taken", () => {
    const tape = (seed: number) =>
      Array.from({ length: 150 }, (_, at) => ((seed + 7) * (at + 13) * 2_654_435_761) % 1_000)
    const taken = Array.from({ length: 300 }, (_, seed) => tape(seed))
    for (const [format, from] of [
      ["json", jsonFrom],
      ["toml", tomlFrom],
      ["markdown", markdownFrom]
    ] as const) {
      const [one] = filesFor(format)
      if (one === undefined) throw new Error(format)
      const fine = taken.filter((tape) => roundOf(one, from(tape)) !== null)
      assert.isAbove(fine.length, 200, format)
    }
  })
})
