/** The variable that may name the directory of escrowed checks. */
export const checksVariable = "PROOFLINE_CHECKS_FROM"

let taken: string | undefined

/** Takes it out of the environment, which agents and all that they write are given. */
export const takeEnvironment = (): void => {
  taken = process.env[checksVariable] || undefined
  delete process.env[checksVariable]
}

/** What it said when this program was started. */
export const takenChecks = (): string | undefined => taken
