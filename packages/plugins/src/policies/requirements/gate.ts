import type { Requirement, RequirementDefinition } from "./definition.ts"

/** The requirements that gate success: the required ones; all, where none is. */
export const gateOf = ({ requirements }: RequirementDefinition): ReadonlyArray<Requirement> => {
  const required = requirements.filter(({ priority }) => priority === "required")
  return required.length > 0 ? required : requirements
}
