import {
  type AgentRequest,
  type AgentResult,
  Agents,
  type AnyCommand,
  type Snapshot,
  UnknownAgent
} from "@proofline/kernel"
import type { Given } from "@proofline/kernel/testing"
import { layer as digest } from "@proofline/plugins/adapters/node-digest"
import { execution } from "@proofline/plugins/policies/execution"
import {
  Baseline,
  type Before,
  BlobStore,
  CheckoutRefused,
  type CommandRequest,
  type CommandResult,
  CommandRunner,
  FileRefused,
  ProjectFiles,
  type ProjectReader,
  ScratchCheckouts,
  ScratchProjects,
  Syntax,
  type Workspace,
  WorkspaceRefused,
  Workspaces
} from "@proofline/plugins/ports"
import { Effect, Layer } from "effect"
import { carryOut } from "../carryOut.ts"
import { noChecks, noReports } from "../nowhere.ts"

/** Which throw-away directory was asked for. */
export interface Copy {
  readonly commit?: string
  readonly overlay?: boolean
  readonly at?: unknown
  readonly root?: string
}

/** What the world outside of the rules does. What is left out must not be asked for. */
export interface Memory {
  /** The project, by path; null: it cannot be read. */
  readonly files?: Readonly<Record<string, string>>
  /** HEAD of its repository. */
  readonly head?: string | null
  /** What there was when the run began. */
  readonly before?: Readonly<Record<string, Before>>
  /** Files that are not what they were, as far as they are looked for. */
  readonly changed?: ReadonlyArray<string>
  /** How a command ends in the project, or in a copy of it in which these files were written. */
  readonly command?: (
    request: CommandRequest,
    copy: (Copy & { readonly written: ReadonlyArray<string> }) | null
  ) => Partial<Omit<CommandResult, "output">> & { readonly output?: string }
  /** Why there is no such copy. */
  readonly refusedCopy?: (copy: Copy) => string | null
  /** Why nothing can be written to a copy. */
  readonly refusedWrite?: string
  /** What a grammar makes of a text whose lines are to fail; left out: no grammar knows the file. */
  readonly neutralised?: () => string | null
  /** The answers of an agent, one after the other; the last one stands for all that follow. */
  readonly answers?: ReadonlyArray<
    Partial<Omit<AgentResult, "stdout" | "stderr">> & { readonly stdout?: string; readonly stderr?: string }
  >
  /** Somebody has done what was to be done, and hands in what came of it. */
  readonly handsIn?: () => void
  /** Where a task works; left out: nobody can look at what is changed. */
  readonly workspace?: Partial<Workspace>
}

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)

/** The policy in a world that is held in memory, and what it has asked of it. */
export const inMemory = (memory: Memory) => {
  const requests: Array<AgentRequest & { readonly agent: string }> = []
  const blobs: Array<string> = []
  const commands: Array<CommandRequest> = []
  const copies: Array<Copy> = []
  const opened: Array<unknown> = []
  const made = new Map<string, Copy & { readonly written: Array<string> }>()

  const makeCopy = (copy: Copy) =>
    Effect.suspend(() => {
      const refused = memory.refusedCopy?.(copy) ?? null
      if (refused !== null) return Effect.fail(new CheckoutRefused({ message: refused }))
      copies.push(copy)
      const directory = `/copies/${copies.length}`
      const written: Array<string> = []
      made.set(directory, { ...copy, written })
      return Effect.succeed({
        directory,
        write: (path: string, text: string) =>
          memory.refusedWrite === undefined
            ? Effect.sync(() => void written.push(`${path}: ${text}`))
            : Effect.fail(new CheckoutRefused({ message: memory.refusedWrite }))
      })
    })

  /** A copy holds what the project does. */
  const textAt = (root: string, path: string) =>
    memory.files?.[root === "/project" || made.has(root) ? path : `${root}/${path}`]

  const projectAt = (root: string): ProjectReader =>
    ({
      root,
      at: projectAt,
      entryAt: (path) => Effect.succeed(textAt(root, path) === undefined ? ("missing" as const) : ("file" as const)),
      readText: (path) => {
        const text = textAt(root, path)
        return text === undefined
          ? Effect.fail(new FileRefused({ path, reason: "not_found", message: `There is no ${path}.` }))
          : Effect.succeed({ path, text, git_blob: null, git_commit: memory.head ?? null })
      }
    }) satisfies Partial<ProjectReader> as never

  const layer = Layer.mergeAll(
    digest,
    Layer.succeed(Agents, {
      names: ["command", "critic"],
      run: (agent, request) =>
        Effect.suspend(() => {
          requests.push({ ...request, agent })
          const answer = memory.answers?.[Math.min(requests.length, memory.answers.length) - 1]
          if (answer === undefined) return Effect.fail(new UnknownAgent({ agent, known: ["other"] }))
          const { stderr = "", steps = new Uint8Array(), stdout = "", ...more } = answer
          return Effect.succeed({
            outcome: "COMPLETE" as const,
            exit_code: 0,
            signal: null,
            duration_ms: 7,
            steps,
            answer: null,
            error: null,
            usage: null,
            ...more,
            stdout: bytesOf(stdout),
            stderr: bytesOf(stderr)
          })
        })
    }),
    Layer.mock(BlobStore, {
      put: (data) =>
        Effect.sync(() => {
          const text = typeof data === "string" ? data : new TextDecoder().decode(data)
          blobs.push(text)
          return { sha256: String(blobs.length).padStart(64, "0"), bytes: text.length }
        })
    }),
    Layer.mock(CommandRunner, {
      run: (request) =>
        Effect.sync(() => {
          commands.push(request)
          const { output = "", ...result } = memory.command?.(request, made.get(request.directory ?? "") ?? null) ?? {}
          return { exit_code: 0, signal: null, timed_out: false, duration_ms: 5, ...result, output: bytesOf(output) }
        })
    }),
    noReports,
    noChecks,
    Layer.mock(ScratchCheckouts, { make: makeCopy }),
    Layer.mock(ScratchProjects, { make: makeCopy }),
    Layer.succeed(ProjectFiles, projectAt("/project")),
    Layer.mock(Baseline, {
      before: (_, path) => Effect.succeed(memory.before?.[path] ?? { _tag: "absent" as const }),
      restore: (_, directory, paths = []) =>
        Effect.sync(() => {
          made.get(directory)?.written.push(...paths.map((path) => `${path}: as before`))
        }),
      came: () => Effect.succeed(null),
      changedIn: (_, __, isWanted) => Effect.succeed((memory.changed ?? []).filter(isWanted))
    }),
    Layer.mock(Syntax, {
      outline: () =>
        Effect.succeed(
          memory.neutralised === undefined
            ? null
            : ({ language: "TypeScript", neutralised: memory.neutralised } as never)
        )
    }),
    Layer.mock(Workspaces, {
      open: (spec) => {
        opened.push(spec)
        return memory.workspace === undefined
          ? Effect.fail(new WorkspaceRefused({ code: "workplace_no_repository", message: "There is no repository." }))
          : Effect.succeed({ directory: "/elsewhere", beside: (work) => work, ...memory.workspace } as Workspace)
      }
    })
  )
  const said: Array<AnyCommand> = []
  const plugin = Effect.runSync(Effect.provide(execution, layer))
  /** What an activity makes of a run as it is, or as it has become `now`, while the work was prepared. */
  const does = (activity: string, after: Snapshot, task_id = "task_1", attempt = 1, now?: Given) =>
    carryOut([plugin], activity, after, { task_id, attempt }, said, now, Effect.sync(memory.handsIn ?? (() => {})))
  return { plugin, does, requests, blobs, commands, copies, opened, said }
}
