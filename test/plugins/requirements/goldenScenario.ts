import { aDefinition, aRequirement, planned, play } from "./stage.ts"

/** Every kind of event of the loop: refused answers, a gap, an opinion, two iterations. */
export const requirementsScenario = play(
  aDefinition(
    [aRequirement("req_1", ["a"]), aRequirement("req_2", [{ criterion: "b", check: "true" }, "c"], "optional")],
    {
      verifier: "scripted"
    }
  ),
  {
    generate: ({ ask, iteration }) =>
      ask === 1 && iteration === 1
        ? { problems: ["No YAML."], answer: "Here is the plan." }
        : {
            tasks: [
              planned(
                `task_${iteration}`,
                iteration === 1 ? ["req_2.2"] : ["req_1.1"],
                iteration === 1 ? { checks: [], validation: ["nice"] } : {}
              )
            ]
          },
    verify: ({ ask }) =>
      ask === 1 ? { problems: ["No JSON."], answer: "It is met!" } : { met: true, evidence: "`npm test`: ok" }
  },
  {
    config: { reviewer: "command", reviewer_named: true },
    load: { proof: { verifier_named: true, user_commands: ["npm test"] } }
  }
)
