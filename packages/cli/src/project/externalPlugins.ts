import { Console } from "node:console"
import { existsSync } from "node:fs"
import { createRequire } from "node:module"
import * as Path from "node:path"
import { pathToFileURL } from "node:url"
import {
  decodedOptions,
  effectTwice,
  isConfigurable,
  isFault,
  type LanguageRules,
  type Loadable,
  loadPlugin,
  type Plugin
} from "@proofline/kernel"
import { type PluginEntry, pluginOptionProblems } from "@proofline/plugins/adapters/project-files"
import { faultOf } from "@proofline/plugins/adapters/tree-sitter"
import type { PluginPorts } from "@proofline/plugins/ports"
import { Effect, Result } from "effect"
import { answersWithinMs } from "../base/answersWithin.ts"
import { textIn } from "../base/paths.ts"
import { exitCodes, type Problem, stop } from "../base/problems.ts"
import { unlessItEnds } from "../process/ending.ts"
import { cameFrom, isPath, placeOf } from "./pluginEntries.ts"

/** The built-in policy that a project can name to have its evidence judged as it was in the beginning. */
export const regexPolicy = "evidence-regex"

/** A plugin of the project, with the entry of proofline.yaml that names it. */
export interface LoadedPlugin {
  readonly entry: PluginEntry
  readonly plugin: Plugin
}

/** What was loaded of the plugins that proofline.yaml names, and everything that is wrong with the others. */
export interface LoadedPlugins {
  readonly loaded: ReadonlyArray<LoadedPlugin>
  readonly problems: ReadonlyArray<Problem>
}

/** Plugins that proofline.yaml names: npm packages of the project, or files by a path that begins with `./`. */
export const loadPlugins = Effect.fnUntraced(function* (
  root: string,
  entries: ReadonlyArray<PluginEntry>
): Effect.fn.Return<LoadedPlugins, never, PluginPorts> {
  const others = entries.filter(({ use }) => use !== regexPolicy)
  if (others.length > 0) consoleToStderr()
  const results = yield* Effect.forEach(others, (entry) => Effect.result(toldWhereItEnds(entry, load(root, entry))))
  return {
    loaded: results.filter(Result.isSuccess).map(({ success }) => success),
    problems: results.filter(Result.isFailure).flatMap(({ failure }) => failure)
  }
})

/** A plugin that waits for what never comes, or ends the process, must not look like a command that is done, or at work. */
const toldWhereItEnds = <A, E, R>(
  entry: PluginEntry,
  loading: Effect.Effect<A, E, R>
): Effect.Effect<A, E | Problem, R> =>
  Effect.raceFirst(loading, Effect.andThen(afterSilence, Effect.fail(silent(entry)))).pipe(
    unlessItEnds(
      stop(exitCodes.usage, unusable(entry, "the process ended, or had nothing left to do, while it was loaded"))
    )
  )

/** Waits as long as a plugin may take. Keeps no process alive that has nothing else to wait for. */
const afterSilence = Effect.callback<void>((resume) => {
  const timer = setTimeout(() => resume(Effect.void), answersWithinMs).unref()
  return Effect.sync(() => clearTimeout(timer))
})

const silent = (entry: PluginEntry): Problem => ({
  ...unusable(entry, `it was not loaded within ${answersWithinMs / 1_000} s`),
  hint: "Something that it does when it is imported never ends, such as a top-level `await`. Do that in an activity instead."
})

/** Standard output is for what commands answer, or for a protocol: what plugins write on the console is for people. */
const consoleToStderr = (): void => {
  globalThis.console = new Console(process.stderr, process.stderr)
}

const load = Effect.fnUntraced(function* (
  root: string,
  entry: PluginEntry
): Effect.fn.Return<LoadedPlugin, Problem | ReadonlyArray<Problem>, PluginPorts> {
  const { use } = entry
  const { default: exported } = yield* Effect.tryPromise({
    try: (): Promise<{ readonly default?: unknown }> => import(pathToFileURL(resolve(root, use)).href),
    catch: (cause) => {
      const problem = withModules(
        cause,
        withCopies(
          cause,
          unusable(entry, `it cannot be loaded: ${withoutStop(firstLine(cause))}${lineIn(root, use, cause)}`)
        )
      )
      // without ./ it is the name of a package
      return isPath(use) || !existsSync(Path.join(root, use))
        ? problem
        : { ...problem, hint: `There is a file of that name: write ./${use}.` }
    }
  })
  // whatever it is: it is looked at before it is used
  const plugin = yield* loadPlugin(use, exported as Loadable<PluginPorts>, entry.with).pipe(
    Effect.mapError((fault) => {
      const found = fault.where === "with" ? optionProblems(root, entry, exported as Loadable<PluginPorts>) : []
      return found.length > 0 ? found : withCopies(fault, unusable(entry, faultText(use, fault)))
    })
  )
  for (const rules of plugin.languages) {
    const fault = yield* faultOf(rules)
    // said before anything runs: a language that cannot be read would let everything pass in silence
    if (fault !== null) return yield* Effect.fail(languageUnusable(entry, rules, fault))
  }
  cameFrom(plugin, entry)
  return { entry, plugin }
})

/** Options that do not fit, each where it stands, in the words of other settings; empty: the plugin takes none. */
const optionProblems = (root: string, entry: PluginEntry, exported: Loadable<PluginPorts>): ReadonlyArray<Problem> => {
  if (!isConfigurable(exported)) return []
  const decoded = decodedOptions(exported, entry.with)
  if (decoded._tag !== "Failure") return []
  const found = { ast: exported.options.ast, issue: decoded.failure.issue }
  const file = "proofline.yaml"
  // one that was named on the command line stands in no file
  const alone = JSON.stringify({ plugins: [{ use: entry.use, with: entry.with }] })
  const problems =
    pluginOptionProblems(configText(root), file, entry, found) ??
    pluginOptionProblems(alone, file, { ...entry, line: 1, column: alone.indexOf("[") + 2 }, found) ??
    []
  return problems.map((problem) => ({ ...problem, code: "plugin_unusable" }))
}

/** Two copies of effect are no fault of the file. */
const withCopies = (cause: unknown, problem: Problem): Problem =>
  isFault(cause) && cause.code === effectTwice
    ? {
        ...problem,
        hint: "The project holds two copies of effect; `npm ls effect` shows them. Let there be one: run `npm dedupe`, and let a package name effect as a peer dependency."
      }
    : problem

/** `npm init` writes `"type": "commonjs"`, and then Node takes a file for a script. */
const withModules = (cause: unknown, problem: Problem): Problem =>
  cause instanceof SyntaxError && /outside a module|Unexpected token 'export'/.test(cause.message)
    ? {
        ...problem,
        hint: 'By the `type` of the nearest package.json it is no ES module: write `"type": "module"` there, or let the name of the file end with .mts or .mjs.'
      }
    : problem

const configText = (root: string): string => textIn(Path.join(root, "proofline.yaml")) ?? ""

const resolve = (root: string, name: string): string =>
  isPath(name) ? Path.resolve(root, name) : createRequire(Path.join(root, "package.json")).resolve(name)

const firstLine = (cause: unknown): string =>
  (cause instanceof Error ? cause.message : String(cause)).split("\n")[0] ?? ""

/** The line of the plugin's own file at which it broke, where that is known. */
const lineIn = (root: string, use: string, cause: unknown): string => {
  const [, rest] =
    isPath(use) && cause instanceof Error ? (cause.stack ?? "").split(pathToFileURL(resolve(root, use)).href) : []
  const [, line] = /^:(\d+)/.exec(rest ?? "") ?? []
  return line === undefined ? "" : ` (${use}:${line})`
}

/** What a plugin got wrong, and where; the plugin is not named twice. */
const faultText = (
  use: string,
  { plugin, problem, where }: { readonly plugin: string; readonly where: string; readonly problem: string }
): string => {
  const of = plugin === use || plugin === "unknown" ? "" : `plugin ${plugin}, `
  return `${of}${problem.startsWith(where) ? "" : `${where}: `}${problem}`
}

/** One sentence: a name, and why it is not used. */
const unusable = (entry: PluginEntry, why: string): Problem => ({
  code: "plugin_unusable",
  message: `The plugin "${entry.use}" is not used: ${withoutStop(why)}.`,
  ...placeOf(entry),
  hint: "Look at the file or install the package in the project, or correct its name under `plugins:`."
})

const withoutStop = (text: string): string => text.replace(/[.\s]+$/, "")

const languageUnusable = (entry: PluginEntry, rules: LanguageRules, fault: string): Problem => ({
  code: "language_unusable",
  message: `The language "${rules.name}" of the plugin "${entry.use}" cannot be read: ${withoutStop(fault)}.`,
  ...placeOf(entry),
  hint: "Look at the grammar's path and at the query; `proofline docs languages` tells how both are written."
})
