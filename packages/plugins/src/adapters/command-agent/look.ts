import { accessSync, constants, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, join, resolve } from "node:path"
import type { AgentRole } from "@proofline/kernel"
import { Effect } from "effect"
import { spawn } from "../node-process/spawn.ts"
import { presets, type Support } from "./presets.ts"
import type { AgentSpec } from "./spec.ts"

/** An agent as it is found on this machine. Nothing was asked of it. */
export interface AgentFound {
  readonly name: string
  readonly kind: "preset" | "acp" | "command" | "judge"
  /** The command line that starts it. */
  readonly driven_by: string
  /** Where its program is; null: it was not found, or a shell command says nothing of it. */
  readonly path: string | null
  /** As its program says it; null: unknown. */
  readonly version: string | null
  readonly supports: ReadonlyArray<Support>
  /** What it can be asked for. */
  readonly roles: ReadonlyArray<AgentRole>
  /** Why it cannot be used; null: nothing is known to be wrong. */
  readonly problem: string | null
}

/** A client that reads all of its configuration first takes seconds. */
const VERSION_LIMIT_MS = 30_000
/** It is only asked for its version: there is nothing that it must bring to an end. */
const VERSION_GRACE_MS = 500

const programs: ReadonlySet<string> = new Set(Object.values(presets).map(({ program }) => program))

/** What can be had of an agent that is started like this. */
export const supportsOf = (spec: AgentSpec): ReadonlyArray<Support> => {
  if ("preset" in spec) return presets[spec.preset].supports
  if ("acp" in spec) return ["mcp", "steps", "permissions", "tokens", "resume"]
  return "judge" in spec ? [] : ["mcp", "tokens", "cost"]
}

const roles: ReadonlyArray<AgentRole> = ["work", "review", "analyze", "generate", "verify"]

/** What only judges is asked for nothing else. */
const rolesOf = (spec: AgentSpec): ReadonlyArray<AgentRole> => ("judge" in spec ? ["review"] : roles)

/** Looks for the program of an agent in `cwd`, and asks those that are known for their version, which they say within `limitMs`. */
export const look = (
  name: string,
  spec: AgentSpec,
  cwd: string,
  limitMs = VERSION_LIMIT_MS
): Effect.Effect<AgentFound> =>
  Effect.gen(function* () {
    const { command, kind } = startOf(spec)
    const program = programOf(command)
    const path = program === null ? null : pathOf(program, cwd)
    const found = { name, kind, driven_by: command, path, supports: supportsOf(spec), roles: rolesOf(spec) }
    if (program !== null && path === null) {
      return { ...found, version: null, problem: `There is no program \`${program}\` on PATH.` }
    }
    // any other program may take the flag for something else
    if (program === null || !programs.has(program)) return { ...found, version: null, problem: null }
    const version = yield* versionOf(program, limitMs)
    return {
      ...found,
      version,
      problem: version === null ? `\`${program} --version\` does not say a version.` : null
    }
  })

const startOf = (spec: AgentSpec): Pick<AgentFound, "kind"> & { readonly command: string } => {
  if ("acp" in spec) return { kind: "acp", command: spec.acp }
  if ("judge" in spec) return { kind: "judge", command: spec.judge }
  if ("command" in spec) return { kind: "command", command: spec.command }
  const line = presets[spec.preset].command({
    readOnly: false,
    mcp: null,
    model: spec.model ?? null,
    resume: null
  })
  return { kind: "preset", command: line.replace(/^exec /, "") }
}

/** The program that a shell command starts; null: only the shell knows. */
const programOf = (command: string): string | null => /^\s*([\w./@+-]+)(?=\s|$)/.exec(command)?.[1] ?? null

const isExecutable = (file: string): boolean => {
  try {
    accessSync(file, constants.X_OK)
    return statSync(file).isFile()
  } catch {
    return false
  }
}

/** The known agents whose program is on PATH; they are not asked for anything. */
export const installed = (cwd: string): ReadonlyArray<string> =>
  Object.entries(presets).flatMap(([name, { program }]) => (pathOf(program, cwd) === null ? [] : [name]))

/** Where the program is, found as a shell finds it; null: nowhere. */
export const pathOf = (program: string, cwd: string): string | null => {
  if (program.includes("/")) return isExecutable(resolve(cwd, program)) ? resolve(cwd, program) : null
  const directories = (process.env["PATH"] ?? "").split(delimiter).filter((directory) => directory !== "")
  return directories.map((directory) => join(directory, program)).find(isExecutable) ?? null
}

/** What a program says to `--version`; null: none that can be read, or not within `limitMs`. */
export const versionOf = (program: string, limitMs = VERSION_LIMIT_MS): Effect.Effect<string | null> =>
  spawn({ command: `exec ${program} --version`, cwd: tmpdir(), timeout_ms: limitMs, grace_ms: VERSION_GRACE_MS }).pipe(
    Effect.map(({ exit_code, stdout }) =>
      exit_code === 0 ? (/\d+\.\d+\.\d+[\w.+-]*/.exec(new TextDecoder().decode(stdout))?.[0] ?? null) : null
    ),
    Effect.catchTag("ProcessNotStarted", () => Effect.succeed(null))
  )
