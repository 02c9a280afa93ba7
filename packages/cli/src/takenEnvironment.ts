/** The variable that may name the directory of escrowed checks. */
export const checksVariable = "PROOFLINE_CHECKS_FROM"

/** Taken out of the environment, which agents and all that they write are given. */
export const takenChecks: string | undefined = process.env[checksVariable] || undefined
delete process.env[checksVariable]
