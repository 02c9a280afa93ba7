import { type ChildProcess, spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import { afterwards, launcher, repository } from "./proofline.ts"

const program = fileURLToPath(new URL("../plugins/command-agent/acpAgent.ts", import.meta.url))

/** A project whose scripted agent asks a person for leave before it changes a file. */
export const asksForLeave = (): string =>
  repository({
    "tasks.yaml": "tasks: [{ id: edit, name: Edit, instruction: Change it., checklist: [Change a.txt] }]\n",
    "proofline.yaml": `agent: open\nagents:\n  open: { acp: "exec node --no-warnings ${program} task", permissions: ask }\n`
  })

/** The real program on a terminal of its own; `type` presses keys there, `seen` is all that was printed. */
export const onTerminal = (
  args: ReadonlyArray<string>,
  cwd: string
): { readonly child: ChildProcess; readonly seen: () => string; readonly type: (keys: string) => void } => {
  const { CI, NO_COLOR, ...env } = process.env
  const command = [process.execPath, launcher, ...args].map((word) => `'${word}'`).join(" ")
  const child = spawn("script", ["-qec", command, "/dev/null"], {
    cwd,
    env: { ...env, TERM: "xterm" },
    stdio: ["pipe", "pipe", "inherit"]
  })
  let seen = ""
  child.stdout.on("data", (chunk) => (seen += chunk))
  afterwards(() => child.kill("SIGKILL"))
  return { child, seen: () => seen, type: (keys) => void child.stdin.write(keys) }
}
