import { createRequire } from "node:module"
import * as Path from "node:path"
import { pathToFileURL } from "node:url"
import type { LanguageRules, Plugin } from "@proofline/kernel"
import { faultOf } from "@proofline/plugins/adapters/tree-sitter"
import { Effect } from "effect"
import { exitCodes, stop } from "./problems.ts"

/** The built-in policy that a project can name to have its evidence judged as it was in the beginning. */
export const regexPolicy = "evidence-regex"

/** Plugins that proofline.yaml names: npm packages of the project, or files by a path that begins with `./`. */
export const loadPlugins = (root: string, names: ReadonlyArray<string>) =>
  Effect.forEach(
    names.filter((name) => name !== regexPolicy),
    (name) =>
      Effect.tap(load(root, name), (plugin) =>
        Effect.forEach(plugin.languages ?? [], (rules) => refuseUnreadable(name, rules), { discard: true })
      )
  )

/** Said before anything runs: a language that cannot be read would let everything pass in silence. */
const refuseUnreadable = Effect.fnUntraced(function* (plugin: string, rules: LanguageRules) {
  const fault = yield* faultOf(rules)
  if (fault === null) return
  return yield* stop(exitCodes.usage, {
    code: "language_unusable",
    message: `The language "${rules.name}" of the plugin "${plugin}" cannot be read: ${fault.replace(/[.\s]+$/, "")}.`,
    file: "proofline.yaml",
    hint: "Look at the grammar's path and at the query; docs/languages.md tells how both are written."
  })
})

const load = (root: string, name: string) =>
  Effect.tryPromise({
    try: () => importModule(pathToFileURL(resolve(root, name)).href),
    catch: (cause) => refused(name, `it cannot be loaded: ${firstLine(cause)}`)
  }).pipe(
    Effect.flatMap((module: { readonly default?: unknown }) =>
      isPlugin(module.default)
        ? Effect.succeed(module.default)
        : Effect.fail(refused(name, "its default export is no plugin (a value with `name`, `version` and `initial`)"))
    )
  )

/** Given by the bundled file, whose compiled text cannot import by itself. */
declare const hostImport: ((url: string) => Promise<unknown>) | undefined

const importModule = (url: string): Promise<{ readonly default?: unknown }> =>
  (typeof hostImport === "function" ? hostImport(url) : import(url)) as Promise<{ readonly default?: unknown }>

const resolve = (root: string, name: string): string =>
  name.startsWith("./") || name.startsWith("../") || Path.isAbsolute(name)
    ? Path.resolve(root, name)
    : createRequire(Path.join(root, "package.json")).resolve(name)

const isPlugin = (value: unknown): value is Plugin =>
  typeof value === "object" &&
  value !== null &&
  "initial" in value &&
  hasText(value, "name") &&
  hasText(value, "version")

const hasText = (value: object, key: string): boolean => typeof (value as Record<string, unknown>)[key] === "string"

const firstLine = (cause: unknown): string =>
  (cause instanceof Error ? cause.message : String(cause)).split("\n")[0] ?? ""

const refused = (name: string, why: string) =>
  stop(exitCodes.usage, {
    code: "plugin_unusable",
    message: `The plugin "${name}" is not used: ${why}.`,
    file: "proofline.yaml",
    hint: "Look at the file or install the package in the project, or correct its name under `plugins:`."
  })
