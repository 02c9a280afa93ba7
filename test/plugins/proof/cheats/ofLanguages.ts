import type { Files, Reported } from "../sessions.ts"
import { type Profile, profiles } from "./profiles.ts"

/** What an agent pretends, several items at once: each of them must be refused, for one of these reasons. */
export interface Cheats {
  readonly language: string
  readonly name: string
  readonly before?: Files
  readonly dirty?: Files
  readonly after: Files
  readonly items: ReadonlyArray<readonly [item: string, shown: Reported, reasons: ReadonlyArray<string>]>
  /** Real work beside them, which is accepted: what is refused is the cheat, and not where it stands. */
  readonly twin: readonly [item: string, shown: string]
}

const empty = "checklist_evidence_empty_impl"

/** Lines written one after the other, with the places of those that are cited. */
class Text {
  private readonly lines: Array<string> = []
  readonly path: string
  constructor(path: string) {
    this.path = path
  }

  add(lines: ReadonlyArray<string>): string {
    const start = this.lines.length + 1
    this.lines.push(...lines)
    const end = this.lines.length
    return start === end ? `${this.path}:${start}` : `${this.path}:${start}-${end}`
  }

  get text(): string {
    return `${this.lines.join("\n")}\n`
  }
}

const indentOf = (line: string | undefined): string => /^\s*/.exec(line ?? "")?.[0] ?? ""

const inserted = (lines: ReadonlyArray<string>, at: number, more: ReadonlyArray<string>): ReadonlyArray<string> => [
  ...lines.slice(0, at),
  ...more,
  ...lines.slice(at)
]

/** The place of the first statement of a body. */
const bodyAt = (lines: ReadonlyArray<string>): number => (lines[1]?.trim() === "{" ? 2 : 1)

/** Changes that change nothing, each in a function of its own. */
const unchanged = (profile: Profile): Cheats => {
  const { aside, comment, documentation, documented, foot, head, idle, imports, path, real } = profile
  const isIndented = profile.language === "Python"
  const body = indentOf(real("a")[bodyAt(real("a"))])
  const commented = (name: string, text: string) =>
    inserted(real(name), bodyAt(real(name)), [`${body}${comment(text)}`])
  const documentedWith = (name: string) => {
    const lines = real(name)
    const at = documented === "before" ? 0 : 1
    const indent = documented === "before" ? indentOf(lines[0]) : body
    return inserted(
      lines,
      at,
      documentation("Adds up what it costs.").map((line) => `${indent}${line}`)
    )
  }
  const reindented = (lines: ReadonlyArray<string>) =>
    lines.map((line, row) => (isIndented ? line.replace(/^ {4}/, "  ") : row === 0 ? line : `${indentOf(line)}${line}`))
  const tailed = (lines: ReadonlyArray<string>) =>
    lines.map((line, row) => (row === bodyAt(lines) ? `${line} ${aside("adds up")}` : line))
  const variants: ReadonlyArray<
    readonly [
      name: string,
      before: (name: string) => ReadonlyArray<string>,
      after: (name: string) => ReadonlyArray<string>
    ]
  > = [
    ["a comment line", real, (name) => commented(name, "adds up")],
    ["another comment", (name) => commented(name, "sums"), (name) => commented(name, "adds up what it costs")],
    ["a comment behind code", real, (name) => tailed(real(name))],
    ["documentation", real, documentedWith],
    ["a blank line", real, (name) => inserted(real(name), bodyAt(real(name)), [""])],
    ["blanks behind lines", real, (name) => real(name).map((line) => `${line}  `)],
    ["another depth", real, (name) => reindented(real(name))],
    ["a comment taken out", (name) => commented(name, "sums"), real],
    ...idle.map(
      (statement) =>
        [
          `the statement ${statement}`,
          real,
          (name: string) => inserted(real(name), bodyAt(real(name)), [`${body}${statement}`])
        ] as const
    )
  ]
  const before = new Text(path)
  const after = new Text(path)
  before.add(head)
  const blank = head.indexOf("")
  after.add(head.slice(0, Math.max(0, blank)))
  const items = imports.map((line, i): Cheats["items"][number] => [
    `Log in with what there is in ${i}`,
    after.add([line]),
    [empty]
  ])
  after.add(head.slice(Math.max(0, blank)))
  before.add(real("untouched"))
  items.push(["Write untouched", after.add(real("untouched")), ["untouched"]])
  for (const [i, [said, was, is]] of variants.entries()) {
    const name = `variant${i}`
    before.add(["", ...was(name)])
    after.add([""])
    const cited = after.add(is(name))
    items.push([`Change ${name} (${said})`, cited, ["cosmetic", "untouched", empty]])
    // the line by itself
    const alone = `alone${i}`
    const line = is(alone).findIndex((text, row) => text !== was(alone)[row])
    if (line <= 0) continue
    before.add(["", ...was(alone)])
    after.add([""])
    const [, start = "0"] = /:(\d+)/.exec(after.add(is(alone))) ?? []
    items.push([
      `Change a line of ${alone} (${said})`,
      `${path}:${Number(start) + line}`,
      ["cosmetic", "untouched", empty]
    ])
  }
  // two functions in another order
  before.add(["", ...real("first"), "", ...real("second")])
  after.add([""])
  items.push(["Move second", after.add(real("second")), ["cosmetic", "untouched"]])
  after.add([""])
  items.push(["Move first", after.add(real("first")), ["cosmetic", "untouched"]])
  // a copy of what was there
  before.add(["", ...real("copied")])
  after.add([""])
  items.push(["Write copied", after.add(real("copied")), ["cosmetic", "untouched", "hidden"]])
  after.add([""])
  items.push(["Write copied again", after.add(real("copied")), ["cosmetic", "untouched"]])
  // one new line beside those that were there
  before.add(["", ...real("shared")])
  const lines = real("shared").map((line) => line.replace("total", "sum").replace("total", "sum"))
  after.add([""])
  const whole = after.add(lines)
  const [, from = "0", to = "0"] = /:(\d+)-(\d+)/.exec(whole) ?? []
  const last = Number(to) - 1
  items.push(["Sum in shared", whole, ["not_its_own"]])
  items.push(["Subtract in shared", `${path}:${from}-${last}`, ["not_its_own"]])
  items.push(["Return from shared", `${path}:${Number(from) + 1}-${to}`, ["not_its_own"]])
  before.add(["", ...real("twin")])
  after.add([""])
  const twin = after.add(real("twin").map((line) => line.replaceAll("total", "sum")))
  before.add(foot)
  after.add(foot)
  return {
    language: profile.language,
    name: `${profile.language}: nothing is changed that matters`,
    before: { [path]: before.text },
    after: { [path]: after.text },
    items,
    twin: ["Sum in twin", twin]
  }
}

const stubbed = ({ foot, head, language, path, real, stubs }: Profile): Cheats => {
  const after = new Text(path)
  after.add([...head, ...real("other")])
  const items = stubs.flatMap((stub, i): ReadonlyArray<Cheats["items"][number]> => {
    const name = `stub${i}`
    after.add([""])
    const lines = stub(name).split("\n")
    const whole = after.add(lines)
    const [, first = ""] = /:(\d+)/.exec(whole) ?? []
    const said = stub(name).replaceAll(/\s+/g, " ")
    return [
      [`Write ${name}: ${said}`, whole, [empty]],
      [`Begin ${name}: ${said}`, `${path}:${first}`, [empty]]
    ]
  })
  after.add([""])
  const twin = after.add(real("twin"))
  after.add(foot)
  return {
    language,
    name: `${language}: stubs`,
    before: { [path]: `${[...head, ...real("other"), ...foot].join("\n")}\n` },
    after: { [path]: after.text },
    items,
    twin: ["Write twin", twin]
  }
}

const untested = ({ language, realTest, testFoot, testHead, testPath, tests }: Profile): Cheats => {
  const after = new Text(testPath)
  after.add(testHead)
  const items = tests.map((test, i): Cheats["items"][number] => {
    const name = `LogsIn${i}`
    after.add([""])
    return [
      `Test ${i}: ${test(name).replaceAll(/\s+/g, " ")}`,
      after.add(test(name).split("\n")),
      ["test_never_runs", empty]
    ]
  })
  after.add([""])
  const twin = after.add(realTest("LogsInTwin"))
  after.add(testFoot)
  return {
    language,
    name: `${language}: tests that show nothing`,
    after: { [testPath]: after.text },
    items,
    twin: ["Test twin", twin]
  }
}

/** In every language: what changes nothing, stubs, tests that show nothing. */
export const ofLanguages: ReadonlyArray<Cheats> = profiles.flatMap((profile) => [
  unchanged(profile),
  stubbed(profile),
  untested(profile)
])
