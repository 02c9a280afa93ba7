// Plain JavaScript: the real judge of evidence over a project in a directory, and a run of two tasks in memory.
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { composePlugins, Engine, kernelStateOf, layerMemory, Runner, tasksOf, Worker } from "@proofline/kernel"
import { aRun, aTask, scripted } from "@proofline/kernel/testing"
import { layer as fileBlobs } from "@proofline/plugins/adapters/file-blobs"
import { layer as gitWorkspaces } from "@proofline/plugins/adapters/git-workspaces"
import { layer as nodeBaseline } from "@proofline/plugins/adapters/node-baseline"
import { layer as nodeDigest } from "@proofline/plugins/adapters/node-digest"
import { layer as nodeIds } from "@proofline/plugins/adapters/node-ids"
import { layer as nodeProjectFiles } from "@proofline/plugins/adapters/node-project-files"
import { layer as treeSitter } from "@proofline/plugins/adapters/tree-sitter"
import { evidence } from "@proofline/plugins/policies/evidence"
import { Effect, Layer } from "effect"

const [root = "", stateDir = ""] = process.argv.slice(2)
mkdirSync(join(root, "src"), { recursive: true })
writeFileSync(
  join(root, "src/add.js"),
  "export const add = (a, b) => {\n  return a + b\n}\n\nexport const later = () => {}\n"
)

const project = Layer.mergeAll(
  nodeProjectFiles({ root }),
  gitWorkspaces({ root, stateDir }),
  nodeBaseline({ root }),
  treeSitter()
).pipe(Layer.provide(fileBlobs({ directory: stateDir })), Layer.provideMerge(nodeDigest))

// the lines that the second task cites are an empty function
const agent = scripted((task) => {
  const cited = task === "honest" ? "src/add.js:1-3" : "src/add.js:5"
  const checklist = [{ item: "it adds", status: "done", evidence: cited }]
  return Effect.succeed({ outcome: "COMPLETE", checklist: { summary: "Done.", checklist, problems: [] } })
})

const tasks = ["honest", "hollow"].map((id) => aTask(id, { checklist: [{ item: "it adds" }] }))

const program = Effect.gen(function* () {
  const judge = yield* Effect.provide(evidence, project)
  const kernel = Runner.layer.pipe(
    Layer.provideMerge(Worker.layer),
    Layer.provideMerge(Engine.layer(composePlugins([agent, judge]))),
    Layer.provide(layerMemory),
    Layer.provide([nodeDigest, nodeIds])
  )
  const command = aRun(tasks, { max_retries: 0, retry_delay_ms: 0 })
  const drive = Effect.flatMap(Runner, (runner) =>
    runner.drive("run_1", command, { workerId: "w", slots: 1, labels: [] })
  )
  return yield* Effect.provide(drive, kernel)
})

const state = kernelStateOf(await Effect.runPromise(program))
const ended = tasksOf(state).map(({ items, spec }) => [spec.id, ...items.map(({ verdict }) => verdict)])
process.stdout.write(JSON.stringify({ status: state.run.status, ended }))
