// TypeScript: a plugin of one's own by its rules alone, and in a run in memory, beside the policy `evidence`.
import { composePlugins, Engine, kernelStateOf, layerMemory, Runner, tasksOf, Worker } from "@proofline/kernel"
import { aRun, aTask, given, scripted } from "@proofline/kernel/testing"
import { layer as fileBlobs } from "@proofline/plugins/adapters/file-blobs"
import { layer as gitWorkspaces } from "@proofline/plugins/adapters/git-workspaces"
import { layer as nodeBaseline } from "@proofline/plugins/adapters/node-baseline"
import { layer as nodeDigest } from "@proofline/plugins/adapters/node-digest"
import { layer as nodeIds } from "@proofline/plugins/adapters/node-ids"
import { layer as nodeProjectFiles } from "@proofline/plugins/adapters/node-project-files"
import { layer as treeSitter } from "@proofline/plugins/adapters/tree-sitter"
import { evidence } from "@proofline/plugins/policies/evidence"
import { Effect, Layer } from "effect"
import freeze from "./freeze.ts"

const start = aRun([aTask("first"), aTask("second", { depends_on: ["first"] })], { max_retries: 0 })
const rules = given([], [freeze]).when(start)

const [root = "", stateDir = ""] = process.argv.slice(2)
const project = Layer.mergeAll(
  nodeProjectFiles({ root }),
  gitWorkspaces({ root, stateDir }),
  nodeBaseline({ root }),
  treeSitter()
).pipe(Layer.provide(fileBlobs({ directory: stateDir })), Layer.provideMerge(nodeDigest))

const driven = Effect.fnUntraced(function* (name: string) {
  const judge = yield* Effect.provide(evidence, project)
  const plugins = [scripted(() => Effect.succeed({ outcome: "COMPLETE" })), judge, freeze]
  const kernel = Runner.layer.pipe(
    Layer.provideMerge(Worker.layer),
    Layer.provideMerge(Engine.layer(composePlugins(plugins))),
    Layer.provide(layerMemory),
    Layer.provide([nodeDigest, nodeIds])
  )
  const drive = Effect.flatMap(Runner, (runner) =>
    runner.drive("run_1", { ...start, name }, { workerId: "w", slots: 1, labels: [] })
  )
  const ended = yield* Effect.provide(drive, kernel)
  return tasksOf(kernelStateOf(ended)).map(({ spec, status }) => [spec.id, status])
})

const answer = {
  events: rules.events.map(({ type }) => type),
  feature: await Effect.runPromise(driven("feature")),
  release: await Effect.runPromise(driven("release 2"))
}
process.stdout.write(JSON.stringify(answer))
