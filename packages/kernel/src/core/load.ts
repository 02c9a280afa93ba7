import { Effect, type Result, Schema } from "effect"
import { isPromise } from "./answers.ts"
import { type Plugin, PluginFault } from "./contract.ts"
import { isPlugin } from "./define.ts"
import { brokenByOwnInterrupt, faultOf } from "./faults.ts"
import { ofThisEffect, shaped } from "./strict.ts"

/** A plugin with options of its own: `plugins: [{ use: ./x.ts, with: {…} }]`. */
export interface Configurable<R> {
  readonly options: Schema.Codec<unknown, unknown>
  /** By the copy of Effect that made the schema: what its checks answer says nothing to another one, such as that of a bundle. */
  readonly decode?: (given: unknown) => DecodedOptions
  readonly make: (options: never) => Plugin | Effect.Effect<Plugin, never, R>
}

/** Options are decoded by their schema before `make` sees them; fields that it does not know are refused. */
export const configurable = <S extends Schema.Codec<unknown, unknown>, R = never>(
  options: S,
  make: (options: S["Type"]) => Plugin | Effect.Effect<Plugin, never, R>
): Configurable<R> => {
  ofThisEffect("unknown", "configurable()", { options })
  return { options, make, decode: decoding(options) }
}

type DecodedOptions = Result.Result<unknown, Schema.SchemaError>

const decoding = (options: Schema.Codec<unknown, unknown>): ((given: unknown) => DecodedOptions) =>
  Schema.decodeUnknownResult(options, { onExcessProperty: "error", errors: "all" })

/** Options of a plugin by its schema. */
export const decodedOptions = <R>(
  { decode, options }: Pick<Configurable<R>, "decode" | "options">,
  given: unknown
): DecodedOptions => (decode ?? decoding(options))(given)

export type Loadable<R = never> = Plugin | Effect.Effect<Plugin, never, R> | Configurable<R>

/** Whatever a module exports, as a plugin, or as a fault with its name. `use` names the module in messages. */
export const loadPlugin = <R = never>(
  use: string,
  exported: Loadable<R>,
  options: unknown = {}
): Effect.Effect<Plugin, PluginFault, R> =>
  Effect.suspend(() => {
    const made = isConfigurable(exported)
      ? configured(use, exported, options)
      : withoutOptions(use, exported as Plugin | Effect.Effect<Plugin, never, R>, options)
    return Effect.isEffect(made) ? made : Effect.succeed(made)
  }).pipe(
    brokenByOwnInterrupt,
    // without types it may fail with anything
    Effect.catch((failure: unknown) => Effect.fail(faultOf(use, "load", failure))),
    Effect.catchDefect((defect) => Effect.fail(faultOf(use, "load", defect))),
    Effect.flatMap((plugin) => (isPlugin(plugin) ? Effect.succeed(plugin) : Effect.fail(notOne(use, plugin))))
  )

export const isConfigurable = <R>(value: Loadable<R>): value is Configurable<R> =>
  typeof value === "object" && value !== null && "options" in value && "make" in value

const withoutOptions = <R>(use: string, exported: Plugin | Effect.Effect<Plugin, never, R>, options: unknown) => {
  if (typeof options === "object" && options !== null && Object.keys(options).length > 0) {
    throw new PluginFault({ plugin: use, where: "with", problem: "The plugin takes no options. Remove `with`." })
  }
  return exported
}

const configured = <R>(
  use: string,
  exported: Configurable<R>,
  given: unknown
): Plugin | Effect.Effect<Plugin, never, R> => {
  shaped(use, "the export", exported, { options: "schema", make: "function", decode: "function?" })
  const decoded = decodedOptions(exported, given)
  if (decoded._tag === "Failure") {
    throw new PluginFault({ plugin: use, where: "with", problem: decoded.failure.message })
  }
  return exported.make(decoded.success as never)
}

const notOne = (use: string, value: unknown): PluginFault =>
  new PluginFault({
    plugin: use,
    where: "load",
    problem: `It exports ${describe(value)}, not a plugin of this version of Proofline: make it with plugin() and definePlugin() of the @proofline/kernel that Proofline itself uses.`
  })

const describe = (value: unknown): string => {
  if (isPromise(value)) return "a Promise"
  if (typeof value !== "object" || value === null) return String(value === null ? "null" : typeof value)
  const fields = Object.keys(value)
  return fields.length === 0 ? "an empty object" : `an object with ${fields.join(", ")}`
}
