import {
  type ActivityImpl,
  activities,
  type Composition,
  compose,
  defineAnalyzer,
  type LineFact,
  modules,
  type Plugin
} from "@proofline/kernel"
import { layer as nodeDigest } from "@proofline/plugins/adapters/node-digest"
import { parseGeneratedTasks, tasksText } from "@proofline/plugins/adapters/project-files"
import { aggregation } from "@proofline/plugins/policies/aggregation"
import { analyzerAgent } from "@proofline/plugins/policies/analyzer-agent"
import { checkouts } from "@proofline/plugins/policies/checkouts"
import { criteria } from "@proofline/plugins/policies/criteria"
import { escrow } from "@proofline/plugins/policies/escrow"
import {
  evidence,
  evidenceKinds,
  judgeReceipts,
  makeReadFacts,
  makeRelocate
} from "@proofline/plugins/policies/evidence"
import { execution } from "@proofline/plugins/policies/execution"
import { requirements } from "@proofline/plugins/policies/requirements"
import { generatorAgent, verifierAgent } from "@proofline/plugins/policies/requirements-agent"
import { generatorFiles } from "@proofline/plugins/policies/requirements-files"
import { sessions } from "@proofline/plugins/policies/sessions"
import { ProjectFiles } from "@proofline/plugins/ports"
import { Effect, Layer } from "effect"
import { analyze } from "../../packages/plugins/src/policies/analyzer-heuristic/analyze.ts"
import { withActivities } from "../kernel/support/activities.ts"
import { portsOf, type World } from "./world.ts"

/** Which world the plugins look at. */
export interface Stage {
  world: World | null
}

const loop = (composed: () => Composition) =>
  Effect.gen(function* () {
    const services = yield* Effect.context<Effect.Services<ReturnType<typeof judgeReceipts>>>()
    const files = yield* ProjectFiles
    return yield* requirements({
      text: tasksText,
      judge: (receipts) =>
        Effect.suspend(() =>
          Effect.provideContext(
            judgeReceipts(
              receipts.map((receipt) => ({ receipt })),
              files,
              evidenceKinds(composed().initial.state)
            ),
            services
          )
        )
    })
  })

/** As `analyzerHeuristic`, which loads its rules when they are wanted: in a moment that no simulation knows. */
const analyzer = defineAnalyzer("heuristic", "1", (request) => Effect.sync(() => analyze(request)))

/** The plugins of a run of the command line, in its order, over a world in memory. */
const plugins = (composed: () => Composition) =>
  Effect.all([
    Effect.succeed(escrow),
    Effect.succeed(checkouts),
    execution,
    evidence,
    criteria,
    Effect.flatMap(makeRelocate, aggregation),
    Effect.succeed(analyzer),
    analyzerAgent,
    sessions,
    loop(composed),
    generatorAgent(parseGeneratedTasks),
    generatorFiles(parseGeneratedTasks),
    Effect.flatMap(makeReadFacts(), (readFacts) =>
      verifierAgent((text) => Effect.map(readFacts([{ index: 0, evidence: text }], null), ([fact]) => fact as LineFact))
    )
  ])

/** The world notes when somebody begins to look again at what was accepted. */
const lookingAgain =
  (world: () => World) =>
  (activity: ActivityImpl): ActivityImpl =>
    activity.name === activities.revisit
      ? {
          ...activity,
          run: (...args: Parameters<ActivityImpl["run"]>) =>
            Effect.suspend(() => {
              world().lookedAgain = world().writes
              return activity.run(...args)
            })
        }
      : activity

/** The rules of a run, and the stage on which its world is put. Made once: it takes longer than a simulation. */
export const simulated = (
  change: (all: ReadonlyArray<Plugin>) => ReadonlyArray<Plugin> = (all) => all
): { readonly composition: Composition; readonly stage: Stage } => {
  const stage: Stage = { world: null }
  const world = () => {
    if (stage.world === null) throw new Error("There is no world.")
    return stage.world
  }
  let composition: Composition | null = null
  const made = Effect.runSync(
    Effect.provide(
      plugins(() => composition as Composition),
      Layer.provideMerge(portsOf(world), nodeDigest)
    )
  )
  composition = compose(change([...modules, ...made]).map((plugin) => withActivities(plugin, lookingAgain(world))))
  return { composition, stage }
}
