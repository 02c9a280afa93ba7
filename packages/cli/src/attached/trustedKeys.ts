import type { KeyObject } from "node:crypto"
import { existsSync } from "node:fs"
import { homedir } from "node:os"
import * as Path from "node:path"
import { publicKeys } from "@proofline/plugins/adapters/dsse"
import { Effect, Result } from "effect"
import { fileNamed, type ProjectPaths } from "../base/paths.ts"
import { exitCodes, stop } from "../base/problems.ts"
import { readText } from "../project/files.ts"
import { treeAt } from "./commitTrees.ts"

/** The file of a project with the public keys of those whose receipts it takes. */
const keysFile = "proofline.keys"

const variable = "PROOFLINE_PUBLIC_KEY"

/** Whose receipts are believed. */
export interface TrustedKeys {
  readonly keys: ReadonlyArray<KeyObject>
  /** Where they are from, for people. */
  readonly from: ReadonlyArray<string>
}

/**
 * The keys that were named; else those of the user and of the project. `commit`: those of the project are read in that
 * commit, for whoever proposes a change could name a key of their own; null: in the files as they are.
 */
export const trustedKeys = Effect.fnUntraced(function* (
  paths: ProjectPaths,
  named: string | undefined,
  commit: string | null
) {
  if (named !== undefined) return yield* inFile(fileNamed(named, paths).file, "--public-key")
  const said = process.env[variable] ?? ""
  if (said !== "") {
    return yield* said.includes("-----BEGIN") ? keysIn(said, variable) : inFile(fileNamed(said, paths).file, variable)
  }
  const users = usersFile()
  const own = existsSync(users) ? yield* inFile(users, users) : nobody
  const project = yield* commit === null ? inProject(paths) : inCommit(paths, commit)
  return { keys: [...own.keys, ...project.keys], from: [...own.from, ...project.from] }
})

const nobody: TrustedKeys = { keys: [], from: [] }

const usersFile = (): string => {
  const set = process.env["XDG_CONFIG_HOME"] ?? ""
  return Path.join(Path.isAbsolute(set) ? set : Path.join(homedir(), ".config"), "proofline", "trusted.keys")
}

const inProject = ({ root }: ProjectPaths) => {
  const file = Path.join(root, keysFile)
  return existsSync(file) ? inFile(file, keysFile) : Effect.succeed(nobody)
}

const inCommit = Effect.fnUntraced(function* ({ root }: ProjectPaths, commit: string) {
  const { projectFiles } = yield* treeAt({ root, ref: commit })
  const from = `${keysFile} of commit ${commit}`
  const read = yield* Effect.result(projectFiles.readText(keysFile))
  if (Result.isSuccess(read)) return yield* keysIn(read.success.text, from)
  if (read.failure.reason === "not_found") return nobody
  return yield* unusable(from, read.failure.message)
})

const inFile = (file: string, from: string) => Effect.flatMap(readText(file, file), (text) => keysIn(text, from))

const keysIn = (text: string, from: string) =>
  Result.match(publicKeys(text), {
    onFailure: (message) => Effect.fail(unusable(from, message)),
    onSuccess: (keys): Effect.Effect<TrustedKeys> => Effect.succeed({ keys, from: [from] })
  })

const unusable = (from: string, message: string) =>
  stop(exitCodes.usage, {
    code: "key_unusable",
    message: `${from}: ${message}`,
    hint: "Put public keys there, one below the other: `openssl pkey -in key.pem -pubout`."
  })
