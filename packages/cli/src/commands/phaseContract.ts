import { existsSync } from "node:fs"
import * as Path from "node:path"
import { parsePhaseContract } from "@proofline/plugins/adapters/project-files"
import { placeholders } from "@proofline/plugins/policies/evidence"
import { Effect } from "effect"
import { sayProblems } from "../output.ts"
import type { ProjectPaths } from "../paths.ts"
import { exitCodes, stop } from "../problems.ts"
import { readText } from "./files.ts"

/** Where a project keeps its phase contract; the first that exists is read. */
const places = [".proofline/phase_contract.yml", ".code-intel/phase_contract.yml"]

/** The project's own sentences for failures, by failure key; the file is optional, and so is everything in it. */
export const projectMessages = Effect.fnUntraced(function* ({ root }: ProjectPaths) {
  const file = places.map((place) => Path.join(root, place)).find((candidate) => existsSync(candidate))
  if (file === undefined) return {}
  const shown = Path.relative(process.cwd(), file)
  const { messages, problems, warnings } = parsePhaseContract(yield* readText(file, shown), shown, placeholders)
  yield* sayProblems(warnings, "warning")
  return messages ?? (yield* stop(exitCodes.usage, ...problems))
})
