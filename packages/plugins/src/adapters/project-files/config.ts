/**
 * proofline.yaml, every key optional:
 *
 *     agent: name                          which agent works: one of `agents`, a preset, or `command`
 *     agent_command: shell command         short for `agents: {command: {command: …}}`
 *     agents: {name: {command} | {preset: claude|codex|gemini|opencode, model?} | {judge}}
 *     reviewer: name | none
 *     workers, max_retries, retry_delay_ms, backoff_multiplier, retry_on,
 *     timeout_ms, check_timeout_ms, idle_timeout_ms, fail_fast
 *     evidence: {strict?: boolean, ablation?: boolean}
 *     proof: {accept?: [reason], max_waived?: 0…1}   refuses weak evidence; see docs/evidence.md
 *     chunking: {…}                        see chunking.ts
 *     plugins: [npm name | ./path | {use: npm name | ./path, with?: {…}}]
 *     verifiers: [shell command]           verify the whole of the work of a session, all of them
 *     pull: {contract?: default|full|path, intent?, gate?: auto|full, flags?: [flag], agent?, session_ttl_ms?}
 */
import { type Json, type ProofConfig, WeakReason } from "@proofline/kernel"
import { type ChunkingSettings, checkChunking, chunkingSection, settingsOf } from "./chunking.ts"
import { readDocument, type Source } from "./document.ts"
import { headerFields } from "./header.ts"
import type { Entry, Node } from "./Node.ts"
import { listProblems, type Problem, refuse } from "./Problem.ts"
import type { Position } from "./positions.ts"
import { type RunDefaults, runDefaultsOf, runFields, runSynonyms } from "./runDefaults.ts"
import {
  anyMapping,
  byName,
  list,
  located,
  mapped,
  mapping,
  maxValues,
  number,
  oneOf,
  optional,
  type Read,
  type Reading,
  refined,
  required,
  type Shape,
  text,
  textOr,
  trimmed,
  trueOrFalse
} from "./shape.ts"
import { closest, quoted } from "./words.ts"

export const presets = ["claude", "codex", "gemini", "opencode"] as const
export type Preset = (typeof presets)[number]

/** How an agent is started: by a shell command, or as a known program. A judge only reviews, by its exit code. */
export type AgentDefinition =
  | { readonly command: string }
  | { readonly judge: string }
  | {
      readonly preset: Preset
      /** Null: the program's own default. */
      readonly model: string | null
    }

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

const namePattern = /^[\p{L}\p{M}\p{N}_.-]{1,100}$/u

const agentName: Shape<string> = refined(text("the name of an agent"), (name, subject) => {
  if (name === "none") {
    return {
      code: "agent_name_invalid",
      message: `${subject.name} cannot be "none", which stands for nobody.`,
      hint: "Give the agent another name."
    }
  }
  return namePattern.test(name)
    ? undefined
    : {
        code: "agent_name_invalid",
        message: `${subject.name} cannot be ${quoted(name)}.`,
        hint: "Use letters, digits, `_`, `.` and `-` only, at most 100."
      }
})

const agentFields = {
  command: optional(text("a shell command")),
  preset: optional(oneOf(presets)),
  model: optional(trimmed("the name of a model")),
  judge: optional(text("a shell command"))
}

const agentExpects = "a `command`, a `preset` or a `judge`"

const agentRead = mapping({
  fields: agentFields,
  expects: agentExpects,
  synonyms: {
    command: ["cmd", "run", "shell"],
    preset: ["kind", "type", "agent"],
    judge: ["check", "review", "reviewer", "judge_command"]
  }
})

const keyOf = (node: Node, key: string): Entry | undefined =>
  node.kind === "mapping" ? node.entries.find((entry) => entry.key === key) : undefined

const both = (kinds: ReadonlyArray<string>): string => {
  const marked = kinds.map((kind) => `a \`${kind}\``)
  return kinds.length === 2 ? `both ${marked.join(" and ")}` : marked.join(", ").replace(/, (?=[^,]*$)/, " and ")
}

/** What is wrong with an agent as a whole. Decided on the keys as they stand, whatever their values are worth. */
const agentFault = (node: Node, name: string): { readonly message: string; readonly hint: string } | undefined => {
  const kinds = ["command", "preset", "judge"].filter((key) => keyOf(node, key) !== undefined)
  if (kinds.length > 1) {
    return { message: `${name} has ${both(kinds)}.`, hint: "Keep one of them." }
  }
  if (kinds.length === 0) {
    return {
      message: `${name} has neither a \`command\` nor a \`preset\` nor a \`judge\`.`,
      hint: "Add `command:` with a shell command, `preset:` with `claude`, `codex`, `gemini` or `opencode`, or `judge:` with the shell command of a reviewer."
    }
  }
  return keyOf(node, "model") !== undefined && !kinds.includes("preset")
    ? { message: `${name} has a \`model\` but no \`preset\`.`, hint: "Name the model in the command itself." }
    : undefined
}

const agent: Shape<AgentDefinition> = {
  expects: agentExpects,
  read: (node, subject, reading) => {
    const read = agentRead.read(node, subject, reading)
    if (read === undefined) return undefined
    const fault = agentFault(node, subject.name)
    if (fault !== undefined) {
      refuse(reading.findings, { code: "agent_invalid", ...fault, start: node.start, end: node.end })
      return undefined
    }
    if (read.command !== undefined) return { command: read.command }
    if (read.judge !== undefined) return { judge: read.judge }
    return read.preset === undefined ? undefined : { preset: read.preset, model: read.model ?? null }
  }
}

const npmNameOrPath = /^(?:\.\/.*\S|(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*)$/s

const pluginName: Shape<string> = refined(text("an npm name or a path that begins with `./`"), (name, subject) =>
  npmNameOrPath.test(name)
    ? undefined
    : {
        code: "plugin_invalid",
        message: `${subject.name} is ${quoted(name)}, which is neither an npm name nor a path that begins with \`./\`.`,
        hint: "Write the name of an installed npm package, or a path such as `./plugins/mine.ts`."
      }
)

/** A plugin as it was read: without its line. */
type FoundPlugin = Omit<PluginEntry, "line" | "column"> & { readonly node: Node }

const plugin: Shape<FoundPlugin> = textOr(
  mapped(pluginName, (use, node): FoundPlugin => ({ use, with: {}, node })),
  {
    fields: { use: required(pluginName), with: optional(anyMapping) },
    expects: "`use` and `with`",
    synonyms: { use: ["name", "plugin", "path"], with: ["options", "config"] }
  },
  ({ use, with: options = {} }, node) => (use === undefined ? undefined : { use, with: options, node })
)

const fileFields = {
  ...runFields,
  agent: optional(located(trimmed("the name of an agent"))),
  reviewer: optional(located(trimmed("the name of an agent, or `none`"))),
  agent_command: optional(text("a shell command")),
  agents: optional(byName(agentName, agent, "agents, each under its name")),
  evidence: optional(
    mapping({
      fields: { strict: optional(trueOrFalse), ablation: optional(trueOrFalse) },
      expects: "`strict` or `ablation`"
    })
  ),
  proof: optional(
    mapping({
      fields: {
        accept: optional(list(oneOf(WeakReason.literals), "reasons that are accepted")),
        max_waived: optional(number({ whole: false, min: 0, max: 1 }))
      },
      expects: "`accept` or `max_waived`"
    })
  ),
  chunking: optional(chunkingSection),
  plugins: optional(list(plugin, "the plugins")),
  verifiers: optional(list(text("a shell command"), "shell commands")),
  pull: optional(
    mapping({
      fields: {
        contract: optional(trimmed("`default`, `full` or the path of a file")),
        intent: optional(trimmed("an intent of the contract")),
        gate: optional(oneOf(["auto", "full"])),
        flags: optional(list(trimmed("a flag of the contract"), "flags of the contract")),
        agent: optional(agentName),
        session_ttl_ms: optional(number({ whole: true, min: 1_000, max: 2_147_483_647 }))
      },
      expects: "`contract`, `intent`, `gate`, `flags`, `agent` or `session_ttl_ms`",
      synonyms: { session_ttl_ms: ["session_ttl", "ttl", "expires"] }
    })
  ),
  ...headerFields
}

/** Keys of the section that stand at the top by mistake. */
const inChunking = Object.fromEntries(
  [
    "auto_detect",
    "min_subtasks",
    "max_subtasks",
    "execution_mode",
    "review_loop_per_subtask",
    "max_iterations",
    "analyzer",
    "workspace",
    "aggregation_strategy",
    "conflict_resolution"
  ].map((key) => [key, "Write it under `chunking`."])
)

const fileShape = mapping({
  fields: fileFields,
  expects: "a mapping of settings",
  owner: () => null,
  synonyms: {
    ...runSynonyms,
    agent_command: ["command"],
    chunking: ["task_chunking", "chunk"],
    plugins: ["plugin"],
    verifiers: ["verifier", "verify"]
  },
  misplaced: inChunking
})

type FoundFile = Read<typeof fileFields>

const checkCommand = (file: FoundFile, root: Node, reading: Reading): void => {
  const entry = keyOf(root, "agent_command")
  if (entry === undefined) return
  const tell = (message: string, hint: string) =>
    refuse(reading.findings, { code: "agent_conflict", message, hint, start: entry.keyStart, end: entry.value.end })
  if (file.agents?.has("command")) {
    tell("The agent `command` is defined twice, by `agent_command` and under `agents`.", "Keep one of them.")
  }
  const named = file.agent?.value
  if (named !== undefined && named !== "command") {
    tell(
      `\`agent_command\` is never used, because \`agent\` is ${quoted(named)}.`,
      "Write `agent: command`, or remove `agent_command`."
    )
  }
}

/** A plugin may bring agents of its own, so with plugins a name that is not known here says nothing. */
const checkAgentNames = (file: FoundFile, root: Node, reading: Reading): void => {
  if (keyOf(root, "plugins") !== undefined) return
  const defined = keyOf(root, "agents")?.value
  const names = defined?.kind === "mapping" ? defined.entries.map((entry) => entry.key) : []
  const known = new Set(["command", ...presets, ...names])
  const check = (key: "agent" | "reviewer", allowed: ReadonlySet<string>) => {
    const named = file[key]
    if (named === undefined || allowed.has(named.value)) return
    refuse(reading.findings, {
      code: "agent_unknown",
      message: `\`${key}\` is ${quoted(named.value)}, but no agent has that name.`,
      hint: () => {
        const near = closest(named.value, allowed)
        return near === undefined ? "Define it under `agents`." : `Did you mean \`${near}\`?`
      },
      start: named.node.start,
      end: Number.POSITIVE_INFINITY
    })
  }
  check("agent", known)
  check("reviewer", new Set([...known, "none"]))
}

/** A judge tells by its exit code whether work is good; it cannot do any. */
const checkJudge = (file: FoundFile, root: Node, reading: Reading): void => {
  const named = file.agent
  const definition = named === undefined ? undefined : definitionOf(root, named.value)
  if (named === undefined || definition === undefined || keyOf(definition, "judge") === undefined) return
  refuse(reading.findings, {
    code: "agent_invalid",
    message: `\`agent\` is ${quoted(named.value)}, which is a \`judge\` and cannot work.`,
    hint: `Name it as \`reviewer\`, and as \`agent\` one with a \`command\` or a \`preset\`.`,
    start: named.node.start,
    end: Math.max(named.node.end, definition.end)
  })
}

const definitionOf = (root: Node, name: string): Node | undefined => {
  const agents = keyOf(root, "agents")?.value
  return agents === undefined ? undefined : keyOf(agents, name)?.value
}

const checkPlugins = (file: FoundFile, reading: Reading): void => {
  const seen = new Set<string>()
  for (const { use, node } of file.plugins ?? []) {
    if (seen.has(use)) {
      refuse(reading.findings, {
        code: "plugin_duplicate",
        message: `The plugin ${quoted(use)} is named twice.`,
        hint: "Remove one of them.",
        start: node.start,
        end: node.end
      })
    }
    seen.add(use)
  }
}

const toDocument = (file: FoundFile, { positions, root }: Source): ConfigDocument => {
  const section = root === null ? undefined : keyOf(root, "chunking")?.value
  const analyzer = section === undefined ? undefined : keyOf(section, "analyzer")
  const { agent: worker, reviewer, ...settings } = file
  const agents = new Map(file.agents)
  if (file.agent_command !== undefined) agents.set("command", { command: file.agent_command })
  return {
    defaults: runDefaultsOf({
      ...settings,
      ...(worker === undefined ? {} : { agent: worker.value }),
      ...(reviewer === undefined ? {} : { reviewer: reviewer.value === "none" ? null : reviewer.value })
    }),
    agents,
    evidence: file.evidence ?? {},
    proof: file.proof ?? null,
    chunking: file.chunking === undefined ? null : settingsOf(file.chunking),
    plugins: (file.plugins ?? []).map(({ node, ...entry }) => ({ ...entry, ...positions.at(node.start) })),
    analyzerAt: analyzer === undefined ? null : positions.at(analyzer.keyStart),
    verifiers: file.verifiers ?? [],
    pull: file.pull ?? {}
  }
}

const readFile = (root: Node, source: Source): FoundFile => {
  const reading: Reading = { findings: source.findings, budget: maxValues, syntax: "yaml" }
  const file = fileShape.read(root, { name: "the file", otherwise: "" }, reading) ?? {}
  checkCommand(file, root, reading)
  checkAgentNames(file, root, reading)
  checkJudge(file, root, reading)
  checkPlugins(file, reading)
  if (file.chunking !== undefined) checkChunking(file.chunking, "chunking", source)
  return file
}

/** Reads the text of a proofline.yaml and tells everything that is wrong with it at once. Never throws. */
export const parseConfig = (content: string, file: string): ConfigResult => {
  const source = readDocument(content)
  const found = source.root === null ? {} : readFile(source.root, source)
  const { problems, warnings } = listProblems(source, file)
  return { problems, warnings, config: problems.length === 0 ? toDocument(found, source) : null }
}
