/*
 * Plays what a client has said, in its place: prints the lines, leaves the files and the report it left, and ends as it
 * ended. One that was talked with waits for what it was told, and ends with 70 where it is told something else.
 * Argument: the folder of its recordings.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { createInterface } from "node:readline"

interface Message {
  readonly id?: number
  readonly method?: string
  readonly result?: unknown
  readonly error?: { readonly code: number }
}

interface Line {
  readonly in?: Message
  readonly out?: string | Message
}

interface Left {
  readonly files: Readonly<Record<string, string>>
  readonly report: string | null
  readonly exit: number | null
}

const { PROOFLINE_ATTEMPT: attempt, PROOFLINE_REPORT_FILE: report = "", PROOFLINE_ROLE: role } = process.env
const text = readFileSync(join(process.argv[2] ?? "", `${role}-${attempt}.jsonl`), "utf8")
const all = text.replaceAll("{root}", process.cwd()).trimEnd().split("\n")
const lines: ReadonlyArray<Line> = all.slice(0, -1).map((line) => JSON.parse(line))
const left: Left = JSON.parse(all.at(-1) ?? "")

const heard = createInterface({ input: process.stdin })[Symbol.asyncIterator]()
/** Our ids of what was asked of it, by those of the recording. */
const ids = new Map<number, number>()

const listen = async (recorded: Message): Promise<void> => {
  const { done, value } = await heard.next()
  if (done === true) process.exit(71)
  const told: Message = JSON.parse(value)
  const same = (one: Message) =>
    JSON.stringify([one.method, one.method === undefined ? one.id : 0, one.result, one.error?.code])
  if (same(told) !== same(recorded)) {
    process.stderr.write(`told ${same(told)}, not ${same(recorded)}\n`)
    process.exit(70)
  }
  if (recorded.method !== undefined && recorded.id !== undefined) ids.set(recorded.id, told.id ?? recorded.id)
}

const leave = (): void => {
  for (const [name, text] of Object.entries(left.files)) {
    mkdirSync(dirname(name), { recursive: true })
    writeFileSync(name, text)
  }
  if (left.report !== null) writeFileSync(report, left.report)
}

const say = (line: string | Message): void => {
  const isAnswer = typeof line === "object" && line.method === undefined && line.id !== undefined
  const said = isAnswer ? { ...line, id: ids.get(line.id ?? 0) ?? line.id } : line
  process.stdout.write(`${typeof said === "string" ? said : JSON.stringify(said)}\n`)
}

const last = lines.findLastIndex(({ out }) => out !== undefined)
for (const [at, line] of lines.entries()) {
  if (line.in !== undefined) await listen(line.in)
  if (at === last) leave()
  if (line.out !== undefined) say(line.out)
}
// who is talked with stays until it is ended
for await (const _ of heard);
process.exitCode = left.exit ?? 0
