import { closest } from "@proofline/plugins/options"
import { prefix, variables } from "../base/variables.ts"
import type { Finding } from "./Finding.ts"

const known: ReadonlyArray<string> = variables.map(({ name }) => name)

/** Variables that look like ours and are none: what they say is said to nobody. */
export const lookAtVariables = (environment: NodeJS.ProcessEnv): ReadonlyArray<Finding> =>
  Object.keys(environment)
    .filter((name) => name.startsWith(prefix) && !known.includes(name))
    .toSorted()
    .map((name) => {
      const meant = closest(name, known)
      return {
        code: "variable_unknown",
        severity: "warning",
        message: `The variable ${name} is set, and Proofline knows none of that name: what it says has no effect.`,
        place: name,
        fix: `${meant === undefined ? "" : `Did you mean ${meant}? Otherwise: `}unset ${name}`
      }
    })
