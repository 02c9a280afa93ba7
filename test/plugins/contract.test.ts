import { assert, describe, it } from "@effect/vitest"
import { Agents, type Plugin } from "@proofline/kernel"
import { pluginContract } from "@proofline/kernel/testing"
import { operations } from "@proofline/plugins/operations"
import { aggregation } from "@proofline/plugins/policies/aggregation"
import { analyzerAgent } from "@proofline/plugins/policies/analyzer-agent"
import { analyzerHeuristic } from "@proofline/plugins/policies/analyzer-heuristic"
import { criteria } from "@proofline/plugins/policies/criteria"
import { evidence, evidenceRegex } from "@proofline/plugins/policies/evidence"
import { execution } from "@proofline/plugins/policies/execution"
import { requirements } from "@proofline/plugins/policies/requirements"
import { generatorAgent, verifierAgent } from "@proofline/plugins/policies/requirements-agent"
import { generatorFiles } from "@proofline/plugins/policies/requirements-files"
import { sessions } from "@proofline/plugins/policies/sessions"
import { BlobStore, CommandRunner, OutputFiles, ScratchCheckouts, ScratchProjects } from "@proofline/plugins/ports"
import { Effect, Layer, Schema } from "effect"
import { nowhere } from "./nowhere.ts"

/** A world in which nothing may be done: a contract is about rules, which ask for nothing. */
const world = Layer.mergeAll(
  nowhere,
  Layer.mock(Agents, { names: [] }),
  Layer.mock(BlobStore, {}),
  Layer.mock(CommandRunner, {}),
  Layer.mock(OutputFiles, {}),
  Layer.mock(ScratchCheckouts, {}),
  Layer.mock(ScratchProjects, {})
)

const unread = () => ({ tasks: [], problems: [] })

/** Each plugin with those that it comes after, beside the modules of the kernel. */
const plugins = Effect.gen(function* () {
  const loop = yield* requirements({ judge: () => Effect.succeed([]), text: () => "" })
  const all: ReadonlyArray<readonly [plugin: Plugin, below?: ReadonlyArray<Plugin>]> = [
    [yield* sessions],
    [loop],
    [yield* evidence],
    [yield* evidenceRegex],
    [yield* criteria],
    [yield* execution],
    [yield* aggregation(() => Effect.succeed([]))],
    [analyzerHeuristic],
    [yield* analyzerAgent],
    [yield* generatorAgent(unread), [loop]],
    [yield* verifierAgent(() => Effect.die("Nothing is looked at here.")), [loop]],
    [yield* generatorFiles(unread), [loop]]
  ]
  return all
}).pipe(Effect.provide(world), Effect.runSync)

for (const [plugin, below] of plugins)
  describe(plugin.name, () => {
    for (const { name, run } of pluginContract(plugin, below)) it.effect(name, () => run)
  })

// sessions, attempts and oversight offer theirs as services, beside those that plugins declare
describe("the operations that agents and people are offered", () => {
  for (const { args, name } of operations)
    it(`${name} describes its arguments`, () => {
      const { schema } = Schema.toJsonSchemaDocument(args)
      const properties = (schema["properties"] ?? {}) as Readonly<Record<string, { readonly description?: unknown }>>
      assert.isNotEmpty(properties)
      for (const [argument, { description }] of Object.entries(properties)) assert.isString(description, argument)
    })
})
