/** proofline.yaml: settings of a project. What it may say is in `ConfigFile`. */
import type { Json, ProofConfig } from "@proofline/kernel"
import { Schema, type SchemaAST, SchemaIssue, Struct } from "effect"
import {
  aboutOption,
  fieldsOf,
  longestMs,
  presets,
  proofOptions,
  type RunDefaults,
  runDefaultsOf,
  runOptions
} from "../../options/index.ts"
import { closest, quoted } from "../../options/words.ts"
import { Agent, type AgentDefinition, AgentOrder, agentName, agentOf } from "./agents.ts"
import { type ChunkingSettings, checkChunking, chunkingKeys, chunkingSection, settingsOf } from "./chunking.ts"
import { type Decoded, decodeFile, tellAt } from "./decodeFile.ts"
import { readDocument, type Source } from "./document.ts"
import {
  byName,
  type Fault,
  headerFields,
  list,
  mapping,
  oneOf,
  optional,
  required,
  rule,
  text,
  textLike,
  textOr,
  trueOrFalse,
  wholeNumber
} from "./fileSchema.ts"
import type { Node } from "./Node.ts"
import { listProblems, noFindings, type Problem, refuse } from "./Problem.ts"
import type { Position } from "./positions.ts"
import { runFields, runSynonyms, synonymsOf } from "./settings.ts"

/** A plugin as the file names it. */
export interface PluginEntry extends Position {
  /** An npm name, or a path that begins with `./`. */
  readonly use: string
  /** Its options; empty where none are given. */
  readonly with: Readonly<Record<string, Json>>
}

/** A proofline.yaml that holds together. */
export interface ConfigDocument {
  /** Settings of a run, `agent` and `reviewer` among them. */
  readonly defaults: RunDefaults
  /** Agents the file defines, by name; `agent_command` defines `command`. */
  readonly agents: ReadonlyMap<string, AgentDefinition>
  readonly evidence: { readonly strict?: boolean; readonly ablation?: boolean }
  /** What counts as proof, as far as the file says; null when it has no such section. */
  readonly proof: Partial<ProofConfig> | null
  /** Directory of the escrowed checks, as the file says it; null: it names none. */
  readonly checks_from: string | null
  /** How tasks are split, as far as the file says; null when it has no such section. */
  readonly chunking: ChunkingSettings | null
  /** In the order in which they are loaded. */
  readonly plugins: ReadonlyArray<PluginEntry>
  /** Where `chunking.analyzer` stands; null: nowhere. */
  readonly analyzerAt: Position | null
  /** Shell commands that verify the whole of the work of a session. */
  readonly verifiers: ReadonlyArray<string>
  /** How agents pull, as far as the file says. */
  readonly pull: SessionRunSettings
}

/** How agents work in a session run. */
export interface SessionRunSettings {
  /** `default`, `full`, or the path of a file, from the project. */
  readonly contract?: string
  readonly intent?: string
  readonly gate?: "auto" | "full"
  readonly flags?: ReadonlyArray<string>
  /** What the agent is called; left out: what its client calls itself. */
  readonly agent?: string
  readonly session_ttl_ms?: number
}

export interface ConfigResult {
  readonly problems: ReadonlyArray<Problem>
  readonly warnings: ReadonlyArray<Problem>
  /** Null exactly when there are problems. An empty file is a configuration without settings. */
  readonly config: ConfigDocument | null
}

const npmNameOrPath = /^(?:\.\/[\s\S]*\S|(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*)$/

const npmName = textLike("an npm name or a path that begins with `./`", npmNameOrPath, (value, name) => ({
  code: "plugin_invalid",
  message: `${name} is ${quoted(value)}, which is neither an npm name nor a path that begins with \`./\`.`,
  hint: "Write the name of an installed npm package, or a path such as `./plugins/mine.ts`."
})).annotate({ identifier: "pluginName", description: "An npm name, or a path that begins with `./`." })

const Plugin = textOr(
  npmName,
  mapping(
    {
      use: required(npmName),
      with: optional(
        Schema.Record(Schema.String, Schema.Json).annotate({ saying: { expects: "`key: value`", names: true } }),
        {
          description: "Options of the plugin, by its own schema; a key that it does not know is refused."
        }
      )
    },
    "`use` and `with`",
    { synonyms: { use: ["name", "plugin", "path"], with: ["options", "config"] } }
  )
)

const commandConflict = (message: string, hint: string): Fault => ({
  code: "agent_conflict",
  message,
  hint,
  at: "agent_command"
})

interface Commands {
  readonly agent?: unknown
  readonly agent_command?: unknown
  readonly agents?: unknown
}

/** `agent_command` defines the agent `command`, which nobody else may. */
const definedOnce = rule<Commands>(
  ({ agent_command, agents }) =>
    agent_command !== undefined && typeof agents === "object" && agents !== null && Object.hasOwn(agents, "command")
      ? commandConflict(
          "The agent `command` is defined twice, by `agent_command` and under `agents`.",
          "Keep one of them."
        )
      : undefined,
  {
    dependentSchemas: {
      agent_command: { properties: { agent: { const: "command" }, agents: { not: { required: ["command"] } } } }
    }
  }
)

/** The agent it defines is the one that works. Its JSON Schema is in `definedOnce`. */
const definedIsUsed = rule<Commands>(({ agent, agent_command }) => {
  const named = typeof agent === "string" ? agent.trim() : "command"
  return agent_command === undefined || named === "command" || named === ""
    ? undefined
    : commandConflict(
        `\`agent_command\` is never used, because \`agent\` is ${quoted(named)}.`,
        "Write `agent: command`, or remove `agent_command`."
      )
}, {})

/** A list says who works, and so does `agent`. */
const orderedOnce = rule<Commands & { readonly fallback?: unknown }>(
  ({ agent, agent_command, agents, fallback }) => {
    if (!Array.isArray(agents)) return undefined
    const other = Object.entries({ agent, agent_command, fallback }).find(([, value]) => value !== undefined)?.[0]
    return other === undefined
      ? undefined
      : {
          code: "agent_conflict",
          message: `\`agents\` is a list, which says who works, and so does \`${other}\`.`,
          hint: `Remove \`${other}\`, or define the agents by name and write \`agent\` and \`fallback\`.`,
          at: other
        }
  },
  {
    if: { required: ["agents"], properties: { agents: { type: "array" } } },
    // biome-ignore lint/suspicious/noThenProperty: it is JSON Schema
    then: { not: { anyOf: [{ required: ["agent"] }, { required: ["agent_command"] }, { required: ["fallback"] }] } }
  }
)

const whereverChunking = Object.fromEntries(
  chunkingKeys.flatMap((key) =>
    Object.hasOwn(runFields, key) || key === "enabled" || key === "retry" ? [] : [[key, "Write it under `chunking`."]]
  )
)

const whereverProof = Object.fromEntries(Object.keys(proofOptions).map((key) => [key, "Write it under `proof`."]))

/** What proofline.yaml may say: every key is optional. */
export const ConfigFile = mapping(
  {
    ...runFields,
    agent_command: optional(runOptions.agent_command.schema, {
      ...aboutOption(runOptions.agent_command),
      description: `${runOptions.agent_command.description} Only with \`agent: command\` or without \`agent\`.`
    }),
    agents: optional(Schema.Union([byName(agentName, Agent, "agents, each under its name"), AgentOrder]), {
      title: "Agents",
      description:
        "Agents by name: a shell command, a known program, a judge that only reviews, or a model that only plans and reviews. A list of names is short for `agent`, the first, and `fallback`, the others.",
      default: {},
      examples: [
        {
          fast: { preset: "claude", model: "haiku" },
          mine: { command: "my-agent --headless" },
          tests: { judge: "npm test" },
          small: { model: "qwen3", base_url: "http://127.0.0.1:11434/v1" }
        },
        ["claude", "codex"]
      ]
    }),
    evidence: optional(
      mapping(
        {
          strict: optional(trueOrFalse, {
            description:
              "true: evidence that is merely weak is refused: lines that were not changed since the run began, or that are cited for another item too.",
            default: false
          }),
          ablation: optional(trueOrFalse, {
            description:
              "true: the check of an item must also fail at the commit the run began with and without the cited lines.",
            default: false
          })
        },
        "`strict` or `ablation`"
      ),
      { title: "Evidence", description: "How strictly evidence is judged." }
    ),
    proof: optional(
      mapping(
        fieldsOf(proofOptions),
        "`accept`, `max_waived`, `clean_room`, `protected`, `test_reports` or `checks_from`"
      ),
      {
        title: "What counts as proof",
        description: "With this section evidence that shows too little is refused, and completed means proven."
      }
    ),
    chunking: optional(chunkingSection, {
      title: "Splitting of tasks",
      description: "How large tasks are split into subtasks, and how those are run. Every key is optional.",
      examples: [{ max_subtasks: 6, workspace: "worktree", retry: { max_retries: 1 } }]
    }),
    plugins: optional(
      // those that are named twice are told each at its place
      list(Plugin, "the plugins").check(rule(() => undefined, { uniqueItems: true })),
      {
        title: "Plugins",
        description:
          "npm names, or paths that begin with `./`, in the order in which they are loaded; as `use` of a mapping, with the plugin's options under `with`.",
        default: [],
        examples: [
          ["proofline-plugin-slack", "./plugins/mine.ts", { use: "./plugins/freeze.ts", with: { prefix: "release" } }]
        ]
      }
    ),
    verifiers: optional(list(text("a shell command"), "shell commands"), {
      title: "Verifiers",
      description: "Shell commands that verify the whole of the work of a session (pull mode); each must exit 0.",
      default: [],
      examples: [["npm test"]]
    }),
    pull: optional(
      mapping(
        {
          contract: optional(text("`default`, `full` or the path of a file"), {
            description:
              "The phases: `default`, `full`, or the path of a file; left out: .proofline/phase_contract.yml when it exists, else `default`."
          }),
          intent: optional(text("an intent of the contract"), {
            description: "One of the contract's `intents`; the first when left out."
          }),
          gate: optional(oneOf(["auto", "full"]), {
            description: "full: every optional phase runs.",
            default: "auto"
          }),
          flags: optional(list(text("a flag of the contract"), "flags of the contract"), {
            description: "Of the contract's `flags`.",
            default: []
          }),
          agent: optional(agentName, {
            description: "The name tasks are assigned to; when left out, what the client calls itself."
          }),
          session_ttl_ms: optional(wholeNumber(1_000, longestMs), {
            description: "A session of its own (`proofline session open`) ends when it is silent for so long.",
            default: 3_600_000
          })
        },
        "`contract`, `intent`, `gate`, `flags`, `agent` or `session_ttl_ms`",
        { synonyms: { session_ttl_ms: ["session_ttl", "ttl", "expires"] } }
      ),
      { title: "Pull mode", description: "How an agent that is open already works under `proofline mcp`." }
    ),
    ...headerFields
  },
  "a mapping of settings",
  {
    owner: () => null,
    synonyms: {
      ...runSynonyms,
      ...synonymsOf(Struct.pick(runOptions, ["agent_command"])),
      chunking: ["task_chunking", "chunk"],
      plugins: ["plugin"],
      verifiers: ["verifier", "verify"]
    },
    misplaced: { ...whereverChunking, ...whereverProof }
  }
)
  .annotate({
    title: "Proofline configuration",
    description: "proofline.yaml: settings of a project. Every key is optional.",
    examples: [{ agent: "claude", reviewer: "codex", workers: 4 }]
  })
  // behind what is said of the file, which would else stand with the last of them in its JSON Schema
  .check(definedOnce, definedIsUsed, orderedOnce)

type ConfigFile = typeof ConfigFile.Type

/** A plugin may bring agents of its own, so with plugins a name that is not known here says nothing. */
const checkAgentNames = ({ at, found, keyAt }: Decoded<ConfigFile>, { findings }: Source): void => {
  if (keyAt("plugins") !== undefined) return
  const known = ["command", ...presets, ...entriesOf(keyAt("agents")?.value)]
  const check = (key: "agent" | "planner" | "reviewer", allowed: ReadonlyArray<string>) =>
    checkName([key], `\`${key}\``, found?.[key], allowed)
  const checkName = (
    path: ReadonlyArray<string | number>,
    name: string,
    written: string | undefined,
    allowed: ReadonlyArray<string>
  ) => {
    const named = written?.trim()
    if (named === undefined || allowed.includes(named)) return
    refuse(findings, {
      code: "agent_unknown",
      message: `${name} is ${quoted(named)}, but no agent has that name.`,
      hint: () => {
        const near = closest(named, allowed)
        return near === undefined ? "Define it under `agents`." : `Did you mean \`${near}\`?`
      },
      start: at(...path).start,
      end: Number.POSITIVE_INFINITY
    })
  }
  check("agent", [...known, "auto"])
  for (const key of ["fallback", "agents"] as const) {
    const names = found?.[key]
    if (!Array.isArray(names)) continue
    for (const [index, name] of names.entries()) checkName([key, index], `Name ${index + 1} of \`${key}\``, name, known)
  }
  check("planner", known)
  check("reviewer", [...known, "none"])
}

const entriesOf = (node: Node | undefined): ReadonlyArray<string> =>
  node?.kind === "mapping" ? node.entries.map(({ key }) => key) : []

/** A judge tells by its exit code whether work is good, and a model answers; neither can do any. */
const checkWorker = ({ at, found, keyAt }: Decoded<ConfigFile>, { findings }: Source): void => {
  const named = found?.agent?.trim()
  if (named === undefined) return
  const has = (key: string): boolean => keyAt("agents", named, key) !== undefined
  const kind = has("judge") ? "judge" : has("model") && !has("preset") ? "model" : null
  if (kind === null) return
  const { end, start } = at("agent")
  refuse(findings, {
    code: "agent_invalid",
    message: `\`agent\` is ${quoted(named)}, which is a \`${kind}\` and cannot work.`,
    hint:
      kind === "model"
        ? "Name it as `planner` or `reviewer`, and as `agent` one with a `command`, an `acp` or a `preset`."
        : "Name it as `reviewer`, and as `agent` one with a `command`, an `acp` or a `preset`.",
    start,
    end: Math.max(end, at("agents", named).end)
  })
}

const checkPlugins = ({ at, found }: Decoded<ConfigFile>, { findings }: Source): void => {
  const seen = new Set<string>()
  for (const [index, plugin] of (found?.plugins ?? []).entries()) {
    const use = typeof plugin === "string" ? plugin : plugin?.use
    if (use === undefined) continue
    if (seen.has(use)) {
      const { end, start } = at("plugins", index)
      const message = `The plugin ${quoted(use)} is named twice.`
      refuse(findings, { code: "plugin_duplicate", message, hint: "Remove one of them.", start, end })
    }
    seen.add(use)
  }
}

/** The agents of a list, as `agent` and `fallback` say it. */
const inOrder = (file: ConfigFile): ConfigFile => {
  if (!isOrder(file.agents)) return file
  const [agent, ...fallback] = file.agents
  return agent === undefined ? file : { ...file, agent, fallback }
}

const isOrder = (agents: ConfigFile["agents"]): agents is ReadonlyArray<string> => Array.isArray(agents)

const agentsOf = ({ agent_command, agents = {} }: ConfigFile): ReadonlyMap<string, AgentDefinition> => {
  const defined = new Map(
    Object.entries(isOrder(agents) ? {} : agents).flatMap(([name, agent]) =>
      agentOf(agent).map((definition) => [name, definition] as const)
    )
  )
  return agent_command === undefined ? defined : defined.set("command", { command: agent_command })
}

const pullOf = ({ pull = {} }: ConfigFile): SessionRunSettings => {
  const { contract, flags, intent, ...more } = pull
  return {
    ...more,
    ...(contract === undefined ? {} : { contract: contract.trim() }),
    ...(intent === undefined ? {} : { intent: intent.trim() }),
    ...(flags === undefined ? {} : { flags: flags.map((flag) => flag.trim()) })
  }
}

const toDocument = (
  file: ConfigFile,
  { at, keyAt }: Pick<Decoded<ConfigFile>, "at" | "keyAt">,
  { positions }: Source
): ConfigDocument => {
  const analyzer = keyAt("chunking", "analyzer")
  return {
    defaults: runDefaultsOf(inOrder(file)),
    agents: agentsOf(file),
    evidence: file.evidence ?? {},
    proof: file.proof === undefined ? null : Struct.omit(file.proof, ["checks_from"]),
    checks_from: file.proof?.checks_from?.trim() ?? null,
    chunking: file.chunking === undefined ? null : settingsOf(file.chunking),
    plugins: (file.plugins ?? []).map((plugin, index) => ({
      ...(typeof plugin === "string" ? { use: plugin, with: {} } : { use: plugin.use, with: plugin.with ?? {} }),
      ...positions.at(at("plugins", index).start)
    })),
    analyzerAt: analyzer === undefined ? null : positions.at(analyzer.keyStart),
    verifiers: file.verifiers ?? [],
    pull: pullOf(file)
  }
}

/** What an empty file says. */
const nothing: Node = { kind: "mapping", start: 0, end: 0, entries: [] }

const readFile = (source: Source): ConfigDocument | null => {
  const decoded = decodeFile(ConfigFile, source.root ?? nothing, source, "yaml")
  checkAgentNames(decoded, source)
  checkWorker(decoded, source)
  checkPlugins(decoded, source)
  const chunking = decoded.found?.chunking
  if (chunking !== undefined) checkChunking(chunking, ["chunking"], decoded, source)
  return decoded.value === null ? null : toDocument(decoded.value, decoded, source)
}

/** Reads the text of a proofline.yaml and tells everything that is wrong with it at once. Never throws. */
export const parseConfig = (content: string, file: string): ConfigResult => {
  const source = readDocument(content)
  const config = readFile(source)
  const { problems, warnings } = listProblems(source, file)
  return { problems, warnings, config: problems.length === 0 ? config : null }
}

/** In words of the library, on one line. */
const expectedBy = (issue: SchemaIssue.Issue): string =>
  SchemaIssue.makeFormatterDefault()(issue).replaceAll(/\s+/g, " ").replace(/^E/, "e").replace(/\.$/, "")

/** What a plugin's own schema found wrong with the options that a file gives it; null: there is no such plugin. */
export const pluginOptionProblems = (
  content: string,
  file: string,
  { column, line, use }: PluginEntry,
  { ast, issue }: { readonly ast: SchemaAST.AST; readonly issue: SchemaIssue.Issue }
): ReadonlyArray<Problem> | null => {
  const source = readDocument(content)
  const { at, found, keyAt } = decodeFile(ConfigFile, source.root ?? nothing, source, "yaml")
  const index = (found?.plugins ?? []).findIndex((_, i) => {
    const place = source.positions.at(at("plugins", i).start)
    return place.line === line && place.column === column
  })
  if (index < 0) return null
  const { end, start } = at("plugins", index)
  const node = keyAt("plugins", index, "with")?.value ?? { ...nothing, start, end }
  const findings = noFindings()
  tellAt(issue, ast, { node, name: `\`with\` of the plugin "${use}"`, otherwise: "" }, findings, expectedBy)
  return listProblems({ findings, positions: source.positions }, file).problems
}
