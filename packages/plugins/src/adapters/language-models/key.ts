import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs"
import { homedir } from "node:os"
import { join, resolve } from "node:path"
import { Effect, Redacted } from "effect"
import { type ModelSpec, providers } from "./spec.ts"

/** Bytes; what is longer is some other file. */
const maxKeyBytes = 4_096

/** Why there is no key. Trying again cannot help. */
export interface KeyFault {
  readonly _tag: "KeyFault"
  readonly code:
    | "agent_key_unset"
    | "agent_key_file_missing"
    | "agent_key_file_empty"
    | "agent_key_file_too_large"
    | "agent_key_invalid"
  readonly message: string
}

export interface KeyPlace {
  /** The project directory. */
  readonly root: string
  readonly env: Readonly<Record<string, string | undefined>>
}

/** The key of a model, read anew for each call; null: it is asked without one. */
export const keyOf = (
  agent: string,
  spec: ModelSpec,
  { env, root }: KeyPlace
): Effect.Effect<Redacted.Redacted | null, KeyFault> =>
  Effect.suspend(() => {
    if (spec.key_file !== undefined) return fromFile(agent, spec.key_file, root)
    const name = spec.key_env ?? (spec.base_url === undefined ? providers[spec.api].key_env : null)
    if (name === null) return Effect.succeed(null)
    const key = env[name]?.trim() ?? ""
    return key === ""
      ? fault(
          "agent_key_unset",
          `The key of agent "${agent}" is to be in the environment variable ${name}, which is not set.`
        )
      : checked(agent, key, `the environment variable ${name}`)
  })

const fromFile = (agent: string, named: string, root: string): Effect.Effect<Redacted.Redacted | null, KeyFault> => {
  const file = named.startsWith("~/") ? join(homedir(), named.slice(2)) : resolve(root, named)
  const of = `The key file of agent "${agent}", ${file},`
  const read = bytesOf(file)
  if (read === "too_large")
    return fault("agent_key_file_too_large", `${of} is larger than ${maxKeyBytes} bytes: it holds something else.`)
  if ("missing" in read) return fault("agent_key_file_missing", `${of} cannot be read: ${read.missing}.`)
  const key = read.text.trim()
  return key === "" ? fault("agent_key_file_empty", `${of} is empty.`) : checked(agent, key, file)
}

const bytesOf = (file: string): "too_large" | { readonly missing: string } | { readonly text: string } => {
  try {
    // nobody may ever write into a pipe
    const opened = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK)
    try {
      if (!fstatSync(opened).isFile()) return { missing: "it is no file" }
      const buffer = Buffer.alloc(maxKeyBytes + 1)
      const length = readSync(opened, buffer)
      return length > maxKeyBytes ? "too_large" : { text: buffer.toString("utf8", 0, length) }
    } finally {
      closeSync(opened)
    }
  } catch (cause) {
    return { missing: (cause as NodeJS.ErrnoException).code ?? "it is not there" }
  }
}

/** It becomes a header, which holds nothing else. */
const checked = (agent: string, key: string, where: string): Effect.Effect<Redacted.Redacted, KeyFault> =>
  /^[\x21-\x7e]+$/.test(key)
    ? Effect.succeed(Redacted.make(key))
    : fault(
        "agent_key_invalid",
        `What ${where} holds for agent "${agent}" is no key: it has blanks, line ends or other characters that no key has.`
      )

const fault = (code: KeyFault["code"], message: string): Effect.Effect<never, KeyFault> =>
  Effect.fail({ _tag: "KeyFault", code, message })
