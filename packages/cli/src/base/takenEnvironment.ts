import { databaseVariable } from "./database.ts"

/** The variable that may name the directory of escrowed checks. */
export const checksVariable = "PROOFLINE_CHECKS_FROM"

const taken = new Map<string, string | undefined>()

/** Takes what is not for agents and all that they write out of the environment, which they are given. */
export const takeEnvironment = (): void => {
  for (const name of [checksVariable, databaseVariable]) {
    taken.set(name, process.env[name] || undefined)
    delete process.env[name]
  }
}

/** What they said when this program was started. */
export const takenChecks = (): string | undefined => taken.get(checksVariable)
export const takenDatabaseUrl = (): string | undefined => taken.get(databaseVariable)
