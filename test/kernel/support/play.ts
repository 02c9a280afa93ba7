import {
  type AnyCommand,
  type AnyEvent,
  type Composition,
  composePlugins,
  emptySnapshot,
  type KernelEvent,
  type KernelState,
  type Plugin,
  type Rejection,
  type RunConfig,
  type Snapshot,
  type Step,
  step,
  type TaskSpec,
  type TaskState,
  tasksOf
} from "@proofline/kernel"
import { aRun } from "@proofline/kernel/testing"
import { Result } from "effect"
import { judge } from "./judge.ts"
import { stateOf, task, typesOf } from "./words.ts"

/** A run that is played by the rules alone, and what came of the last command. */
export class Played<E extends { readonly type: string; readonly content: unknown } = KernelEvent> {
  readonly composition: Composition
  /** After the last command; as before it, when that was refused. */
  readonly snapshot: Snapshot
  readonly step: Step | null
  readonly rejected: Rejection | null

  constructor(composition: Composition, snapshot = emptySnapshot(composition), decided?: ReturnType<typeof step>) {
    this.composition = composition
    this.step = decided !== undefined && Result.isSuccess(decided) ? decided.success : null
    this.rejected = decided !== undefined && Result.isFailure(decided) ? decided.failure : null
    this.snapshot = this.step?.after ?? snapshot
  }

  /** Decides one more command, with everything that follows from it; nothing has moved when it was refused. */
  when(command: AnyCommand): this {
    const Self = this.constructor as new (...args: ConstructorParameters<typeof Played>) => this
    return new Self(this.composition, this.snapshot, step(this.composition, this.snapshot, command))
  }

  /** Carries the commands out; throws when one is refused. */
  after(...commands: ReadonlyArray<AnyCommand>): this {
    return commands.reduce((play: this, command) => play.when(command).taken(), this)
  }

  /** The same; throws when the command was refused. */
  protected taken(): this {
    if (this.rejected !== null) throw this.rejected
    return this
  }

  // -- what came of the last command

  /** Empty when the command was refused. */
  get events(): ReadonlyArray<AnyEvent> {
    return this.step?.events ?? []
  }

  get types(): ReadonlyArray<string> {
    return typesOf(this.events)
  }

  /** The content of the one event of this type. */
  content<T extends E["type"]>(type: T): Extract<E, { type: T }>["content"] {
    const [content, ...others] = this.contents(type)
    if (content === undefined || others.length > 0) throw new Error(`There is not one ${type}: ${this.types}.`)
    return content
  }

  contents<T extends E["type"]>(type: T): ReadonlyArray<Extract<E, { type: T }>["content"]> {
    return this.events.flatMap((event) => (event.type === type ? [event.content as never] : []))
  }

  get code(): string | undefined {
    return this.rejected?.code
  }

  get starts(): Step["starts"] {
    return this.step?.starts ?? []
  }

  /** The keys of the work that is ordered. */
  get orders(): ReadonlyArray<string> {
    return this.starts.map(({ key }) => key)
  }

  /** The same with how long each is to wait. */
  get delays(): ReadonlyArray<readonly [key: string, delay_ms: number]> {
    return this.starts.map(({ delay_ms, key }) => [key, delay_ms])
  }

  /** The work that is taken back. */
  get cancels(): ReadonlyArray<unknown> {
    return this.step?.cancels ?? []
  }

  // -- how it stands

  get state(): KernelState {
    return stateOf(this.snapshot)
  }

  get run(): KernelState["run"] {
    return this.state.run
  }

  task(id: string): TaskState {
    return task(this.state, id)
  }

  statuses(...ids: ReadonlyArray<string>): ReadonlyArray<string> {
    return ids.map((id) => this.task(id).status)
  }

  get statusById(): Readonly<Record<string, string>> {
    return Object.fromEntries(tasksOf(this.state).map(({ spec, status }) => [spec.id, status]))
  }

  /** Each item of a task with its verdict. */
  items(id: string): ReadonlyArray<readonly [item: string, verdict: string]> {
    return this.task(id).items.map(({ item, verdict }) => [item, verdict])
  }

  verdicts(id: string): ReadonlyArray<string> {
    return this.task(id).items.map(({ verdict }) => verdict)
  }
}

/** Nothing has happened yet. */
export const played = (...plugins: ReadonlyArray<Plugin>): Played => new Played(composePlugins(plugins))

/** A run of these tasks has begun. Evidence is judged by the small policy of `judge`. */
export const begun = (tasks: ReadonlyArray<TaskSpec>, config: Partial<RunConfig> = {}): Played =>
  played(judge).after(aRun(tasks, config))
