import type { GeneratedTask } from "@proofline/plugins/policies/requirements"
import { Schema } from "effect"

/** Texts that YAML could take for something else, or lose a part of. */
const hostile = [
  "plain",
  "Add a: b",
  "# no comment",
  "a #b",
  "- item",
  "'single' and \"double\"",
  "back\\slash",
  "true",
  "No",
  "null",
  "~",
  "1e3",
  "0x1F",
  "2024-01-01",
  "*alias &anchor !tag",
  "%YAML 1.1",
  "@at `tick`",
  "{a: b}",
  "[a, b",
  "a, b] c}",
  "ends with:",
  "http://x:80/#y",
  "日本語 ä 👩",
  "\u2028line\u2029",
  "\uFEFFbom",
  "nel\u0085x",
  "del\u007F",
  "bell\u0007",
  "\uD800 half",
  "nbsp\u00A0",
  "x".repeat(3_000),
  "word ".repeat(400).trim(),
  "---",
  "...",
  "|",
  "> folded",
  "? key",
  "```yaml\ntasks: []\n```",
  "a\nb",
  "a\n\n\nb",
  "  leading\nthen",
  "\tleading\nthen",
  "first\n    deeper\n  less",
  "a\n \nb",
  "a\r\nb\r\n",
  "a\rb",
  "---\na: b\n...",
  "# x\n# y",
  "tab\tin\nlines\t"
]
const around = ["", "", "", "\n", "\n\n", "\n\n\n", " ", "  ", "\t", "\r\n"]

const Piece = Schema.Literals(hostile)
const Around = Schema.Literals(around)
const TextParts = Schema.Struct({ before: Around, first: Piece, rest: Schema.Array(Piece), after: Around })
type TextParts = typeof TextParts.Type

const whole = ({ after, before, first, rest }: TextParts): string =>
  before + [first, ...rest.slice(0, 3)].join("\n") + after
const bare = (parts: TextParts): string => whole(parts).trim()

const Item = Schema.Struct({
  item: TextParts,
  check: Schema.NullOr(TextParts),
  existing: Schema.NullOr(Schema.Boolean),
  ablation: Schema.NullOr(Schema.Boolean),
  covers: Schema.NullOr(Schema.Array(TextParts))
})

const Task = Schema.Struct({
  id: Schema.Literals(["a", "true", "1", "task_", "日本", "-", "a.b", "_", "no"]),
  title: TextParts,
  instruction: TextParts,
  validation: Schema.Array(TextParts),
  checks: Schema.Array(TextParts),
  depends_on: Schema.Array(Schema.Union([Schema.Int, TextParts])),
  checklist: Schema.Array(Item),
  chunk: Schema.Literals(["no", "auto", "asked"]),
  covers: Schema.Array(TextParts)
})

/** What a plan is made of; `planOf` makes it. */
export const PlanParts = Schema.Array(Task)

const once = (texts: ReadonlyArray<string>): ReadonlyArray<string> => [...new Set(texts)]

export interface Plan {
  readonly tasks: ReadonlyArray<GeneratedTask>
  readonly completedElsewhere: ReadonlyArray<string>
}

/** Tasks as the parser would read them, at least one, each provable; with the tasks elsewhere that they depend on. */
export const planOf = (parts: typeof PlanParts.Type): Plan => {
  const filler: typeof Task.Type = {
    id: "a",
    title: { before: "", first: "plain", rest: [], after: "" },
    instruction: { before: "", first: "plain", rest: [], after: "" },
    validation: [],
    checks: [{ before: "", first: "plain", rest: [], after: "" }],
    depends_on: [],
    checklist: [],
    chunk: "auto",
    covers: []
  }
  const used = [...parts.slice(0, 4), filler]
  const ids = used.map(({ id }, at) => `${id}${at}`)
  const elsewhere = new Set<string>()
  const tasks = used.map((task, at): GeneratedTask => {
    const depends_on = once(
      task.depends_on.flatMap((target) => {
        if (typeof target !== "number") {
          const id = `elsewhere ${whole(target)}`
          elsewhere.add(id)
          return [id]
        }
        return at === 0 ? [] : [ids[Math.abs(target) % at] ?? ""]
      })
    )
    const checklist = task.checklist.map(({ ablation, check, covers, existing, item }) => ({
      item: bare(item),
      ...(existing === null ? {} : { existing }),
      ...(check === null ? {} : { check: whole(check) }),
      ...(ablation === null || check === null ? {} : { ablation }),
      ...(covers === null ? {} : { covers: once(covers.map(bare)) })
    }))
    const checks = task.checks.map(whole)
    const validation = task.validation.map(bare)
    const isProvable = checklist.length + checks.length + validation.length > 0
    return {
      id: ids[at] ?? "",
      title: bare(task.title),
      instruction: whole(task.instruction),
      validation,
      checks: isProvable ? checks : ["true"],
      depends_on,
      checklist,
      chunk: task.chunk,
      covers: once(task.covers.map(bare))
    }
  })
  return { tasks, completedElsewhere: [...elsewhere] }
}
