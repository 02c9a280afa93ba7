import { type Effect, Schema } from "effect"
import type { ItemId, RunId, TaskId, WorkKey } from "../base/Ids.ts"
import type { LogUnavailable } from "../base/LogUnavailable.ts"
import type { Recorded } from "../base/Recorded.ts"
import type { WorkItem } from "../base/Work.ts"
import type { LanguageRules } from "./LanguageRules.ts"
import type { Rejection } from "./Rejection.ts"

export type Json = Schema.Json
/** A schema whose values are JSON on both sides: what a rule says is what the log holds. */
export type JsonSchema = Schema.Codec<Json, Json>

declare const owned: unique symbol
declare const carried: unique symbol
declare const phantom: unique symbol
/**
 * Where the core keeps what it needs of a value; a plugin has no use for it. Registered, because a project's plugin is made
 * with the project's copy of the kernel; the number changes with what is kept.
 */
export const impl: unique symbol = Symbol.for("@proofline/kernel/impl/2")

/** No fields at all. `Schema.Struct({})` would take anything but null, whatever the parse options. */
export const NoFields = Schema.Record(Schema.String, Schema.Never)

/** A mistake of a plugin, with its name. Never a refusal of a user's request. */
export class PluginFault extends Schema.TaggedError<PluginFault>()("PluginFault", {
  plugin: Schema.String,
  /** Stable, where it is one that others may look for. */
  code: Schema.optionalKey(Schema.String),
  /** The hook and what it was called for, e.g. `evolve on TASK_STARTED`. */
  where: Schema.String,
  problem: Schema.String
}) {
  override get message() {
    return `Plugin ${this.plugin}, ${this.where}: ${this.problem}`
  }
}

/** What can be listened to: an event, or a change of a slice whichever event made it. */
export interface Source<Owner extends string, Content> {
  readonly owner: Owner
  readonly name: string
  readonly [carried]?: Content
}
export type ContentOf<S> = S extends { readonly [carried]?: infer C } ? Exclude<C, undefined> : never

/** An event as a fold, a view or a test sees it: whoever owns it. */
export interface AnyEvent {
  readonly type: string
  readonly content: Json
}

/** What has happened, before it is recorded; made by calling an event of its owner. */
export interface Fact<Owner extends string> extends AnyEvent {
  readonly [owned]: Owner
}

/** An event type: called with its content it makes a fact. */
export interface Event<Owner extends string, Type extends string, Content> extends Source<Owner, Content> {
  (content: Content): Fact<Owner> & { readonly type: Type; readonly content: Content }
  readonly name: Type
  readonly [impl]: EventImpl
}
/** The plain shape of an event type's facts: `{ type, content }`. */
export type EventOf<E> =
  E extends Event<string, infer Type, infer Content> ? { readonly type: Type; readonly content: Content } : never

/** One change of a slice, made by its owner's own code. */
export interface Made<Owner extends string> {
  readonly owner: Owner
  readonly change: ChangeImpl
  readonly arg: unknown
}
export interface Change<Owner extends string, Arg> extends Source<Owner, Arg> {
  (arg: Arg): Made<Owner>
  readonly [impl]: ChangeImpl
}

/** A command as the engine takes it: its name and its arguments in one object. */
export interface AnyCommand {
  readonly _tag: string
  readonly [argument: string]: unknown
}

/** A command, asked for; made by calling a command of its owner. */
export type Request<Owner extends string> = {
  readonly _tag: string
  readonly [owned]: Owner
}
export interface Command<Owner extends string, Tag extends string, Args> extends Source<Owner, Args> {
  (args: Args): Request<Owner> & { readonly _tag: Tag } & Args
  readonly name: Tag
  readonly [impl]: CommandImpl
}
/** The plain shape of a command: `{ _tag, ...arguments }`. */
export type CommandOf<C> = C extends Command<string, infer Tag, infer Args> ? { readonly _tag: Tag } & Args : never

/** Work in the world. The same key twice is the same work. */
export interface Start {
  readonly _tag: "Start"
  readonly key: WorkKey
  /** `attempt`: an agent works on a task. `activity`: anything else that touches the world. */
  readonly kind: "attempt" | "activity"
  /** Which activity carries it out. */
  readonly activity: string
  readonly task_id: TaskId | null
  readonly input: Json
  /** Wait before it may start, ms after the event. */
  readonly delay_ms: number
  /** Higher first. */
  readonly priority: number
  /** Set for the work of a subtask. */
  readonly subtask?: {
    readonly parent_task_id: TaskId
    readonly subtask_index: number
    readonly total_subtasks: number
  }
}

/** The work is not wanted any more; named by its key, or by its id where that is what the log knows. */
export interface Cancel {
  readonly _tag: "Cancel"
  readonly work: { readonly key: WorkKey } | { readonly item: ItemId }
}

/** What should happen next, as data: a replay looks at it and does nothing. */
export type Intent<Known extends string> = Request<Known> | Start | Cancel

/** Facts that another plugin words for the one that decides. */
export interface Told<Owner extends string> {
  readonly _tag: "Told"
  readonly owner: Owner
  readonly facts: ReadonlyArray<Fact<string>>
  readonly [owned]: Owner
}
/** Facts that may stand in anybody's decision: their owner has made them, in one of its own functions or offers. */
export type Worded = Told<never>
/** What a point answers was checked where it was offered: intents that any reaction may pass on. */
export type Passed = Request<never> | Start
export type Decision<Owner extends string> = ReadonlyArray<Fact<Owner> | Worded> | Rejection

/** The recorded events of one command. */
export interface Batch {
  readonly first: <C>(event: Source<string, C>) => C | undefined
  readonly all: <C>(event: Source<string, C>) => ReadonlyArray<C>
  readonly events: ReadonlyArray<AnyEvent>
}

/** The run as one plugin sees it: its own slice, and those it lists in `after`, by name. */
export type View<Reads> = Reads & Asked
/** What a point is asked with. */
export interface Asked {
  readonly [impl]: Inside
}

/** What the plugins of a composition list. */
export interface Listed {
  readonly hasCommand: (tag: string) => boolean
  readonly hasActivity: (name: string) => boolean
  /** Why the arguments of a command that is listed do not fit its schema; null: they do. */
  readonly misfitOf: (command: AnyCommand) => string | null
  /** Whose offer has answered a command, or work that nobody lists and so nobody will do: who passes it on is not to blame. */
  readonly offered: WeakMap<object, Hook>
}

/** A hook of a plugin, as faults name it. */
export interface Hook {
  readonly plugin: string
  readonly where: string
}

/** Null: the answer is one. Else what was answered and what is expected, behind "It answered". */
export type Misfit = (answer: unknown, listed: Listed) => string | null
/** One that asks for nothing else. */
export type OwnMisfit = (answer: unknown) => string | null

/** What a field of a declaration must be; with a `?` it may be left out. */
export type FieldKind = "string" | "boolean" | "function" | "array" | "object" | "schema" | "any"
export type FieldType = FieldKind | `${FieldKind}?`
type KindOf<V> = [V] extends [Schema.Top]
  ? "schema"
  : [V] extends [(...input: never) => unknown]
    ? "function"
    : [V] extends [string]
      ? "string"
      : [V] extends [boolean]
        ? "boolean"
        : [V] extends [ReadonlyArray<unknown>]
          ? "array"
          : "object"
/** Every field of `Sig`, with what it must be. */
export type FieldsOf<Sig> = {
  readonly [K in keyof Sig]-?: undefined extends Sig[K] ? `${KindOf<NonNullable<Sig[K]>>}?` : KindOf<Sig[K]>
}

/** What an offer to a point may have. */
export interface PointRules<Sig, Place extends string> {
  readonly places: readonly [Place, ...ReadonlyArray<Place>]
  /** All fields of an offer: one that is not here is refused when plugins are put together. */
  readonly fields: FieldsOf<Sig>
  /** The field by which an offer is found: no two offers have the same. */
  readonly key?: { readonly [K in keyof Sig]-?: Sig[K] extends string ? K : never }[keyof Sig]
  /** What its functions may answer: anything else is a fault of the plugin that offers. Left out: anything but a Promise. */
  readonly answers?: {
    readonly [K in keyof Sig as NonNullable<Sig[K]> extends (...input: never) => unknown ? K : never]?: Misfit
  }
}

/** A list to which plugins add, in the order of its places. Called with the state it gives what they added. */
export interface Point<Owner extends string, Sig, Place extends string> {
  (state: Asked): ReadonlyArray<Sig & { readonly by: string; readonly place: Place }>
  readonly owner: Owner
  readonly name: string
  readonly places: ReadonlyArray<Place>
  readonly [impl]: PointImpl
  readonly [phantom]?: Sig
}
/** What one plugin adds: the functions of the list, with the state as that plugin sees it in front. */
export type Offer<Sig, Reads, Name extends string, Known extends string> = {
  readonly [K in keyof Sig]: NonNullable<Sig[K]> extends (...input: infer A) => infer R
    ? (state: View<Reads>, ...input: A) => Answer<R, Name, Known>
    : Sig[K]
}
type Answer<R, Name extends string, Known extends string> =
  R extends Told<string> ? Told<Name> | Worded : R extends Request<string> ? Request<Known> : R

/** Something a plugin adds beside its events and commands; made by its header, listed in `definePlugin`. */
export interface Part<Name extends string> {
  readonly owner: Name
  readonly [impl]: PartImpl
}

/** Lifts the content of an event from one schema version to the next. `state` is the run as it was before the event. */
export type Upcaster<Reads> = (content: Json, state: View<Reads>) => Json

export interface EventOptions<S extends JsonSchema, State, Known extends string, Reads> {
  readonly schema: S
  readonly visibility: "summary" | "full"
  /** `upcasters[i]` lifts version i + 1 to i + 2. What an old event left out is concluded there. A step is frozen once released. */
  readonly upcasters?: ReadonlyArray<Upcaster<Reads>>
  /** What it changes in the plugin's own slice. Total: it never refuses. */
  readonly evolve?: (own: State, content: S["Type"]) => State
  /** What it means in the words of those below, or in the plugin's own. */
  readonly changes?: (content: S["Type"]) => ReadonlyArray<Made<Known>>
  /** One line for people. */
  readonly sentence: (content: S["Type"]) => string
}

export interface CommandOptions<S extends JsonSchema, Reads, Name extends string> {
  readonly schema: S
  readonly decide: (args: S["Type"], state: View<Reads>) => Decision<Name>
  /** `follows`: it is only ever asked for by a reaction. Otherwise the events that tell it, and the way back. */
  readonly recall: Recall<S["Type"], Reads>
  /** It may be decided behind another command, in one append with it; a replay takes such an append apart. */
  readonly accompanies?: true
  /** The command is made by work that an earlier decision ordered; a replay looks whether it did. */
  readonly ordered?: {
    readonly item: (args: S["Type"]) => ItemId
    /** Why it cannot have been ordered by this (undefined: by nothing); null: it was. */
    readonly problem: (args: S["Type"], by: Start | undefined) => string | null
  }
}
export type Recall<Args, Reads> =
  | "follows"
  | {
      readonly from: ReadonlyArray<Source<string, unknown>>
      /** undefined: these events tell another command. */
      readonly args: (batch: Batch, state: View<Reads>) => Args | undefined
    }

/** Why an activity could not be carried out. Recorded as ACTIVITY_FAILED. */
export interface ActivityFailure {
  readonly _tag: "ActivityFailure"
  readonly code: string
  readonly message: string
  /** The agent that failed, when trying again with it cannot help: it is not started any more. */
  readonly terminalAgent?: string
}

/** What an activity is given; `State`: the run as its plugin sees it. */
export interface ActivityContext<State, Known extends string> {
  readonly item: WorkItem
  /** Number of the lease under which the work was claimed. */
  readonly lease: number
  readonly worker_id: string
  /** The machine on which it is carried out; left out: nobody says. */
  readonly host?: string
  /** The run as it was when the work was claimed. */
  readonly state: State
  /**
   * Decides a command now, under the lease of this work, for what must be known before the result
   * (an attempt that starts). Fails with the rejection when it is refused.
   */
  readonly dispatch: (request: Request<Known>) => Effect.Effect<State, Rejection | LogUnavailable>
  /** Waits until something can be found in the run (not null), whoever changes it: what a person answers, for one. */
  readonly until: <A>(find: (state: State) => A | null) => Effect.Effect<A, LogUnavailable>
  /**
   * The work is done, and what is left is to hand in what came of it: that is not broken off where nobody can say whether the work is
   * still ours, as while the log cannot be reached. It is recorded only if it is.
   */
  readonly handsIn: Effect.Effect<void>
  /**
   * Another run, driven under this one until it has ended. `begin` says, seeing it as it is, by which command it is
   * started or resumed; null: it is not. One piece of work begins it once, however often it is handed out. Its work is
   * handed out like all work, under its own labels: whoever takes the work of this run must take that too, beside the one
   * piece that waits here. When this run ends first, the other one is cancelled.
   */
  readonly drive: (
    run: RunId,
    begin: (found: Found<State>) => Request<Known> | null
  ) => Effect.Effect<State, Rejection | LogUnavailable>
}

/** A run as it is now, and what a new one is made with. */
export interface Found<State> {
  readonly state: State
  readonly plugins: ReadonlyArray<{ readonly name: string; readonly version: string }>
}

/**
 * The door to the world. Runs at most once at a time per work item and may be repeated after a crash. Interruption
 * must end whatever it started. Its result is a command, appended under the lease of the work; null: nothing to say.
 */
export type Activity<Input, Reads, Known extends string> = (
  input: Input,
  context: ActivityContext<View<Reads>, Known>
) => Effect.Effect<Request<Known> | null, ActivityFailure | Rejection | LogUnavailable>

/** What an operation works on: one run, as the plugin sees it. */
export interface OperationContext<State, Known extends string> {
  readonly run: RunId
  readonly state: State
  readonly dispatch: (request: Request<Known>) => Effect.Effect<State, Rejection | LogUnavailable>
}

/** Declared once: an MCP tool, an HTTP endpoint, `proofline call`. */
export interface OperationOptions<A extends JsonSchema, R extends JsonSchema, Reads, Known extends string> {
  readonly title: string
  readonly description: string
  /** A struct; every field has a description. */
  readonly args: A
  /** What a successful answer holds. */
  readonly answer: R
  /** It changes nothing. */
  readonly readOnly: boolean
  readonly run: (
    args: A["Type"],
    context: OperationContext<View<Reads>, Known>
  ) => Effect.Effect<R["Type"], Rejection | LogUnavailable>
}

/**
 * What others need of a plugin to read its slice: `{ tasks: TasksState }`. Only this goes into the type of whoever lists
 * it: with the whole header in it the types of a chain of plugins grow like Fibonacci's numbers.
 */
export interface Key<Entry> {
  readonly name: string
  readonly [phantom]?: Entry
  readonly [impl]: HeaderImpl
}
export type ReadsOf<H> = H extends Header<infer _N, infer _S, infer R, infer _K> ? View<R> : never
export type Slices<Entry> = { readonly [One in Entry as keyof One]: One[keyof One] }
export type Names<Entry> = Entry extends unknown ? keyof Entry & string : never

/** Name, slice and reach of a plugin: everything it declares is made with it, and so is typed by it. */
export interface Header<Name extends string, State, Reads, Known extends string>
  extends Key<{ readonly [K in Name]: State }> {
  readonly name: Name

  event<const Type extends string, S extends JsonSchema>(
    type: Type,
    options: EventOptions<S, State, Known, Reads>
  ): Event<Name, Type, S["Type"]>

  /**
   * Something that can happen to the slice, for events of this plugin and of those above it. `requires` is asked when
   * it is decided, never when it is folded.
   */
  change<Arg>(
    name: string,
    options: {
      readonly apply: (own: State, arg: Arg) => State
      readonly requires?: (arg: Arg, state: View<Reads>) => Rejection | null
    }
  ): Change<Name, Arg>

  command<const Tag extends string, S extends JsonSchema>(
    tag: Tag,
    options: CommandOptions<S, Reads, Name>
  ): Command<Name, Tag, S["Type"]>

  /** Changes the plugin's own slice on what happens below it. */
  follow<C>(source: Source<Known, C>, fold: (own: State, content: C) => State): Part<Name>

  /** What should follow, given the run after the whole batch. */
  react<const S extends ReadonlyArray<Source<Known, unknown>>>(
    sources: S,
    react: (content: ContentOf<S[number]>, state: View<Reads>) => ReadonlyArray<Intent<Known>>
  ): Part<Name>

  /** May refuse a request. Never asked about what merely follows from the state: a gate decides about that. */
  guard<Args>(
    command: Source<Known, Args> & { readonly [impl]: CommandImpl },
    guard: (args: Args, state: View<Reads>) => Rejection | null
  ): Part<Name>

  point<Sig>(): <const Place extends string>(name: string, rules: PointRules<Sig, Place>) => Point<Name, Sig, Place>

  offer<Sig, Place extends string>(
    point: Point<Known, Sig, Place>,
    place: NoInfer<Place>,
    offered: Offer<NoInfer<Sig>, Reads, Name, Known>
  ): Part<Name>

  /** Own facts, handed to another plugin's decision. */
  tell(facts: ReadonlyArray<Fact<Name> | Worded>): Worded

  /** Carries out the work of this name; its result is asked for under the lease of the work. */
  activity<S extends JsonSchema>(
    name: string,
    options: { readonly input: S; readonly run: Activity<S["Type"], Reads, Known> }
  ): Part<Name>

  operation<A extends JsonSchema, R extends JsonSchema>(
    name: string,
    options: OperationOptions<A, R, Reads, Known>
  ): Part<Name>
}

export interface PluginParts<Name extends string> {
  /** Recorded in RUN_STARTED. */
  readonly version: string
  readonly events?: ReadonlyArray<Source<Name, unknown> & { readonly [impl]: EventImpl }>
  readonly changes?: ReadonlyArray<Source<Name, unknown> & { readonly [impl]: ChangeImpl }>
  readonly commands?: ReadonlyArray<Source<Name, unknown> & { readonly [impl]: CommandImpl }>
  readonly points?: ReadonlyArray<{ readonly owner: Name; readonly [impl]: PointImpl }>
  /** Follows, reactions, guards, offers, activities, operations. */
  readonly parts?: ReadonlyArray<Part<Name>>
  /** How the engine asks after a run; exactly one plugin of a composition, the one that owns runs, says so. */
  readonly host?: Host
  /** Languages whose syntax is read beside those that are shipped. */
  readonly languages?: ReadonlyArray<LanguageRules>
  /**
   * It orders activities that others have to bring, such as an analyzer that the user names: one that no plugin lists is
   * the failure of that work. Left out: it is a mistake of the plugin.
   */
  readonly ordersAny?: boolean
}

/** A plugin. `languages`: see docs/languages.md. */
export interface Plugin {
  readonly name: string
  readonly version: string
  readonly languages: ReadonlyArray<LanguageRules>
  readonly [impl]: PluginImpl
}

/** What the engine must know of a run, whatever its rules are. */
export interface Host {
  /** It goes on: its work is wanted, and whoever drives it waits. */
  readonly isRunning: (own: unknown) => boolean
  /** Labels a worker must offer to be given its work. */
  readonly labels: (own: unknown) => ReadonlyArray<string>
  /** The run as it is where its project lies in another directory, absolute. */
  readonly at: (own: unknown, root: string) => unknown
  /** Records that work could not be carried out. */
  readonly failed: (item: WorkItem, failure: ActivityFailure) => AnyCommand
  /** What waits for this work although it has ended, as a sentence; null: nothing. `state`: the run as the host sees it. */
  readonly awaits: (state: Asked, item: WorkItem) => string | null
  /** Ends a run that somebody else has given up. */
  readonly cancel: (reason: string) => AnyCommand
  /** Names of the plugins with which a run goes on from this event; empty: it says nothing of them. */
  readonly madeWith: (event: Pick<Recorded, "event_type" | "content">) => ReadonlyArray<string>
  /** Codes of refusals that say that work was done already or is not wanted any more: nothing is recorded of it. */
  readonly overtaken: ReadonlySet<string>
}

// What the core keeps, with the types forgotten: the only place where they are.

// biome-ignore lint/suspicious/noExplicitAny: of any plugin
type Any = any
export interface HeaderImpl {
  readonly name: string
  readonly initial: unknown
  readonly after: ReadonlyArray<string>
}
export interface EventImpl {
  readonly kind: "event"
  readonly owner: string
  readonly type: string
  readonly options: EventOptions<Any, Any, Any, Any>
}
export interface ChangeImpl {
  readonly kind: "change"
  readonly owner: string
  readonly name: string
  readonly apply: (own: Any, arg: Any) => unknown
  readonly requires: ((arg: Any, state: Any) => Rejection | null) | undefined
}
export interface CommandImpl {
  readonly kind: "command"
  readonly owner: string
  readonly tag: string
  readonly options: CommandOptions<Any, Any, Any>
}
export interface PointImpl {
  readonly name: string
  readonly places: ReadonlyArray<string>
  readonly fields: Readonly<Record<string, FieldType>>
  readonly key: string | undefined
  readonly answers: Readonly<Record<string, Misfit>>
}
export type OperationImpl = {
  readonly kind: "operation"
  readonly owner: string
  readonly name: string
  readonly options: OperationOptions<Any, Any, Any, Any>
}
export interface ActivityImpl {
  readonly kind: "activity"
  readonly owner: string
  readonly name: string
  readonly input: JsonSchema
  readonly run: Activity<Any, Any, Any>
}
export type PartImpl =
  | { readonly kind: "follow"; readonly of: string; readonly fold: (own: Any, content: Any) => unknown }
  | {
      readonly kind: "react"
      readonly of: ReadonlyArray<string>
      readonly react: (content: Any, state: Any) => ReadonlyArray<Intent<string>>
    }
  | { readonly kind: "guard"; readonly of: string; readonly guard: (args: Any, state: Any) => Rejection | null }
  | {
      readonly kind: "offer"
      readonly to: string
      readonly place: string
      readonly offered: Readonly<Record<string, Any>>
    }
  | ActivityImpl
  | OperationImpl
export interface PluginImpl {
  readonly header: HeaderImpl
  readonly events: ReadonlyArray<EventImpl>
  readonly changes: ReadonlyArray<ChangeImpl>
  readonly commands: ReadonlyArray<CommandImpl>
  readonly points: ReadonlyArray<PointImpl>
  readonly parts: ReadonlyArray<PartImpl>
  readonly host: Host | undefined
  readonly ordersAny: boolean
}
/** Behind a view: what a point asks. */
export interface Inside {
  readonly offers: (point: string) => ReadonlyArray<Any>
}
