import { Schema } from "effect"

/** One thing that must be true for a task. `check` is a shell command that must exit 0 for the item to hold. */
export const ChecklistItemSpec = Schema.Struct({
  item: Schema.String,
  check: Schema.optionalKey(Schema.String),
  /** What it asks for may have been there before the run: lines that were not changed show it. Only users say so. */
  existing: Schema.optionalKey(Schema.Boolean),
  /** The check must also fail without the lines that are cited; left out: as the run is configured. */
  ablation: Schema.optionalKey(Schema.Boolean),
  /** Ids of the acceptance criteria it shows; left out: those that its task covers. */
  covers: Schema.optionalKey(Schema.Array(Schema.String))
})
export type ChecklistItemSpec = typeof ChecklistItemSpec.Type

/** A unit of work as registered. `title` is the `name` of a tasks.yaml. */
export const TaskSpec = Schema.Struct({
  id: Schema.String,
  title: Schema.String,
  instruction: Schema.String,
  /** Criteria judged by the reviewer. */
  validation: Schema.Array(Schema.String),
  /** Shell commands, all of which must exit 0. */
  checks: Schema.Array(Schema.String),
  depends_on: Schema.Array(Schema.String),
  checklist: Schema.Array(ChecklistItemSpec),
  /** Whether it is analysed and split: never, when the run splits by itself, or because somebody asked for it. */
  chunk: Schema.Literals(["no", "auto", "asked"]),
  /** Who wrote its commands, those of its items too; left out: the user. What an agent wrote proves nothing by itself. */
  commands_by: Schema.optionalKey(Schema.Literal("agent")),
  /** Attempts at it that are made beside each other; left out: as many as the run makes. */
  attempts: Schema.optionalKey(Schema.Int)
})
export type TaskSpec = typeof TaskSpec.Type
