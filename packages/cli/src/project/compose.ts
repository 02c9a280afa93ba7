import {
  Agents as AgentsPort,
  activities,
  type Composition,
  composePlugins,
  type Digest,
  Engine,
  impl,
  judges,
  type LanguageRules,
  type LineFact,
  type Plugin,
  PluginFault,
  Runner,
  Worker
} from "@proofline/kernel"
import { layer as attemptTokens } from "@proofline/plugins/adapters/attempt-tokens"
import {
  type AgentSpec,
  layer as commandAgents,
  reports as reportFiles
} from "@proofline/plugins/adapters/command-agent"
import { layer as escrowedChecks, manifestName } from "@proofline/plugins/adapters/escrowed-checks"
import { layer as fileBlobs } from "@proofline/plugins/adapters/file-blobs"
import {
  layer as gitScratchCheckouts,
  projects as scratchProjects
} from "@proofline/plugins/adapters/git-scratch-checkouts"
import { layer as gitWorkspaces } from "@proofline/plugins/adapters/git-workspaces"
import type { ModelSpec } from "@proofline/plugins/adapters/language-models"
import { layer as nodeBaseline } from "@proofline/plugins/adapters/node-baseline"
import { layer as nodeDigest } from "@proofline/plugins/adapters/node-digest"
import { layer as nodeIds } from "@proofline/plugins/adapters/node-ids"
import { type NodeProcessOptions, layer as nodeProcess } from "@proofline/plugins/adapters/node-process"
import { layer as nodeProjectFiles } from "@proofline/plugins/adapters/node-project-files"
import { layer as nodeTestReports } from "@proofline/plugins/adapters/node-test-reports"
import { layer as outputFiles } from "@proofline/plugins/adapters/output-files"
import {
  type PluginEntry,
  parseChecks,
  parseGeneratedTasks,
  tasksText
} from "@proofline/plugins/adapters/project-files"
import {
  type PlayedAgent,
  type RecordedAgentsOptions,
  layer as recordedAgents
} from "@proofline/plugins/adapters/recorded-agents"
import { RecordedEvidence, layer as recordedEvidence } from "@proofline/plugins/adapters/recorded-evidence"
import { layer as treeSitter } from "@proofline/plugins/adapters/tree-sitter"
import { operations } from "@proofline/plugins/operations"
import { aggregation } from "@proofline/plugins/policies/aggregation"
import { analyzerAgent } from "@proofline/plugins/policies/analyzer-agent"
import { analyzerHeuristic } from "@proofline/plugins/policies/analyzer-heuristic"
import { checkouts } from "@proofline/plugins/policies/checkouts"
import { criteria } from "@proofline/plugins/policies/criteria"
import { escrow } from "@proofline/plugins/policies/escrow"
import {
  type EvidenceKind,
  evidence,
  evidenceRegex,
  judgeReceipts,
  makeReadFacts,
  makeRelocate
} from "@proofline/plugins/policies/evidence"
import { execution } from "@proofline/plugins/policies/execution"
import { requirements } from "@proofline/plugins/policies/requirements"
import { generatorAgent, verifierAgent } from "@proofline/plugins/policies/requirements-agent"
import { generatorFiles } from "@proofline/plugins/policies/requirements-files"
import { sessions } from "@proofline/plugins/policies/sessions"
import type { Syntax } from "@proofline/plugins/ports"
import { Effect, Layer, Result } from "effect"
import { ownProgram } from "../assets.ts"
import { fileVariable, fileWithUrl } from "../base/database.ts"
import type { ProjectPaths } from "../base/paths.ts"
import { exitCodes, type Problem, stop } from "../base/problems.ts"
import { type LoadedPlugin, loadPlugins, regexPolicy } from "./externalPlugins.ts"
import { filesOf } from "./filesOf.ts"
import { kindsOf } from "./kindsOf.ts"
import { placeOf } from "./pluginEntries.ts"
import type { Agents, RunAgent } from "./settings.ts"

/** The plugins of every run, in this order; those of the project come after them. The only list. */
const ownPlugins = (paths: ProjectPaths, isRegex: boolean, kinds: () => ReadonlyArray<EvidenceKind>) =>
  Effect.all([
    Effect.succeed(escrow),
    Effect.succeed(checkouts),
    execution,
    isRegex ? evidenceRegex : evidence,
    criteria,
    Effect.flatMap(makeRelocate, aggregation),
    Effect.succeed(analyzerHeuristic),
    analyzerAgent,
    sessions,
    requirementsOf(paths, kinds),
    generatorAgent(parseGeneratedTasks),
    generatorFiles(parseGeneratedTasks),
    Effect.flatMap(makeReadFacts(), (readFacts) =>
      verifierAgent((evidence) => Effect.map(readFacts([{ index: 0, evidence }], null), ([fact]) => fact as LineFact))
    )
  ])

/** What tasks have shown is compared with the project as it is. */
const requirementsOf = ({ root }: ProjectPaths, kinds: () => ReadonlyArray<EvidenceKind>) =>
  Effect.gen(function* () {
    const services = yield* Effect.context<Digest | Syntax>()
    return yield* requirements({
      text: tasksText,
      judge: Effect.fnUntraced(function* (receipts) {
        const tree = yield* filesOf(root)
        const judged = judgeReceipts(
          receipts.map((receipt) => ({ receipt })),
          tree,
          kinds(),
          "fault"
        )
        return yield* Effect.provideContext(judged, services)
      })
    })
  })

/** How the project's commands are ended. */
export type CommandSettings = Pick<NodeProcessOptions, "grace_ms">

/** What plugins stand on, and the front-ends, over a storage that the caller provides. */
const worldOf = (
  paths: ProjectPaths,
  agents: Readonly<Record<string, AgentSpec>>,
  languages: ReadonlyArray<LanguageRules>,
  commands: CommandSettings = {}
) =>
  Layer.mergeAll(
    nodeIds,
    nodeProcess({ root: paths.root, ...commands }),
    nodeProjectFiles({ root: paths.root }),
    Layer.provideMerge(
      scratchProjects({ root: paths.root, state: paths.state }),
      nodeBaseline({ root: paths.root, state: paths.state })
    ),
    nodeTestReports,
    escrowedChecks({
      root: paths.root,
      state: paths.state,
      manifest: (text) => parseChecks(text, manifestName).checks
    }),
    outputFiles({ root: paths.root }),
    gitScratchCheckouts({ root: paths.root }),
    gitWorkspaces({
      root: paths.root,
      stateDir: paths.state,
      // what workers do is recorded as trees of the run anyway
      keepsTrees: paths.worker === undefined
    }),
    treeSitter({ languages }),
    reportFiles({ stateDir: paths.state }),
    commandAgents({
      root: paths.root,
      stateDir: paths.state,
      agents,
      mcp: ownServer(paths),
      environment: () =>
        paths.databaseUrl === undefined ? {} : { [fileVariable]: fileWithUrl(paths.databaseUrl, paths.state) }
    })
  ).pipe(Layer.provideMerge(attemptTokens({ stateDir: paths.state })))

const isPlayed = (spec: RunAgent): spec is PlayedAgent => "replay" in spec

/** Those that are programs. */
const startedOf = (agents: Agents): Readonly<Record<string, AgentSpec>> =>
  Object.fromEntries(
    Object.entries(agents).flatMap(([name, spec]) => (isPlayed(spec) || "api" in spec ? [] : [[name, spec]]))
  )

/** What talks with models is loaded where one is named. */
const languageModels = ({ root }: ProjectPaths, models: Readonly<Record<string, ModelSpec>>) =>
  Object.keys(models).length === 0
    ? Layer.effect(AgentsPort, AgentsPort)
    : Layer.unwrap(
        Effect.map(
          Effect.promise(() => import("@proofline/plugins/adapters/language-models")),
          ({ layer }) => layer({ root, env: process.env, models })
        )
      )

/** Those that are models, and nothing else. */
const modelsOf = (agents: Agents): Readonly<Record<string, ModelSpec>> =>
  Object.fromEntries(Object.entries(agents).flatMap(([name, spec]) => ("api" in spec ? [[name, spec]] : [])))

const recordingOf = ({ root }: ProjectPaths, agents: Agents): RecordedAgentsOptions => {
  const all = Object.entries(agents)
  return {
    root,
    recorded: new Set(all.flatMap(([name, spec]) => ("record" in spec ? [name] : []))),
    played: Object.fromEntries(all.flatMap(([name, spec]) => (isPlayed(spec) ? [[name, spec]] : [])))
  }
}

/** The kernel with all plugins, over a storage that the caller provides. Stops when one of them cannot be used. */
export const kernel = (
  paths: ProjectPaths,
  agents: Agents,
  entries: ReadonlyArray<PluginEntry>,
  commands: CommandSettings = {}
) =>
  Layer.unwrap(
    Effect.sync(() => {
      const languages: Array<LanguageRules> = []
      const engine = Effect.flatMap(composed(paths, entries, languages), ({ composition, problems }) =>
        problems.length === 0
          ? Effect.succeed(Engine.layer(composition))
          : Effect.fail(stop(exitCodes.usage, ...problems))
      )
      return Runner.layer.pipe(
        Layer.provideMerge(Worker.layer),
        Layer.provideMerge(Layer.unwrap(engine)),
        Layer.provideMerge(recordedAgents(recordingOf(paths, agents))),
        Layer.provideMerge(languageModels(paths, modelsOf(agents))),
        Layer.provideMerge(worldOf(paths, startedOf(agents), languages, commands))
      )
    })
  )

/**
 * The composition of a project as far as its plugins fit, with everything that is wrong with the others; without a
 * storage: nothing is run, and nothing is written.
 */
export const compositionOf = (paths: ProjectPaths, entries: ReadonlyArray<PluginEntry>) =>
  Effect.suspend(() => {
    const languages: Array<LanguageRules> = []
    const blobs = Layer.provideMerge(fileBlobs({ directory: paths.blobs }), nodeDigest)
    return Effect.provide(composed(paths, entries, languages), Layer.provideMerge(worldOf(paths, {}, languages), blobs))
  })

/** Policies of Proofline's own that judge evidence, by the names under which they are asked for. */
export const ownJudges = ["evidence", regexPolicy] as const

/** A composition with other policies. */
export interface OtherPolicies {
  readonly composition: Composition
  /** Activities that these policies carry out in another way. */
  readonly activities: ReadonlySet<string>
  readonly recorded: RecordedEvidence["Service"]
  readonly problems: ReadonlyArray<Problem>
}

/**
 * Uses the composition of a project with other policies: what they do is not done by ours beside them. It stands on what a
 * log holds, and neither reads the project nor starts anything.
 */
export const withPolicies = <A, E, R>(
  paths: ProjectPaths,
  entries: ReadonlyArray<PluginEntry>,
  policies: ReadonlyArray<PluginEntry>,
  use: (found: OtherPolicies) => Effect.Effect<A, E, R>
) => {
  const named = policies.map(({ use }) => use)
  const judge = ownJudges.find((name) => named.includes(name))
  const before = entries.some(({ use }) => use === regexPolicy) ? regexPolicy : "evidence"
  const others = policies.filter(({ use }) => !(ownJudges as ReadonlyArray<string>).includes(use))
  const languages: Array<LanguageRules> = []
  return Effect.gen(function* () {
    const { composition, given, problems } = yield* composed(paths, entries, languages, {
      isRegex: (judge ?? before) === regexPolicy,
      policies: others
    })
    return yield* use({
      composition,
      activities: new Set([
        ...given.flatMap(({ plugin }) => activitiesOf(plugin)),
        ...(judge === undefined || judge === before ? [] : [activities.evidence])
      ]),
      recorded: yield* RecordedEvidence,
      problems
    })
  }).pipe(Effect.provide(Layer.provideMerge(recordedEvidence, worldOf(paths, {}, languages))))
}

const activitiesOf = (plugin: Plugin): ReadonlyArray<string> =>
  plugin[impl].parts.flatMap((part) => (part.kind === "activity" ? part.name : []))

/** What only one plugin can do. */
const deedsOf = (plugin: Plugin): ReadonlyArray<string> => [
  ...activitiesOf(plugin),
  ...plugin[impl].parts.flatMap((part) => (part.kind === "offer" && part.to === judges.name ? `offer ${part.to}` : []))
]

/**
 * All plugins of a project that fit, and what is wrong with the others; with `policies`, which take the place of what ours
 * do. Fills in what languages they bring.
 */
const composed = Effect.fnUntraced(function* (
  paths: ProjectPaths,
  entries: ReadonlyArray<PluginEntry>,
  languages: Array<LanguageRules>,
  {
    isRegex = entries.some(({ use }) => use === regexPolicy),
    policies = []
  }: { readonly isRegex?: boolean; readonly policies?: ReadonlyArray<PluginEntry> } = {}
) {
  let kinds: ReadonlyArray<EvidenceKind> = []
  const own = yield* ownPlugins(paths, isRegex, () => kinds)
  const ofProject = yield* loadPlugins(paths.plugins ?? paths.root, entries)
  const given = yield* loadPlugins(paths.root, policies)
  const loaded = [...ofProject.loaded, ...given.loaded]
  languages.push(...loaded.flatMap(({ plugin }) => plugin.languages))
  const does = new Set(given.loaded.flatMap(({ plugin }) => deedsOf(plugin)))
  const { composition, misfits } = fitted(
    own.filter((plugin) => !deedsOf(plugin).some((deed) => does.has(deed))),
    loaded
  )
  kinds = kindsOf(composition)
  return {
    composition,
    loaded,
    given: given.loaded,
    problems: [...ofProject.problems, ...given.problems, ...misfits]
  }
})

/** Those that fit together; the others one by one, each with what is wrong with it. */
const fitted = (
  own: ReadonlyArray<Plugin>,
  loaded: ReadonlyArray<LoadedPlugin>
): { readonly composition: Composition; readonly misfits: ReadonlyArray<Problem> } => {
  // those of Proofline's own are tested to change nothing that they are given
  const freezes = loaded.length > 0
  const tried = Result.try(() => composePlugins([...own, ...loaded.map(({ plugin }) => plugin)], { freezes }))
  if (Result.isSuccess(tried)) return { composition: tried.success, misfits: takenNames(tried.success, loaded) }
  const fault = tried.failure
  if (!(fault instanceof PluginFault)) throw fault
  const culprit = loaded.findLast(({ plugin }) => plugin.name === fault.plugin)
  // no plugin of the project: it is ours to mend
  if (culprit === undefined) throw fault
  const rest = fitted(own, withoutThoseAfter(loaded, culprit))
  return { ...rest, misfits: [misfit(culprit, fault), ...rest.misfits] }
}

/** Operations of plugins stand beside Proofline's own, in one list of names. */
const takenNames = (composition: Composition, loaded: ReadonlyArray<LoadedPlugin>): ReadonlyArray<Problem> =>
  [...composition.operations.values()].flatMap(({ name, owner }) => {
    const by = loaded.find(({ plugin }) => plugin.name === owner)
    return by === undefined || operations.every((own) => own.name !== name)
      ? []
      : [misfit(by, { problem: `Operation ${name} is one of Proofline's own.` })]
  })

/** Without a plugin, and without those that stand on it: they are not wrong by themselves. */
const withoutThoseAfter = (loaded: ReadonlyArray<LoadedPlugin>, gone: LoadedPlugin): ReadonlyArray<LoadedPlugin> =>
  loaded
    .filter(({ plugin }) => plugin !== gone.plugin && plugin[impl].header.after.includes(gone.plugin.name))
    .reduce(
      withoutThoseAfter,
      loaded.filter((one) => one !== gone)
    )

const misfit = (
  { entry }: LoadedPlugin,
  { code = "plugin_conflict", problem }: Pick<PluginFault, "code" | "problem">
): Problem => ({
  code,
  message: `The plugin "${entry.use}" does not fit in: ${problem}`,
  ...placeOf(entry),
  hint: "Change it, or remove one of those that are named under `plugins:`."
})

/** How the client of an agent asks back: this Proofline, for this project wherever the agent works. */
const ownServer = ({ databaseUrl, root, state }: ProjectPaths) => ({
  command: process.execPath,
  get args(): ReadonlyArray<string> {
    return [
      ownProgram,
      "mcp",
      "--cwd",
      root,
      "--state",
      state,
      // everybody on the machine sees arguments
      ...(databaseUrl === undefined ? [] : ["--database-url", `file:${fileWithUrl(databaseUrl, state)}`]),
      // a judgment is handed in with one of these
      "--tools",
      "standard"
    ]
  }
})
