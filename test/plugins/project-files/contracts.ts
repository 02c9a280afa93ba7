import { readFileSync } from "node:fs"
import { parseContract } from "@proofline/plugins/adapters/project-files"
import { placeholders } from "@proofline/plugins/policies/evidence"
import { compileNotation, type PhaseContract } from "@proofline/plugins/policies/sessions"
import { assert } from "vitest"
import { told } from "./told.ts"

export type Bases = Readonly<Record<string, PhaseContract>>

export const template = (name: string): string =>
  readFileSync(new URL(`../../../packages/cli/templates/${name}.yml`, import.meta.url), "utf8")

export const readContract = (text: string, bases: Bases = {}) =>
  parseContract(text, "f.yml", { placeholders, bases, compile: compileNotation })

/** The contract of a text that is read without problems and warnings. */
export const contractOf = (text: string, bases: Bases = {}): PhaseContract => {
  const { contract, merged, problems, warnings } = readContract(text, bases)
  assert.strictEqual(told([...problems, ...warnings]), "")
  assert(contract !== null && merged !== null)
  return merged
}

/** The contract that is in force where a project says nothing, as `default`. */
export const shipped = (): Bases => ({ default: contractOf(template("phase_contract")) })
