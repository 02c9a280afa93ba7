/** Agents of proofline.yaml: how each is started, or asked. */
import {
  given,
  type ModelApi,
  modelApis,
  type Permissions,
  type Preset,
  permissionAnswers,
  presets
} from "../../options/index.ts"
import { quoted } from "../../options/words.ts"
import { type Fault, fullList, mapping, oneOf, optional, rule, text, textLike, wholeNumber } from "./fileSchema.ts"

/**
 * How an agent is started: by a shell command, which may speak the Agent Client Protocol, or as a known program. A judge
 * only reviews, by its exit code. A model is asked over HTTP, for answers alone.
 */
export type AgentDefinition =
  | { readonly command: string }
  | { readonly acp: string; readonly permissions?: Permissions }
  | { readonly judge: string }
  | {
      readonly api: ModelApi
      readonly model: string
      readonly base_url?: string
      readonly key_env?: string
      readonly key_file?: string
      readonly max_tokens?: number
    }
  | {
      readonly preset: Preset
      /** Null: the program's own default. */
      readonly model: string | null
    }

export const agentName = textLike("the name of an agent", /^(?!none$)[\p{L}\p{M}\p{N}_.-]{1,100}$/u, (value, name) =>
  value === "none"
    ? {
        code: "agent_name_invalid",
        message: `${name} cannot be "none", which stands for nobody.`,
        hint: "Give the agent another name."
      }
    : {
        code: "agent_name_invalid",
        message: `${name} cannot be ${quoted(value)}.`,
        hint: "Use letters, digits, `_`, `.` and `-` only, at most 100."
      }
)

const both = (kinds: ReadonlyArray<string>): string => {
  const marked = kinds.map((kind) => `a \`${kind}\``)
  return kinds.length === 2 ? `both ${marked.join(" and ")}` : marked.join(", ").replace(/, (?=[^,]*$)/, " and ")
}

/** What belongs to a model that is asked over HTTP, and to nothing else. */
const modelKeys = ["api", "base_url", "key_env", "key_file", "max_tokens"]

/** Under these names people write the key itself. */
const literalKeys = ["key", "api_key", "apikey", "apiKey", "token", "secret", "auth"]

/** An agent is started in one way. */
const oneWay = rule<{ readonly [key: string]: unknown }>(
  (written, name): Fault | undefined => {
    const kinds = ["command", "acp", "preset", "judge"].filter((key) => Object.hasOwn(written, key))
    const invalid = (message: string, hint: string): Fault => ({ code: "agent_invalid", message, hint, at: "" })
    const literal = literalKeys.find((key) => Object.hasOwn(written, key))
    if (literal !== undefined) {
      return {
        code: "agent_key_literal",
        message: `${name} has a key in the file, under \`${literal}\`.`,
        hint: "Take it out, and have it replaced where others can have seen it. Name the environment variable that holds it with `key_env`, or the file with `key_file`.",
        at: literal
      }
    }
    if (Object.hasOwn(written, "key_env") && Object.hasOwn(written, "key_file"))
      return invalid(`${name} has both a \`key_env\` and a \`key_file\`.`, "Keep one of them.")
    const ofModel = modelKeys.find((key) => Object.hasOwn(written, key))
    if (ofModel !== undefined && (kinds.length > 0 || !Object.hasOwn(written, "model"))) {
      return kinds.length > 0
        ? invalid(
            `${name} has a \`${ofModel}\` beside its \`${kinds[0]}\`.`,
            "It is for a model that is asked over HTTP: remove one of them."
          )
        : invalid(`${name} has a \`${ofModel}\` but no \`model\`.`, "Add `model:` with the name of the model.")
    }
    if (kinds.length > 1) return invalid(`${name} has ${both(kinds)}.`, "Keep one of them.")
    if (kinds.length === 0 && !Object.hasOwn(written, "model")) {
      return invalid(
        `${name} has neither a \`command\` nor an \`acp\` nor a \`preset\` nor a \`judge\` nor a \`model\`.`,
        "Add `command:` with a shell command, `acp:` with one that speaks the Agent Client Protocol, `preset:` with `claude`, `codex`, `gemini` or `opencode`, `judge:` with the shell command of a reviewer, or `model:` with a model that plans or reviews."
      )
    }
    if (Object.hasOwn(written, "permissions") && !kinds.includes("acp")) {
      return invalid(`${name} has \`permissions\` but no \`acp\`.`, "Say in the command itself what it may do.")
    }
    return Object.hasOwn(written, "model") && kinds.length > 0 && !kinds.includes("preset")
      ? invalid(`${name} has a \`model\` but no \`preset\`.`, "Name the model in the command itself.")
      : undefined
  },
  {
    oneOf: [
      { required: ["command"] },
      { required: ["acp"] },
      { required: ["preset"] },
      { required: ["judge"] },
      { required: ["model"], not: { required: ["preset"] } }
    ],
    not: { required: ["key_env", "key_file"] },
    dependentRequired: { permissions: ["acp"], ...Object.fromEntries(modelKeys.map((key) => [key, ["model"]])) },
    dependentSchemas: Object.fromEntries(modelKeys.map((key) => [key, { not: { required: ["preset"] } }]))
  }
)

/** Where a model is asked. Whatever is in it is written into the log. */
const baseUrl = textLike("a URL", /^https?:\/\/[A-Za-z0-9._:[\]-]+(?:\/[^\s@?#]*)?$/, (value, name) => {
  const invalid = (message: string): Fault => ({
    code: "agent_url_invalid",
    message,
    hint: "Write the address alone, such as `http://127.0.0.1:11434/v1`; the key goes into `key_env` or `key_file`."
  })
  return /[@?#]/.test(value)
    ? invalid(`${name} has a user, a query or a fragment in it, which may be secret.`)
    : invalid(`${name} is no address that begins with http:// or https://.`)
})

const variableName = textLike("the name of an environment variable", /^[A-Za-z_][A-Za-z0-9_]*$/, (_, name) => ({
  code: "agent_key_env_invalid",
  message: `${name} is not the name of an environment variable.`,
  hint: "Write the name of the variable that holds the key, such as `OPENAI_API_KEY`, and never the key itself."
}))

export const Agent = mapping(
  {
    command: optional(text("a shell command"), {
      description: "Run with `sh -c` in the workspace; the prompt comes on standard input."
    }),
    acp: optional(text("a shell command"), {
      description:
        "Run with `sh -c` in the workspace; it speaks the Agent Client Protocol on standard input and output."
    }),
    permissions: optional(oneOf(permissionAnswers), {
      description:
        "What the agent is answered when it asks whether it may do something; `allow` when left out, `ask`: as a person answers. Who reviews or plans is allowed only what reads."
    }),
    preset: optional(oneOf(presets), { description: "The program." }),
    model: optional(text("the name of a model"), {
      description:
        "Of a preset: the model it is asked to use; its own default when left out. Alone: a model that is asked over HTTP, for plans, reviews and verifications."
    }),
    api: optional(oneOf(modelApis), {
      description: "How the model is asked: `openai` for chat completions, `anthropic` for the Messages API.",
      default: "openai"
    }),
    base_url: optional(baseUrl, {
      description: "Where the model is asked, without a path of the interface; that of the provider when left out.",
      examples: ["http://127.0.0.1:11434/v1"]
    }),
    key_env: optional(variableName, {
      description:
        "The environment variable that holds the key; without `base_url` that of the provider, `OPENAI_API_KEY` or `ANTHROPIC_API_KEY`."
    }),
    key_file: optional(text("the path of a file"), {
      description:
        "The file that holds the key, from the project, or from the home directory where it begins with `~/`."
    }),
    max_tokens: optional(wholeNumber(1, 10_000_000), {
      description: "Most tokens of an answer; left out, what the provider takes, and 8192 with `anthropic`."
    }),
    judge: optional(text("a shell command"), {
      description:
        "Run with `sh -c` in the workspace, as reviewer only. Exit code 0: PASS. 75: RETRY. Any other: REJECT, with the end of its output."
    })
  },
  "a `command`, an `acp`, a `preset`, a `judge` or a `model`",
  {
    synonyms: {
      command: ["cmd", "run", "shell"],
      acp: ["agent_client_protocol"],
      permissions: ["permission", "approval", "allow"],
      preset: ["kind", "type", "agent"],
      judge: ["check", "review", "reviewer", "judge_command"],
      api: ["provider", "protocol"],
      base_url: ["url", "endpoint", "baseUrl", "baseURL", "host"],
      key_env: ["env"],
      max_tokens: ["max_output_tokens", "max_completion_tokens"]
    },
    misplaced: Object.fromEntries(
      literalKeys.map((key) => [key, "Name where the key is with `key_env` or `key_file`."])
    )
  }
)
  .check(oneWay)
  .annotate({
    identifier: "agent",
    title: "Agent",
    description:
      "A shell command, an agent that speaks the Agent Client Protocol, a known program, a judge, or a model."
  })

export const AgentOrder = fullList(agentName, "names of agents", (name) => ({
  code: "agent_missing",
  message: `${name} is empty: nobody works.`,
  hint: "Name the agent that works, and behind it those that are asked in its place."
}))

export const agentOf = ({
  acp,
  api = "openai",
  base_url,
  command,
  judge,
  key_env,
  key_file,
  max_tokens,
  model,
  permissions,
  preset
}: typeof Agent.Type): ReadonlyArray<AgentDefinition> => {
  if (command !== undefined) return [{ command }]
  if (acp !== undefined) return [{ acp, ...(permissions === undefined ? {} : { permissions }) }]
  if (judge !== undefined) return [{ judge }]
  if (preset === undefined && model !== undefined)
    return [{ api, model: model.trim(), ...given({ base_url, key_env, key_file: key_file?.trim(), max_tokens }) }]
  return preset === undefined ? [] : [{ preset, model: model?.trim() ?? null }]
}
