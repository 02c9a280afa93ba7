import { readFileSync } from "node:fs"
import * as Path from "node:path"
import { parseContract } from "@proofline/plugins/adapters/project-files"
import { placeholders } from "@proofline/plugins/policies/evidence"
import { compileNotation, type PhaseContract } from "@proofline/plugins/policies/sessions"
import { Effect } from "effect"
import { asset } from "../assets.ts"
import type { ProjectPaths } from "../base/paths.ts"
import { exitCodes, stop } from "../base/problems.ts"
import { sayProblems } from "../process/output.ts"
import { readText } from "./files.ts"
import { contractName, projectFile } from "./projectMessages.ts"

/** The contracts that are shipped, by name; the templates that `init` writes are the same files. */
const builtInContracts = { default: "phase_contract.yml", full: "phase_contract.full.yml" } as const

const isBuiltIn = (name: string): name is keyof typeof builtInContracts => Object.hasOwn(builtInContracts, name)

const builtIn = (file: string): PhaseContract => {
  const { merged, problems } = parseContract(readFileSync(asset("templates", file), "utf8"), file, {
    placeholders,
    bases: {},
    compile: compileNotation
  })
  if (merged === null) throw new Error(`The built-in contract ${file} is broken: ${JSON.stringify(problems)}`)
  return merged
}

/** The contracts that are shipped. */
export const shippedContracts = (): ReadonlyArray<PhaseContract> => Object.values(builtInContracts).map(builtIn)

/** Read when a file extends them, and not before. */
const bases = Object.defineProperties(
  {} as Readonly<Record<string, PhaseContract>>,
  Object.fromEntries(
    Object.entries(builtInContracts).map(([name, file]) => [name, { enumerable: true, get: () => builtIn(file) }])
  )
)

/** Everything a phase_contract.yml says, over the contract it extends; nothing when anything in it is wrong. */
export const readContract = (text: string, shown: string) =>
  parseContract(text, shown, {
    placeholders,
    bases,
    compile: compileNotation
  })

/** The contract a new session run is held to: the one that is named, else the project's own, else the built-in one. */
export const projectContract = Effect.fnUntraced(function* (
  { root }: ProjectPaths,
  choice: string | undefined,
  { isQuiet = false }: { readonly isQuiet?: boolean } = {}
) {
  if (choice !== undefined && isBuiltIn(choice)) return builtIn(builtInContracts[choice])
  const file = choice === undefined ? projectFile(root, contractName) : Path.resolve(root, choice)
  if (file === undefined) return builtIn(builtInContracts.default)
  const shown = Path.relative(process.cwd(), file)
  const { merged, problems, warnings } = readContract(yield* readText(file, shown), shown)
  if (!isQuiet) yield* sayProblems(warnings, "warning")
  return merged ?? (yield* stop(exitCodes.usage, ...problems))
})

/** Characters of the guide that agents are given. Source: checklist and evidence. */
const maxGuide = 2_000

/** The beginning of the project's planning guide; empty when there is none. */
export const planningGuide = Effect.fnUntraced(function* ({ root }: ProjectPaths) {
  const file = projectFile(root, "task_planning.md")
  return file === undefined ? "" : (yield* readText(file, Path.relative(process.cwd(), file))).slice(0, maxGuide)
})
