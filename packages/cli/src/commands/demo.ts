import { execFileSync } from "node:child_process"
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import * as Path from "node:path"
import { Effect } from "effect"
import { asset } from "../assets.ts"
import { say } from "../output.ts"
import { exitCodes, stop } from "../problems.ts"
import type { RunFlags } from "../settings.ts"
import { run } from "./run.ts"

export interface DemoOptions extends RunFlags {
  readonly dir?: string | undefined
  readonly json: boolean
}

/** `proofline demo`: a real project in a directory of its own, worked on by a scripted agent unless `--agent` says otherwise. */
export const demo = Effect.fnUntraced(function* (options: DemoOptions) {
  const dir = yield* makeProject(options.dir)
  const scripted = options.agent === undefined && options.agentCommand === undefined
  yield* say(
    [
      `A small project with failing tests is in ${dir}.`,
      scripted
        ? "A scripted agent (no model) works on it. It cheats first, as agents do: watch what is refused."
        : `Agent ${options.agent ?? "command"} works on it.`,
      ""
    ].join("\n")
  )
  const agent = scripted
    ? {
        agent: "command",
        agentCommand: `node '${asset("examples", "demo", "scripted-agent.mjs")}'`,
        reviewer: "none",
        retryDelayMs: options.retryDelayMs ?? 200
      }
    : {}
  const code = yield* run({
    ...options,
    ...agent,
    file: Path.join(dir, "tasks.yaml"),
    cwd: dir,
    dryRun: false,
    chunk: false
  })
  yield* say(`\nWhat the agent changed:  git -C ${dir} diff`)
  return code
})

const makeProject = (wanted: string | undefined) =>
  Effect.try({
    try: () => {
      const dir = wanted === undefined ? mkdtempSync(Path.join(tmpdir(), "proofline-demo-")) : Path.resolve(wanted)
      if (existsSync(dir) && readdirSync(dir).length > 0) throw new Error(`${dir} is not empty`)
      mkdirSync(dir, { recursive: true })
      const source = asset("examples", "demo")
      cpSync(Path.join(source, "project"), dir, { recursive: true })
      cpSync(Path.join(source, "tasks.yaml"), Path.join(dir, "tasks.yaml"))
      writeFileSync(Path.join(dir, ".gitignore"), "node_modules/\n.proofline/state/\n")
      firstCommit(dir)
      return dir
    },
    catch: (cause) =>
      stop(exitCodes.usage, {
        code: "demo_directory",
        message: `The project of the demo could not be made: ${(cause as Error).message}.`,
        hint: "Name an empty or new directory with --dir."
      })
  })

/** The demo works without git too; with it, `git diff` shows the agent's work. */
const firstCommit = (dir: string): void => {
  const git = (...args: ReadonlyArray<string>) =>
    execFileSync(
      "git",
      ["-c", "user.name=Proofline demo", "-c", "user.email=demo@localhost", "-c", "commit.gpgsign=false", ...args],
      { cwd: dir, stdio: "ignore" }
    )
  try {
    git("init", "-q")
    git("add", "-A")
    git("commit", "-q", "-m", "Add the project as it is before the agent")
  } catch {
    // no git on this machine
  }
}
