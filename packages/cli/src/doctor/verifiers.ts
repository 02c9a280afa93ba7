import { spawnSync } from "node:child_process"
import * as Path from "node:path"
import { keysIn, parseTasks } from "@proofline/plugins/adapters/project-files"
import { modulesOf, programsOf } from "@proofline/plugins/policies/execution"
import { Effect } from "effect"
import { answersWithinMs } from "../base/answersWithin.ts"
import { type ProjectPaths, textIn } from "../base/paths.ts"
import type { ProjectConfig } from "../project/files.ts"
import { oneLine } from "../render/style.ts"
import type { Finding } from "./Finding.ts"

/** Whether what the verifiers start is found, by the shell and the Python that will run them. */
export const lookAtVerifiers = (
  { verifiers }: ProjectConfig,
  { root }: ProjectPaths
): Effect.Effect<ReadonlyArray<Finding>> =>
  Effect.sync(() => {
    const missingIn = lookFor(verifiers, root, true)
    const place = placeIn(Path.join(root, "proofline.yaml"))
    return verifiers.flatMap((command) =>
      missingIn(command).map(
        ({ name, why }): Finding => ({
          code: "verifier_missing",
          severity: "error",
          message: `The verifier \`${oneLine(command, 120)}\` starts \`${name}\`, which ${why}: no work can pass it.`,
          place,
          fix: `Install ${name}, or write the command that verifies this project under \`verifiers\`.`
        })
      )
    )
  })

/** The same of the checks in tasks.yaml; a path may be what a task is to make. */
export const lookAtChecks = ({ root }: ProjectPaths): Effect.Effect<ReadonlyArray<Finding>> =>
  Effect.sync(() => {
    const file = Path.join(root, "tasks.yaml")
    const tasks = parseTasks(textIn(file) ?? "", "tasks.yaml").tasks
    const checks = (tasks?.tasks ?? []).flatMap(({ checklist, checks, id }) =>
      [...checks, ...checklist.flatMap(({ check }) => check ?? [])].map((command) => ({ command, id }))
    )
    const missingIn = lookFor(
      checks.map(({ command }) => command),
      root,
      false
    )
    return checks.flatMap(({ command, id }) =>
      missingIn(command).map(
        ({ name, why }): Finding => ({
          code: "check_missing",
          severity: "warning",
          message: `A check of the task ${oneLine(id, 80)}, \`${oneLine(command, 120)}\`, starts \`${name}\`, which ${why}: as things are nothing can pass it.`,
          place: "tasks.yaml",
          fix: `Install ${name}, or write another command under \`checks\`.`
        })
      )
    )
  })

/** What a command starts and is not there. */
interface Missing {
  readonly name: string
  /** After "which". */
  readonly why: string
}

/** What each of some commands starts and is not there. */
const lookFor = (
  commands: ReadonlyArray<string>,
  root: string,
  withPaths: boolean
): ((command: string) => ReadonlyArray<Missing>) => {
  const startedBy = (command: string) => programsOf(command).filter((program) => withPaths || !program.includes("/"))
  const unknown = unknownAmong([...new Set(commands.flatMap(startedBy))], root)
  const modules = commands.flatMap(modulesOf).filter(({ program }) => !unknown.has(program))
  const unknownModules = new Map(
    [...new Set(modules.map(({ program }) => program))].map((program) => {
      const ofIt = modules.filter((one) => one.program === program).map(({ module }) => module)
      return [program, printedBy(program, ["-c", moduleScript, ...new Set(ofIt)], root)] as const
    })
  )
  return (command) => [
    ...startedBy(command)
      .filter((program) => unknown.has(program))
      .map((name) => ({ name, why: name.includes("/") ? "is no program in the project" : "is not on PATH" })),
    ...modulesOf(command)
      .filter(({ module, program }) => unknownModules.get(program)?.has(module))
      .map(({ module, program }) => ({ name: module, why: `is no module that \`${program}\` has` }))
  ]
}

const placeIn = (file: string): string => {
  const line = keysIn(textIn(file) ?? "").get("verifiers")?.line
  return line === undefined ? "proofline.yaml" : `proofline.yaml:${line}`
}

/** Each that is none of its own words, no function, no builtin and on no path of it is printed. */
const script = 'for program in "$@"; do command -v "$program" >/dev/null 2>&1 || printf "%s\\n" "$program"; done'

/** Each module that is not found is printed; none of them is run. */
const moduleScript = "import sys, importlib.util as u\nfor m in sys.argv[1:]:\n if u.find_spec(m) is None: print(m)"

const unknownAmong = (programs: ReadonlyArray<string>, cwd: string): ReadonlySet<string> =>
  programs.length === 0 ? new Set() : printedBy("/bin/sh", ["-c", script, "sh", ...programs], cwd)

/** The lines that a program prints; none where it fails. */
const printedBy = (program: string, args: ReadonlyArray<string>, cwd: string): ReadonlySet<string> => {
  const { status, stdout } = spawnSync(program, args, {
    cwd,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
    timeout: answersWithinMs
  })
  return new Set(status === 0 ? stdout.split(/\r?\n/).filter((line) => line !== "") : [])
}
