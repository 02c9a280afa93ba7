import { exitCodes } from "../../src/base/exitCodes.ts"
import type { HelpPage, Row } from "../../src/render/help.ts"
import { code, fenced, type Page, page, prose, table } from "./markdown.ts"

type Pages = Readonly<Record<string, HelpPage>>

/** Where more is told of a command: a page of the docs, from `docs/reference/`. */
const more: Readonly<Record<string, string>> = {
  agents: "../agents.md#which-agents-there-are",
  answer: "../evidence.md#what-cannot-be-done",
  audit: "../audit.md",
  backtest: "../backtest.md",
  bisect: "../bisect.md",
  call: "../mcp.md#from-a-script",
  chunk: "../chunking.md",
  ci: "../ci.md",
  cluster: "../workers.md#commands",
  "cluster role": "../workers.md#roles",
  config: "../options.md",
  diff: "../history.md#two-runs-side-by-side",
  doctor: "../doctor.md",
  drill: "../drill.md",
  events: "../events.md",
  "events export": "../log.md#exporting-and-importing-runs",
  "events import": "../log.md#exporting-and-importing-runs",
  "evidence check": "../evidence.md#proofline-evidence-check",
  fork: "../log.md#forking-a-run",
  history: "../history.md",
  "history export": "../history.md#export",
  "hook claude-stop": "../mcp.md#claude-codes-stop-hook",
  "log archive": "../log.md#archiving-old-runs",
  "log copy": "../log.md#copying-runs",
  "log restore": "../log.md#archiving-old-runs",
  mcp: "../pull-mode.md",
  "mcp install": "../mcp.md#clients",
  plugins: "../plugins.md",
  receipts: "../receipts.md",
  "receipts attach": "../receipts.md#receipts-that-travel-with-the-code",
  "receipts export": "../receipts.md#export",
  replay: "../events.md#replay",
  resume: "../requirements.md#going-on",
  run: "../evidence.md#what-counts-as-proof",
  "run-requirements": "../requirements.md",
  schema: "schemas.md",
  serve: "../web.md",
  session: "../pull-mode.md#sessions-and-several-agents",
  show: "../history.md#one-run",
  stats: "../history.md#figures",
  status: "../history.md#one-line-a-run",
  verify: "../receipts.md#what-verify-does",
  worker: "../workers.md"
}

const meanings: Readonly<Record<keyof typeof exitCodes, string>> = {
  proven: "What was asked for is shown, or was done",
  unmet: "Something is not met, not shown, or has failed",
  usage: "Wrong usage, or input that was refused",
  needsPerson: "A person has to decide something first",
  breaker: "No agent can work (quota, credentials), or a budget is used up",
  integrity: "The log or a receipt is not as it was written",
  interrupted: "Interrupted with Ctrl-C; `resume` goes on"
}

/** So many commands have a flag before it is told once for all of them. */
const common = 12

const tableOf = ({ tables }: HelpPage, title: string): ReadonlyArray<Row> =>
  tables.find(([name]) => name === title)?.[1] ?? []

const flagOf = ([left]: Row): string => left.split(/[ ,]/)[0] ?? ""

const isSame = (a: Row) => (b: Row) => a[0] === b[0] && a[1] === b[1]

/** Flags that most commands have, worded alike. */
const sharedOf = (pages: Pages): ReadonlyArray<Row> => {
  const all = Object.entries(pages).flatMap(([name, one]) => (name === "" ? [] : tableOf(one, "Flags")))
  const counted = all.filter((row, index) => all.findIndex(isSame(row)) === index)
  return counted.filter((row) => all.filter(isSame(row)).length >= common)
}

const moreOf = (name: string): string => (more[name] === undefined ? "" : ` ([more](${more[name]}))`)

const rowsOf = (rows: ReadonlyArray<Row>): ReadonlyArray<ReadonlyArray<string>> =>
  rows.map(([left, right]) => [code(left), prose(right)])

const sectionOf = (name: string, one: HelpPage, shared: ReadonlyArray<Row>): ReadonlyArray<string> => {
  const flags = tableOf(one, "Flags")
  const others = flags.filter((row) => !shared.some(isSame(row)))
  const named = flags.filter((row) => shared.some(isSame(row))).map((row) => code(flagOf(row)))
  return [
    `### ${name}`,
    `${prose(one.description)}${moreOf(name)}`,
    fenced("text", [one.usage]),
    table(
      ["example", ""],
      one.examples.map(([command, text]) => [code(command), prose(text)])
    ),
    table(["argument", ""], rowsOf(tableOf(one, "Arguments"))),
    table(["flag", ""], rowsOf(others)),
    named.length === 0 ? "" : `And ${named.join(", ")}.`
  ]
}

/** Every command, its arguments and flags, as `--help` tells them. `pages` are by the words of the command. */
export const commandsPage = (pages: Pages): Page => {
  const root = pages[""]
  if (root === undefined) throw new Error("The command line tells nothing of itself.")
  const shared = sharedOf(pages)
  const groups = root.tables.filter(([title]) => title !== "Flags" && title !== "Arguments")
  const below = (name: string) => Object.keys(pages).filter((one) => one === name || one.startsWith(`${name} `))
  return page("commands", "Commands", [
    "Every command says this of itself with `--help`. A `run` is named by its id, by the beginning of that or of its last part (`k3x9q2`), or as `last`; without a name it is the newest.",
    ...groups.flatMap(([title, rows]) => [
      `**${title}**`,
      table(
        ["command", "what it does"],
        rows.map(([name, text]) => [`[\`${name}\`](#${name})`, `${prose(text)}${moreOf(name)}`])
      )
    ]),
    "## Exit codes",
    "`--json` prints one document on standard output, whatever the code is; [schemas](schemas.md) describe them.",
    table(
      ["code", ""],
      Object.entries(exitCodes).map(([key, value]) => [String(value), meanings[key as keyof typeof meanings]])
    ),
    "## Flags of most commands",
    table(["flag", ""], rowsOf([...shared, ...tableOf(root, "Flags").filter((row) => !shared.some(isSame(row)))])),
    ...groups.flatMap(([title, rows]) => [
      `## ${title}`,
      ...rows.flatMap(([name]) => below(name).flatMap((one) => sectionOf(one, pages[one] ?? root, shared)))
    ])
  ])
}

/** Commands of which a page is named and that are none. */
export const unknownInMore = (pages: Pages): ReadonlyArray<string> =>
  Object.keys(more).filter((name) => !(name in pages))
