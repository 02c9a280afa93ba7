/**
 * What every plugin must hold to, ours and yours alike. Each case is an Effect that fails with `ContractViolated`:
 *
 * ```ts
 * for (const { name, run } of pluginContract(myPlugin)) it.effect(name, () => run)
 * ```
 */
import { Arbitrary, Effect, HashMap, HashSet, Result, Schema } from "effect"
import type { Recorded } from "../base/Recorded.ts"
import { modules } from "../composition.ts"
import { answered, intents } from "../core/answers.ts"
import { type Composition, compose, type EventTable, type Snapshot } from "../core/compose.ts"
import { type AnyCommand, type AnyEvent, impl, type JsonSchema, type Plugin } from "../core/contract.ts"
import { repairText } from "../core/Engine.ts"
import { frozen } from "../core/frozen.ts"
import { makeManifest } from "../core/manifest.ts"
import { recall } from "../core/replay.ts"
import { emptySnapshot, foldEvent, type Step, step } from "../core/step.ts"
import { unfitEvent } from "../core/unfit.ts"
import { canonicalJson } from "../log/codec.ts"
import { aRun, aTask } from "./given.ts"
import { rehearsed } from "./rehearsal.ts"
import { ContractViolated, holds } from "./vocabulary.ts"

/** One thing that a plugin must hold to. */
export interface PluginCase {
  readonly name: string
  readonly run: Effect.Effect<void, ContractViolated>
}

/** Values of a schema; the same ones every time, with whole characters as the engine makes them. */
const samplesOf = (schema: JsonSchema): Effect.Effect<ReadonlyArray<unknown>, ContractViolated> =>
  Effect.mapError(
    Effect.suspend(() => Arbitrary.sampleEffect(Arbitrary.schema(schema), { count: 20, size: 4, seed: "contract" })),
    () => new ContractViolated({ message: "No value of the schema can be made up." })
  ).pipe(Effect.map(repairText))

/** An event as a log has it, in whatever schema version it was written. */
export type WrittenEvent = Pick<Recorded, "event_type" | "schema_version" | "content">

/**
 * The cases for one plugin. `below`: the plugins that it comes after, beside the modules of the kernel. `written`: for each
 * schema version that an event of it had before, what was written then.
 */
export const pluginContract = (
  plugin: Plugin,
  below: ReadonlyArray<Plugin> = [],
  written: ReadonlyArray<WrittenEvent> = []
): ReadonlyArray<PluginCase> => {
  const { commands, events, parts } = plugin[impl]
  const composed = Effect.try({
    try: () => compose([...new Set([...modules, ...below, plugin])], { freezes: true }),
    catch: (error) => new ContractViolated({ message: String(error) })
  })
  const within = (check: (composition: Composition) => Effect.Effect<void, ContractViolated>) =>
    Effect.catchDefect(Effect.flatMap(composed, check), (defect) =>
      Effect.fail(new ContractViolated({ message: String(defect) }))
    )
  return [
    { name: `${plugin.name} composes with what it comes after`, run: Effect.asVoid(composed) },
    {
      name: `${plugin.name} goes through a run, and changes no state but its own by what it answers`,
      run: within((composition) => Effect.sync(() => void rehearsed(composition)))
    },
    ...parts.flatMap((part) =>
      part.kind === "react"
        ? part.of.map((source) => ({
            name: `${plugin.name}: what it reacts with to ${source} is something to ask for`,
            run: within((composition) => reactionHolds(composition, plugin.name, source, part.react))
          }))
        : []
    ),
    ...events.map(({ type }) => ({
      name: `${plugin.name}: ${type} is folded, whatever it holds, and told in one line`,
      run: within((composition) => eventHolds(composition, composition.events.get(type) as EventTable))
    })),
    ...events.flatMap(({ options, type }) =>
      (options.upcasters ?? []).map((_, i) => ({
        name: `${plugin.name}: ${type} of schema version ${i + 1} is lifted to today's, the same way twice`,
        run: within((composition) => liftHolds(composition, type, i + 1, written))
      }))
    ),
    ...commands.map(({ options, tag }) => ({
      name: `${plugin.name}: ${tag} is decided, whatever is asked, the same way twice, and read back`,
      run: within((composition) => commandHolds(composition, tag, options.schema))
    })),
    ...parts.flatMap((part) =>
      part.kind === "operation"
        ? [{ name: `${plugin.name}: ${part.name} describes its arguments`, run: described(part.options.args) }]
        : []
    )
  ]
}

const eventHolds = (composition: Composition, { event }: EventTable): Effect.Effect<void, ContractViolated> =>
  Effect.gen(function* () {
    const { type } = event
    for (const content of yield* samplesOf(event.options.schema)) {
      const before = frozen(emptySnapshot(composition))
      const fact = { type, content: frozen(content) } as AnyEvent
      const once = foldEvent(composition, before, fact)
      yield* holds(alike(once, foldEvent(composition, before, fact)), `${type} is not folded the same way twice.`)
      const sentence: unknown = event.options.sentence(content)
      const isTold = typeof sentence === "string" && sentence.trim() !== ""
      yield* holds(isTold, `${type} is told as ${JSON.stringify(sentence)}.`)
    }
  })

/** With whatever came before it: a reaction may count on what its event says, so it only must not break on each. */
const reactionHolds = (
  composition: Composition,
  by: string,
  source: string,
  react: (content: unknown, state: unknown) => unknown
): Effect.Effect<void, ContractViolated> =>
  Effect.gen(function* () {
    const event = composition.events.get(source)
    // what a change is made with has no schema
    if (event === undefined) return
    const slot = composition.slotOf.get(by) ?? -1
    const states = rehearsed(composition)
    let broken: unknown
    for (const content of yield* samplesOf(event.event.options.schema)) {
      for (const { slices } of states) {
        const asked = Result.try(() =>
          answered(by, `react on ${source}`, intents, composition.listed, () =>
            react(frozen(content), composition.view(slot, slices))
          )
        )
        if (Result.isSuccess(asked)) return
        broken = asked.failure
      }
    }
    return yield* new ContractViolated({ message: broken instanceof Error ? broken.message : String(broken) })
  })

/** What was written in an earlier schema version is today's event, in whatever run it stands. */
const liftHolds = (
  composition: Composition,
  type: string,
  version: number,
  written: ReadonlyArray<WrittenEvent>
): Effect.Effect<void, ContractViolated> =>
  Effect.gen(function* () {
    const manifest = makeManifest(composition)
    const lines = written.filter(({ event_type, schema_version }) => event_type === type && schema_version === version)
    yield* holds(
      lines.length > 0,
      `No ${type} of schema version ${version} is given: that it can be read is not known.`
    )
    for (const line of lines) {
      for (const before of situations(composition)) {
        const lift = () =>
          manifest.decode({ stream: "run", version: 1, ...line, content: frozen(line.content) }, () => before)
        const once = yield* Effect.try({
          try: lift,
          catch: (error) => new ContractViolated({ message: error instanceof Error ? error.message : String(error) })
        })
        const isAlike = canonicalJson(once.content) === canonicalJson(lift().content)
        yield* holds(isAlike, `${type} of schema version ${version} is not lifted the same way twice.`)
      }
    }
  })

const commandHolds = (
  composition: Composition,
  tag: string,
  schema: JsonSchema
): Effect.Effect<void, ContractViolated> =>
  Effect.gen(function* () {
    for (const args of yield* samplesOf(schema)) {
      const command = frozen({ _tag: tag, ...(args as object) }) as AnyCommand
      for (const before of situations(composition)) {
        const decided = step(composition, before, command)
        const again = step(composition, before, command)
        yield* holds(decidedAlike(decided, again), `${tag} is not decided the same way twice.`)
        if (Result.isSuccess(decided)) yield* readBack(composition, before, tag, decided.success)
      }
    }
  })

/** No run at all, and one of two tasks. */
const situations = (composition: Composition): ReadonlyArray<Snapshot> => {
  const nothing = frozen(emptySnapshot(composition))
  const started = step(composition, nothing, aRun([aTask("a"), aTask("b", { depends_on: ["a"] })]))
  return Result.isSuccess(started) ? [nothing, frozen(started.success.after)] : [nothing]
}

/** What a command has written is enough to ask for it again. */
const readBack = (
  composition: Composition,
  before: Snapshot,
  tag: string,
  { events }: Step
): Effect.Effect<void, ContractViolated> =>
  Effect.gen(function* () {
    // what merely follows from the state is written beside what it follows from
    if (events.length === 0 || composition.commands.get(tag)?.options.recall === "follows") return
    const wrong = unfitEvent(composition, events)
    if (wrong !== null) return yield* new ContractViolated({ message: wrong.message })
    const told = recall(composition, before, events)
    yield* holds(told !== undefined, `${tag} wrote ${events[0]?.type}, from which no command is read back.`)
    if (told === undefined) return
    const again = step(composition, before, told)
    const isSame = Result.isSuccess(again) && canonicalJson(again.success.events) === canonicalJson(events)
    yield* holds(isSame, `${tag} is read back as a ${told._tag} that writes something else.`)
  })

const described = (args: JsonSchema): Effect.Effect<void, ContractViolated> =>
  Effect.suspend(() => {
    const { schema } = Schema.toJsonSchemaDocument(args)
    const properties = (schema["properties"] ?? {}) as Readonly<Record<string, { readonly description?: unknown }>>
    const bare = Object.entries(properties).flatMap(([name, { description }]) =>
      typeof description === "string" ? [] : [name]
    )
    return holds(bare.length === 0, `These arguments are not described: ${bare.join(", ")}.`)
  })

const decidedAlike = (a: Result.Result<Step, unknown>, b: Result.Result<Step, unknown>): boolean => {
  if (Result.isFailure(a) || Result.isFailure(b)) return Result.isFailure(a) && Result.isFailure(b)
  return canonicalJson(a.success.events) === canonicalJson(b.success.events) && alike(a.success.after, b.success.after)
}

const alike = (a: Snapshot, b: Snapshot): boolean => shown(a.slices) === shown(b.slices)

const shown = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) =>
    HashMap.isHashMap(inner) || HashSet.isHashSet(inner)
      ? [...(inner as Iterable<unknown>)].map((one) => JSON.stringify(one)).sort()
      : inner
  )
