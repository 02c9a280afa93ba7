import { spawn } from "node:child_process"
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import * as Path from "node:path"
import { makeRepository } from "@proofline/plugins/adapters/git-workspaces"
import { isFull, makeDirectoryNow } from "@proofline/plugins/log"
import { Effect } from "effect"
import { asset } from "../assets.ts"
import { projectPaths } from "../base/paths.ts"
import { exitCodes, stop } from "../base/problems.ts"
import { freeSpace } from "../base/writeWhole.ts"
import type { Handed } from "../process/handle.ts"
import { commandFor, say } from "../process/output.ts"
import { offVariable } from "../project/recentProjects.ts"
import type { ChunkFlags, RunFlags } from "../project/settings.ts"
import { latestRun } from "../reading/rows.ts"

export interface DemoOptions extends RunFlags {
  /** Which demo; `checklist` when nothing is said. */
  readonly demo?: string | undefined
  readonly dir?: string | undefined
  readonly json: boolean
}

interface In {
  readonly cwd: string
  readonly json: boolean
}

interface OfFile extends RunFlags, In {
  readonly file: string
  readonly dryRun: false
}

interface OfPrompt extends RunFlags, Pick<ChunkFlags, "workspace">, In {
  readonly prompt: string
  readonly check: ReadonlyArray<string>
  readonly item: ReadonlyArray<string>
  readonly plan: false
}

/** Commands that are shown. */
export interface DemoCommands {
  readonly chunk: Handed<OfPrompt>
  readonly history: Handed<In & { readonly show: string }>
  readonly report: Handed<In>
  readonly run: Handed<OfFile>
  readonly runRequirements: Handed<OfFile>
  readonly verify: Handed<In>
}

/** `proofline demo [name]`: a real project in a directory of its own, worked on by a scripted agent unless `--agent` says otherwise. */
export const demo = Effect.fnUntraced(function* (options: DemoOptions, commands: DemoCommands) {
  const name = options.demo ?? "checklist"
  if (name === "checklist") return yield* checklist(options, commands)
  if (name === "chunking") return yield* chunking(options, commands)
  if (name === "requirements") return yield* requirements(options, commands)
  if (name === "pull-mode") return yield* pullMode(options, commands)
  return yield* stop(exitCodes.usage, {
    code: "demo_unknown",
    message: `There is no demo "${name}".`,
    hint: "Known: checklist, an agent that claims more than it did; chunking, a large task that is split; requirements, tasks that are made until all is met; pull-mode, an agent that comes by itself. Without a name: checklist."
  })
})

/** Tasks with checklists, and an agent that cheats. */
const checklist = Effect.fnUntraced(function* (options: DemoOptions, { run }: DemoCommands) {
  const dir = yield* makeProject("demo", options.dir)
  // this demo works without git too; with it, `git diff` shows the agent's work
  yield* firstCommit(dir)
  yield* say(
    [
      `A small project with failing tests is in ${dir}.`,
      workedOnBy(options, "It cheats first, as agents do: watch what is refused."),
      ""
    ].join("\n")
  )
  const code = yield* run({
    ...options,
    ...scripted("demo", options),
    file: Path.join(dir, "tasks.yaml"),
    cwd: dir,
    dryRun: false
  })
  yield* say(`\nThe run as a page:       ${pageOf(dir)}\nWhat the agent changed:  git -C ${dir} diff`)
  return code
})

/** One large task that is split, done in parallel worktrees and put together. */
const chunking = Effect.fnUntraced(function* (options: DemoOptions, { chunk, verify }: DemoCommands) {
  const dir = yield* makeProject("chunking", options.dir)
  if (!(yield* firstCommit(dir))) {
    return yield* stop(exitCodes.usage, {
      code: "git_missing",
      message: `This demo works in git worktrees, and ${dir} could not be made a git repository.`,
      hint: "Install git, or see the other demo: proofline demo checklist."
    })
  }
  const prompt = readFileSync(asset("examples", "chunking", "prompt.md"), "utf8").trimEnd()
  yield* say(
    [
      `A small project with failing tests is in ${dir}. One large task is to be done in it:`,
      "",
      ...prompt.split("\n").map((line) => `  ${line}`.trimEnd()),
      "",
      workedOnBy(options, "One part it hands in unfinished, at another its process fails: watch what becomes of both."),
      ""
    ].join("\n")
  )
  const code = yield* chunk({
    ...options,
    ...scripted("chunking", options),
    prompt,
    cwd: dir,
    workspace: "worktree",
    check: ["node --test"],
    item: [],
    plan: false
  })
  const isShown = code === exitCodes.proven && !options.json
  if (isShown) yield* say("\nAnd again from the log and the files, as anybody can at any time:\n")
  const verified = isShown ? yield* verify({ cwd: dir, json: false }) : code
  const paths = projectPaths(dir)
  const tree = commandFor(paths)(`show ${yield* latestRun(paths)}`)
  yield* say(
    `\nThe run as a tree:       ${tree}\nThe run as a page:       ${pageOf(dir)}\nWhat the agent changed:  git -C ${dir} status --short`
  )
  return verified
})

/** Requirements that are met in a second iteration, by tasks that build on those of the first. */
const requirements = Effect.fnUntraced(function* (options: DemoOptions, { report, runRequirements }: DemoCommands) {
  const dir = yield* makeProject("requirements", options.dir)
  yield* firstCommit(dir)
  yield* say(
    [
      `A small project with failing tests is in ${dir}. What it must fulfil is in its pantry-requirements.yaml.`,
      workedOnBy(options, "It plans, works and judges, each of them badly at first: watch what becomes of it."),
      ""
    ].join("\n")
  )
  const code = yield* runRequirements({
    ...options,
    ...scripted("requirements", options),
    file: Path.join(dir, "pantry-requirements.yaml"),
    cwd: dir,
    dryRun: false
  })
  const isShown = code === exitCodes.proven && !options.json
  if (isShown) yield* say("\nAnd again from the log and the files, as anybody can at any time:\n")
  const shown = isShown ? yield* report({ cwd: dir, json: false }) : code
  const paths = projectPaths(dir)
  const command = commandFor(paths)
  const id = yield* latestRun(paths)
  yield* say(
    [
      `\nThe run as a page:       ${pageOf(dir)}`,
      `This as one file:        ${command(`show ${id} --format html --out pantry.html`)}`,
      `Every decision again:    ${command(`replay ${id}`)}`,
      `The tasks it made:       ${Path.join(dir, "generated")}`,
      `What the agent changed:  git -C ${dir} status --short`
    ].join("\n")
  )
  return shown
})

/** An agent that is open already asks what to do, over MCP; here it is a scripted client. */
const pullMode = Effect.fnUntraced(function* (options: DemoOptions, { history, verify }: DemoCommands) {
  if (!isScripted(options)) {
    return yield* stop(exitCodes.usage, {
      code: "demo_agent",
      message: "In pull mode nobody starts the agent: it comes by itself.",
      hint: `Copy ${asset("examples", "pull-mode", "project")}, and connect your agent there as \`proofline docs pull-mode\` says.`
    })
  }
  const dir = yield* makeProject("pull-mode", options.dir)
  yield* firstCommit(dir)
  yield* say(
    [
      `A small project is in ${dir}; \`node check.mjs\` says what it still needs.`,
      "A scripted client (no model) works on it over MCP. It cheats first, as agents do: watch what is refused.",
      ""
    ].join("\n")
  )
  const code = yield* scriptedClient(dir)
  const paths = projectPaths(dir)
  const run = yield* latestRun(paths)
  // it says itself why it did not come so far
  if (run === undefined) return exitCodes.unmet
  yield* history({ cwd: dir, show: run, json: options.json })
  const isShown = code === 0 && !options.json
  if (isShown) yield* say("\nAnd again from the log and the files, as anybody can at any time:\n")
  const verified = isShown ? yield* verify({ cwd: dir, json: false }) : exitCodes.proven
  yield* say(
    `\nThe run as a page:       ${pageOf(dir)}\nWhat the agent changed:  git -C ${dir} status --short\nThe same with yours:     proofline docs pull-mode`
  )
  return code === 0 ? verified : exitCodes.unmet
})

/** Its exit code. What it shows goes where all progress goes; it starts the server by itself, as any client does. */
const scriptedClient = (dir: string): Effect.Effect<number> =>
  Effect.callback((resume) => {
    const server = [process.execPath, asset("bin", "proofline.cjs"), "mcp"]
    const client = spawn(process.execPath, [asset("examples", "pull-mode", "client.mjs"), ...server], {
      cwd: dir,
      stdio: ["ignore", 2, 2]
    })
    client.on("error", () => resume(Effect.succeed(exitCodes.unmet)))
    client.on("close", (code) => resume(Effect.succeed(code ?? exitCodes.unmet)))
    return Effect.sync(() => client.kill())
  })

/** How it is looked at in a browser. */
const pageOf = (dir: string): string => commandFor(projectPaths(dir))("serve --open")

type Example = "demo" | "chunking" | "requirements" | "pull-mode"

const isScripted = ({ agent, agent_command }: DemoOptions): boolean =>
  agent === undefined && agent_command === undefined

const scripted = (example: Exclude<Example, "pull-mode">, options: DemoOptions) =>
  isScripted(options)
    ? {
        agent: "command",
        agent_command: `node '${asset("examples", example, "scripted-agent.mjs")}'`,
        reviewer: "none",
        retry_delay_ms: options.retry_delay_ms ?? 200
      }
    : {}

const workedOnBy = (options: DemoOptions, watch: string): string =>
  isScripted(options)
    ? `A scripted agent (no model) works on it. ${watch}`
    : `Agent ${options.agent ?? "command"} works on it.`

const makeProject = (example: Example, directory: string | undefined) =>
  Effect.try({
    try: () => {
      const dir =
        directory === undefined ? mkdtempSync(Path.join(tmpdir(), "proofline-demo-")) : Path.resolve(directory)
      if (existsSync(dir) && readdirSync(dir).length > 0) throw new Error(`${dir} is not empty`)
      makeDirectoryNow(dir)
      // one that is thrown away is no project that anybody looks for later
      if (directory === undefined) process.env[offVariable] = "1"
      try {
        cpSync(asset("examples", example, "project"), dir, { recursive: true })
        if (example === "demo") cpSync(asset("examples", example, "tasks.yaml"), Path.join(dir, "tasks.yaml"))
        writeFileSync(Path.join(dir, ".gitignore"), "node_modules/\n.proofline/state/\n")
      } catch (cause) {
        if (directory === undefined) rmSync(dir, { recursive: true, force: true })
        throw cause
      }
      return dir
    },
    catch: (cause) =>
      stop(exitCodes.usage, {
        code: "demo_directory",
        message: `The project of the demo could not be made: ${(cause as Error).message}.`,
        hint: isFull(cause) ? freeSpace : "Name an empty or new directory with --dir."
      })
  })

/** Makes the project a git repository. False: there is no git on this machine, or it refuses. */
const firstCommit = (dir: string): Effect.Effect<boolean> =>
  Effect.match(makeRepository(dir, "Add the project as it is before the agent"), {
    onSuccess: () => true,
    onFailure: () => false
  })
