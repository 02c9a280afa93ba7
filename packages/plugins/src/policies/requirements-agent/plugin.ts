import type { Agents, Plugin } from "@proofline/kernel"
import { Effect } from "effect"
import type { BlobStore } from "../../port/index.ts"
import { defineGenerator, defineVerifier } from "../requirements/contract.ts"
import { makeGenerate, makeVerify, type ParsePlan, type ReadFact } from "./activities.ts"

export type { ParsePlan, ReadFact } from "./activities.ts"
export { buildTaskGenerationPrompt, type GenerationPromptMore } from "./generationPrompt.ts"
export { parseVerificationResult, type RequirementStatus, type VerificationResult } from "./verification.ts"
export { buildRequirementVerificationPrompt, type VerificationPromptMore } from "./verificationPrompt.ts"

/** Lets the configured agent make tasks of requirements; `parse` reads its plan. */
export const generatorAgent = (parse: ParsePlan): Effect.Effect<Plugin, never, Agents | BlobStore> =>
  Effect.map(makeGenerate(parse), (generate) => defineGenerator("agent", "1", generate))

/** Lets the configured agent look whether a requirement is met; `readFact` tells what the disk says of what it cites. */
export const verifierAgent = (readFact: ReadFact): Effect.Effect<Plugin, never, Agents | BlobStore> =>
  Effect.map(makeVerify(readFact), (verify) => defineVerifier("agent", "1", verify))
