import type { Budget, EarlierTask, GeneratedTask, Receipt } from "@proofline/kernel"

/** A command to be run; with the task whose environment it asks for. */
export interface Command {
  readonly command: string
  readonly task_id: string | null
  readonly attempt: number
}

/** What is to be looked at to verify one requirement. */
export interface FactsInput {
  readonly iteration: number
  readonly round: number
  readonly requirement_id: string
  readonly commands: ReadonlyArray<Command>
  readonly receipts: ReadonlyArray<{
    readonly task_id: string
    readonly item_index: number
    readonly receipt: Receipt
  }>
}

/** The task run of one iteration. */
export interface ExecuteInput {
  readonly iteration: number
  readonly run_id: string
  readonly name: string
  readonly tasks_yaml_path: string
  /** Comment lines of the file. */
  readonly header: ReadonlyArray<string>
  readonly tasks: ReadonlyArray<GeneratedTask>
  readonly chunk: "no" | "auto" | "asked"
  readonly goal: string
  readonly completed: ReadonlyArray<EarlierTask>
  readonly budget: Budget
}
