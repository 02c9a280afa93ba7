import type { Composition } from "@proofline/kernel"
import { attemptOperations } from "../policies/attempts/contract.ts"
import { oversightOperations } from "../policies/oversight/contract.ts"
import { sessionOperations } from "../policies/sessions/contract.ts"
import type { Declaration, Level } from "./Operation.ts"
import { pluginOperations } from "./pluginOperations.ts"

const levels: ReadonlyArray<Level> = ["core", "standard", "all"]

const ofAttempts = attemptOperations.filter(({ subject }) => subject === "attempt")

/** Everything that may be asked for. What an agent of an attempt asks for under the name of a session's is there once. */
export const operations: ReadonlyArray<Declaration> = [
  ...sessionOperations,
  ...oversightOperations.filter(({ level }) => level !== "all"),
  ...ofAttempts,
  ...oversightOperations.filter(({ level }) => level === "all")
]

/** The operations that are shown at a level, in their order. */
export const operationsAt = (level: Level): ReadonlyArray<Declaration> =>
  operations.filter((operation) => levels.indexOf(operation.level) <= levels.indexOf(level))

/** Everything that may be asked for where these plugins are: Proofline's own operations, then those of the plugins. */
export const operationsOf = (plugins: Pick<Composition, "operations" | "view">): ReadonlyArray<Declaration> => [
  ...operations,
  ...pluginOperations(plugins)
]
