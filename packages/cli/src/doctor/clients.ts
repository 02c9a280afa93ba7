import { existsSync } from "node:fs"
import * as Path from "node:path"
import { pathOf } from "@proofline/plugins/adapters/command-agent"
import { Effect } from "effect"
import { type ProjectPaths, projectPaths } from "../base/paths.ts"
import { type Problem, problemText } from "../base/problems.ts"
import { positionOf, problemOf } from "../clients/changes.ts"
import { commandsIn } from "../clients/edit.ts"
import { type Found, find } from "../clients/files.ts"
import { setUpAgain } from "../clients/setUp.ts"
import { type ClientFile, type ClientName, clientNames, clients } from "../clients/table.ts"
import { commandFor } from "../process/output.ts"
import { oneLine } from "../render/style.ts"
import type { Finding } from "./Finding.ts"

/** Whether the commands with which clients of agents start Proofline in this project are still there. */
export const lookAtClients = (paths: ProjectPaths): Effect.Effect<ReadonlyArray<Finding>> =>
  Effect.map(
    Effect.forEach(clientNames, (client) =>
      Effect.forEach(clients[client].files([]), (file) => lookAtFile(client, file, paths))
    ),
    (found) => found.flat(2)
  )

const lookAtFile = (client: ClientName, file: ClientFile, paths: ProjectPaths): Effect.Effect<ReadonlyArray<Finding>> =>
  find(paths.root, file.path).pipe(
    Effect.map((found) => goneIn(client, file, found, paths)),
    // a file that is none of ours to read says nothing of Proofline
    Effect.orElseSucceed(() => [])
  )

const goneIn = (
  client: ClientName,
  file: ClientFile,
  { path, text }: Found,
  paths: ProjectPaths
): ReadonlyArray<Finding> => {
  if (text === null) return []
  try {
    return commandsIn(text, file).flatMap(({ at, words }) => {
      const missing = missingOf(words, paths.root)
      return missing === null ? [] : [gone(client, path, positionOf(text, at), words, missing, paths)]
    })
  } catch (cause) {
    const problem = text.includes("proofline") ? problemOf(cause, { path, text }) : null
    return problem === null ? [] : [unusable(client, problem)]
  }
}

const gone = (
  client: ClientName,
  path: string,
  { column, line }: { readonly line: number; readonly column: number },
  words: ReadonlyArray<string>,
  missing: string,
  paths: ProjectPaths
): Finding => ({
  code: "client_command_gone",
  severity: "error",
  message: `${clients[client].title} starts Proofline with \`${oneLine(words.join(" "), 200)}\`, and ${missing}.`,
  place: `${path}:${line}:${column}`,
  fix: `${commandFor(projectPaths(paths.root))(`mcp install ${client} --yes`)} writes the command of this Proofline; with --replace also over one that was written by hand.`,
  mend: Effect.mapError(setUpAgain(paths.root, client, path), ({ problems }) => problems.map(problemText).join(" "))
})

const unusable = (client: ClientName, { code, column, file, hint, line, message }: Problem): Finding => ({
  code,
  severity: "error",
  message: `${clients[client].title} is to start Proofline, and its file cannot be read: ${message}`,
  place: [file, line, column].filter((part) => part !== undefined).join(":"),
  fix: hint.replace(/^Nothing was written\. /, "")
})

/** What of a command that starts Proofline is not there; null: nothing, as far as can be told. */
const missingOf = (words: ReadonlyArray<string>, root: string): string | null => {
  const [program = "", ...rest] = words
  // filled in by the client, or by a shell
  if (/[$~%{]/.test(program)) return null
  if (pathOf(program, root) === null)
    return `there is no program \`${program}\` ${program.includes("/") ? "any more" : "on PATH"}`
  const name = Path.basename(program)
  if (name === "npx") return npxMissing(rest, root)
  const [script = ""] = rest.filter((word) => !word.startsWith("-"))
  return /^node(?:js)?$/.test(name) && Path.isAbsolute(script) && !existsSync(script)
    ? `there is no file ${script} any more`
    : null
}

/** npx looks in the directory that it is told, or in that of the project and those above it; else it would ask the network. */
const npxMissing = (words: ReadonlyArray<string>, root: string): string | null => {
  if (!words.includes("proofline")) return null
  const at = words.indexOf("--prefix")
  const prefix = at === -1 ? null : Path.resolve(root, words[at + 1] ?? "")
  const own = Path.join("node_modules", ".bin", "proofline")
  if (prefix !== null) return existsSync(Path.join(prefix, own)) ? null : `Proofline is not in ${prefix} any more`
  for (let directory = root; ; directory = Path.dirname(directory)) {
    if (existsSync(Path.join(directory, own))) return null
    if (directory === Path.dirname(directory)) break
  }
  return pathOf("proofline", root) === null ? "Proofline is installed neither in the project nor on PATH" : null
}
