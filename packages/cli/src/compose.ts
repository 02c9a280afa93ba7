import { mkdirSync, writeFileSync } from "node:fs"
import * as Path from "node:path"
import {
  composePlugins,
  type Digest,
  Engine,
  type LineFact,
  LogUnavailable,
  type Plugin,
  Runner,
  type Summarizer,
  type Syntax,
  Worker
} from "@proofline/kernel"
import { layer as attemptTokens } from "@proofline/plugins/adapters/attempt-tokens"
import {
  type AgentSpec,
  layer as commandAgents,
  reports as reportFiles
} from "@proofline/plugins/adapters/command-agent"
import { layer as fileBlobs } from "@proofline/plugins/adapters/file-blobs"
import { layer as gitWorkplaces } from "@proofline/plugins/adapters/git-workplaces"
import { layer as gitWorktrees } from "@proofline/plugins/adapters/git-worktrees"
import { layer as nodeBaseline } from "@proofline/plugins/adapters/node-baseline"
import { layer as nodeDigest } from "@proofline/plugins/adapters/node-digest"
import { layer as nodeIds } from "@proofline/plugins/adapters/node-ids"
import { layer as nodeProcess } from "@proofline/plugins/adapters/node-process"
import { layer as nodeWorkspace } from "@proofline/plugins/adapters/node-workspace"
import { layer as outputFiles } from "@proofline/plugins/adapters/output-files"
import { parseGeneratedTasks, tasksText } from "@proofline/plugins/adapters/project-files"
import { layer as sqliteLog } from "@proofline/plugins/adapters/sqlite-log"
import { layer as treeSitter } from "@proofline/plugins/adapters/tree-sitter"
import { aggregation } from "@proofline/plugins/policies/aggregation"
import { analyzerAgent } from "@proofline/plugins/policies/analyzer-agent"
import { analyzerHeuristic } from "@proofline/plugins/policies/analyzer-heuristic"
import { criteria } from "@proofline/plugins/policies/criteria"
import { evidence, evidenceRegex, makeLook, makeRelocate } from "@proofline/plugins/policies/evidence"
import { execution } from "@proofline/plugins/policies/execution"
import { loopSummary, requirements } from "@proofline/plugins/policies/requirements"
import { generatorAgent, verifierAgent } from "@proofline/plugins/policies/requirements-agent"
import { generatorFiles } from "@proofline/plugins/policies/requirements-files"
import { sessionSummary, sessions } from "@proofline/plugins/policies/sessions"
import { Effect, Layer } from "effect"
import { ownProgram } from "./assets.ts"
import { filesOf, judgeReceipts } from "./commands/judgeReceipts.ts"
import type { ProjectPaths } from "./paths.ts"

/** The plugins of every run, in this order; those of the project come after them. The only list. */
const ownPlugins = (paths: ProjectPaths, isRegex: boolean) =>
  Effect.all([
    execution,
    isRegex ? evidenceRegex : evidence,
    criteria,
    Effect.flatMap(makeRelocate, aggregation),
    Effect.succeed(analyzerHeuristic),
    analyzerAgent,
    sessions,
    requirementsOf(paths),
    generatorAgent(parseGeneratedTasks),
    generatorFiles(parseGeneratedTasks),
    Effect.flatMap(makeLook(), (look) =>
      verifierAgent((evidence) => Effect.map(look([{ index: 0, evidence }], null), ([fact]) => fact as LineFact))
    )
  ])

/** What tasks have shown is compared with the project as it is. */
const requirementsOf = ({ root }: ProjectPaths) =>
  Effect.gen(function* () {
    const services = yield* Effect.context<Digest | Syntax>()
    return yield* requirements({
      text: tasksText,
      judge: Effect.fnUntraced(function* (receipts) {
        const tree = yield* filesOf(root)
        const judged = judgeReceipts(
          receipts.map((receipt) => ({ receipt })),
          tree
        )
        return yield* Effect.provideContext(judged, services)
      })
    })
  })

/** What our policies add to the summaries of runs. */
export const summarizers: ReadonlyArray<Summarizer> = [sessionSummary, loopSummary]

/** Storage of a project: log, queue, locks, presences, blobs. */
export const storage = (paths: ProjectPaths) =>
  Layer.mergeAll(sqliteLog({ file: paths.database, summarizers }), fileBlobs({ directory: paths.blobs })).pipe(
    Layer.provideMerge(nodeDigest)
  )

/** The kernel with all plugins, over a storage that the caller provides. */
export const kernel = (
  paths: ProjectPaths,
  agents: Readonly<Record<string, AgentSpec>>,
  plugins: ReadonlyArray<Plugin>,
  isRegex = false
) =>
  Runner.layer.pipe(
    Layer.provideMerge(Worker.layer),
    Layer.provideMerge(
      Layer.unwrap(Effect.map(ownPlugins(paths, isRegex), (own) => Engine.layer(composePlugins([...own, ...plugins]))))
    ),
    Layer.provideMerge(
      Layer.mergeAll(
        nodeIds,
        nodeProcess({ root: paths.root }),
        nodeWorkspace({ root: paths.root }),
        nodeBaseline({ root: paths.root }),
        outputFiles({ root: paths.root }),
        gitWorktrees({ root: paths.root }),
        gitWorkplaces({ root: paths.root, stateDir: paths.state }),
        treeSitter({ languages: plugins.flatMap(({ languages = [] }) => languages) }),
        reportFiles({ stateDir: paths.state }),
        commandAgents({ root: paths.root, stateDir: paths.state, agents, mcp: ownServer(paths) })
      ).pipe(Layer.provideMerge(attemptTokens({ stateDir: paths.state })))
    )
  )

/** How the client of an agent asks back: this Proofline, for this project wherever the agent works. */
const ownServer = ({ root, state }: ProjectPaths) => ({
  command: process.execPath,
  args: [
    ownProgram,
    "mcp",
    "--cwd",
    root,
    "--state",
    state,
    // a judgment is handed in with one of these
    "--tools",
    "standard"
  ]
})

/** Makes the state directory, invisible to git. */
export const prepareState = (paths: ProjectPaths): Effect.Effect<void, LogUnavailable> =>
  Effect.try({
    try: () => {
      mkdirSync(paths.state, { recursive: true })
      // the directory ignores itself, so that a project without `init` stays clean too
      writeFileSync(Path.join(paths.state, ".gitignore"), "*\n")
    },
    catch: (cause) => {
      const { code = "", message = String(cause) } = cause as NodeJS.ErrnoException
      return new LogUnavailable({
        code: code === "ENOSPC" || code === "EDQUOT" ? "log_disk_full" : "log_unwritable",
        message: `The state directory ${paths.state} cannot be written: ${message}.`,
        hint: "Make it writable, free some space, or name another one with --state."
      })
    }
  })
