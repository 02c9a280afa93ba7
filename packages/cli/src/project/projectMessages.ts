import { existsSync } from "node:fs"
import * as Path from "node:path"
import { gateMessages } from "@proofline/kernel"
import { currentMessages, placeholders } from "@proofline/plugins/policies/evidence"
import { Effect } from "effect"
import type { ProjectPaths } from "../base/paths.ts"
import { exitCodes, stop } from "../base/problems.ts"
import { sayProblems } from "../process/output.ts"
import { readText } from "./files.ts"

/** Where a project keeps its phase contract and its planning guide; the first that exists is read. */
const folders = [".proofline", ".code-intel"]

export const projectFile = (root: string, name: string): string | undefined =>
  folders.map((folder) => Path.join(root, folder, name)).find((file) => existsSync(file))

export const contractName = "phase_contract.yml"

/** The project's own sentences for failures, by failure key; the file is optional, and so is everything in it. */
export const projectMessages = Effect.fnUntraced(function* (
  { root }: ProjectPaths,
  { isQuiet = false }: { readonly isQuiet?: boolean } = {}
) {
  const file = projectFile(root, contractName)
  const ours = { ...gateMessages, ...currentMessages }
  if (file === undefined) return ours
  const { parsePhaseContract } = yield* Effect.promise(() => import("@proofline/plugins/adapters/project-files"))
  const shown = Path.relative(process.cwd(), file)
  const { messages, problems, warnings } = parsePhaseContract(yield* readText(file, shown), shown, placeholders)
  if (!isQuiet) yield* sayProblems(warnings, "warning")
  return messages === null ? yield* stop(exitCodes.usage, ...problems) : { ...ours, ...messages }
})
