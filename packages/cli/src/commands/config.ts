import { readFileSync } from "node:fs"
import * as Path from "node:path"
import { keysIn, type WrittenKey } from "@proofline/plugins/adapters/project-files"
import { Effect } from "effect"
import { asset } from "../assets.ts"
import { blobsVariable, databaseName, readBlobs, readDatabaseUrl } from "../base/database.ts"
import { type ProjectPaths, textIn, type Where } from "../base/paths.ts"
import { exitCodes } from "../base/problems.ts"
import { takenDatabaseUrl } from "../base/takenEnvironment.ts"
import { configDocument } from "../documents/files.ts"
import { print, printDocument } from "../process/output.ts"
import { existingProject, projectConfig } from "../project/files.ts"

type Origin = (typeof configDocument.data.Type)["settings"][number]["origin"]
type Setting = (typeof configDocument.data.Type)["settings"][number]

/** `proofline config show`: what holds for the project when a command says nothing else, and where each of it is said. */
export const showConfig = Effect.fnUntraced(function* (
  options: Where & { readonly origin: boolean; readonly json: boolean }
) {
  const paths = yield* existingProject(options)
  // tells what is wrong with the files
  yield* projectConfig(paths)
  const settings = [...placesOf(paths, options), ...settingsOf(paths)]
  yield* options.json ? printDocument(configDocument, { settings }) : print(textOf(settings, options.origin))
  return exitCodes.proven
})

const settingsFile = "proofline.yaml"
const chunkingFile = ".claude/task-chunking.json"

/** What can be said in proofline.yaml, with its default where it has one. */
interface Known {
  readonly path: ReadonlyArray<string>
  readonly default?: unknown
}

interface SchemaNode {
  readonly properties?: Readonly<Record<string, SchemaNode>>
  readonly default?: unknown
}

/** About the file itself. */
const isHeader = (key: string): boolean => key === "$schema" || key === "schema_version"

const knownIn = ({ properties = {} }: SchemaNode, before: ReadonlyArray<string> = []): ReadonlyArray<Known> =>
  Object.entries(properties).flatMap(([key, node]) => {
    if (before.length === 0 && isHeader(key)) return []
    const path = [...before, key]
    return node.properties === undefined ? [{ path, default: node.default }] : knownIn(node, path)
  })

const settingsOf = ({ root }: ProjectPaths): ReadonlyArray<Setting> => {
  const settings = keysOf(root, settingsFile)
  // it has what stands under `chunking` in the other
  const chunking = keysOf(root, chunkingFile)
  return knownIn(JSON.parse(readFileSync(asset("schema", "proofline.schema.json"), "utf8"))).flatMap(
    ({ default: otherwise, path: [first = "", ...others] }): ReadonlyArray<Setting> => {
      const key = [first, ...others].join(".")
      const said = (name: string): Setting | undefined => {
        const found = settings.get(name)
        if (found !== undefined) return { key, value: found.value, origin: inFile(settingsFile, found.line) }
        const beside = name.startsWith("chunking.") ? chunking.get(name.slice("chunking.".length)) : undefined
        return beside && { key, value: beside.value, origin: inFile(chunkingFile, beside.line) }
      }
      // what holds is shown, be it said elsewhere
      const found = [...over(key), key, ...under(key)].map(said).find((one) => one !== undefined)
      if (found !== undefined) return [found]
      return otherwise === undefined
        ? []
        : [{ key, value: otherwise, origin: { kind: "default", file: null, line: null } }]
    }
  )
}

/** Keys that take the place of one where they are said: limits of parts are those of the run. */
const over = (key: string): ReadonlyArray<string> =>
  ["workers", "timeout_ms", "idle_timeout_ms"].includes(key) ? [`chunking.${key}`] : []

/** Keys that hold where one is not said: of parts as of tasks. */
const under = (key: string): ReadonlyArray<string> => {
  const [, name] = /^chunking\.(?:retry\.(.+)|fail_fast)$/.exec(key) ?? []
  return key === "chunking.fail_fast" ? ["fail_fast"] : name === undefined ? [] : [name]
}

const keysOf = (root: string, name: string): ReadonlyMap<string, WrittenKey> => {
  const file = Path.join(root, name)
  return keysIn(textIn(file) ?? "")
}

const inFile = (file: string, line: number): Origin => ({ kind: "file", file, line })

/** Where things are kept. What a URL bears of passwords is left out. */
const placesOf = (paths: ProjectPaths, { blobs, databaseUrl, state }: Where): ReadonlyArray<Setting> => [
  { key: "state", value: paths.state, origin: saidBy(state, undefined) },
  ...(databaseUrl === undefined
    ? []
    : [
        {
          key: "database_url",
          value: databaseName(databaseUrl),
          origin: saidBy(databaseUrl, readAs(takenDatabaseUrl(), readDatabaseUrl))
        }
      ]),
  {
    key: "blobs",
    value: paths.blobStore ?? paths.blobs,
    origin: saidBy(blobs, readAs(process.env[blobsVariable] || undefined, readBlobs))
  }
]

/** What a variable says, as the flag beside it would be read; undefined: nothing. */
const readAs = (said: string | undefined, read: (said: string) => object): unknown =>
  said === undefined ? undefined : Object.values(read(said))[0]

const saidBy = (value: string | undefined, variable: unknown): Origin => ({
  kind: value === undefined ? "default" : value === variable ? "environment" : "flag",
  file: null,
  line: null
})

const wordsOf = ({ file, kind, line }: Origin): string => (kind === "file" ? `${file}:${line}` : kind)

const textOf = (settings: ReadonlyArray<Setting>, isWithOrigin: boolean): string => {
  const rows = settings.map(({ key, origin, value }) => [`${key}: ${JSON.stringify(value)}`, wordsOf(origin)] as const)
  const width = Math.min(60, Math.max(...rows.map(([said]) => said.length)))
  return rows.map(([said, origin]) => `${isWithOrigin ? `${said.padEnd(width)}  # ${origin}` : said}\n`).join("")
}
