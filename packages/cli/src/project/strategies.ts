import { analyzerActivity, analyzersOf, type Composition, type RunConfig } from "@proofline/kernel"
import type { RequirementsDocument } from "@proofline/plugins/adapters/project-files"
import {
  generatorActivity,
  type RequirementDefinition,
  verifierActivity
} from "@proofline/plugins/policies/requirements"
import type { Problem } from "../base/problems.ts"

type Named = Pick<RequirementDefinition, "generation" | "verification">
type Activities = Pick<Composition, "activities">

/** What plugins offer under a prefix. */
const known = ({ activities }: Activities, prefix: string): ReadonlyArray<string> =>
  [...activities.keys()].flatMap((name) => (name.startsWith(prefix) ? name.slice(prefix.length) : []))

/** Why tasks cannot be split by this analyzer: nobody offers it. */
export const analyzerProblems = (composition: Activities, analyzer: string): ReadonlyArray<Problem> =>
  analyzersOf({ analyzer }).every((one) => composition.activities.has(analyzerActivity(one)))
    ? []
    : [
        {
          code: "analyzer_unknown",
          message: `There is no analyzer "${analyzer}".`,
          hint: `Known: ${["auto", ...known(composition, analyzerActivity(""))].join(", ")}. A plugin offers another one as the activity ${analyzerActivity(analyzer)}.`
        }
      ]

/** The same of everything that splitting a task asks of plugins. */
export const chunkingProblems = (
  composition: Activities,
  { aggregation_strategy, analyzer }: Pick<RunConfig["chunking"], "aggregation_strategy" | "analyzer">
): ReadonlyArray<Problem> => [
  ...analyzerProblems(composition, analyzer),
  ...(aggregation_strategy.type === "custom" && !composition.activities.has("aggregation-custom")
    ? [
        {
          code: "aggregation_unknown",
          message: "`aggregation_strategy.type` is custom, but no plugin puts subtasks together.",
          hint: "Add the plugin that offers the activity aggregation-custom, or use merge_all or last_wins."
        }
      ]
    : [])
]

/** Whether no plugin of a project is needed for what requirements name. */
export const isBuiltIn = ({ generation, verification }: Named): boolean =>
  ["agent", "files"].includes(generation.generator) && ["agent", "none"].includes(verification.verifier)

/** Generators and verifiers that requirements name and nobody offers. */
export const strategyProblems = (
  composition: Activities,
  { at, definition, shown }: { readonly definition: Named; readonly shown: string } & Pick<RequirementsDocument, "at">
): ReadonlyArray<Problem> => {
  const { generator } = definition.generation
  const { verifier } = definition.verification
  return [
    ...(composition.activities.has(generatorActivity(generator))
      ? []
      : [
          {
            code: "generator_unknown",
            message: `There is no generator "${generator}".`,
            file: shown,
            ...at.generator,
            hint: `Known: ${known(composition, generatorActivity("")).join(", ")}. A plugin offers another one with \`defineGenerator\`.`
          }
        ]),
    ...(verifier === "none" || composition.activities.has(verifierActivity(verifier))
      ? []
      : [
          {
            code: "verifier_unknown",
            message: `There is no verifier "${verifier}".`,
            file: shown,
            ...at.verifier,
            hint: `Known: ${[...known(composition, verifierActivity("")), "none"].join(", ")}. A plugin offers another one with \`defineVerifier\`.`
          }
        ])
  ]
}
