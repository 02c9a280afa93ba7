import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import * as Path from "node:path"
import { installed, pathOf } from "@proofline/plugins/adapters/command-agent"
import { Effect } from "effect"
import { asset } from "../assets.ts"
import { lookIn, type TestCommand, testCommandsOf } from "../detected/testCommands.ts"
import { initDocument } from "../documents/files.ts"
import { commandFor, print, printDocument } from "../output.ts"
import { type ProjectPaths, projectPaths } from "../paths.ts"
import { exitCodes, stop } from "../problems.ts"
import { oneLine } from "../render/style.ts"
import { importedTasks } from "./importedTasks.ts"

export interface InitOptions {
  readonly cwd?: string | undefined
  /** Language of what agents read: the phase contract and the planning guide. `en` when left out. */
  readonly lang?: "en" | "ja" | undefined
  /** Which of the built-in phase contracts; `default` when left out. */
  readonly contract?: "default" | "full" | undefined
  /** The list of another tool: its open tasks are written in the place of the example. */
  readonly from?: string | undefined
  readonly json: boolean
}

interface ProjectFile {
  /** From the project directory, `/` separated. */
  readonly path: string
  /** Where the file may stand as well: one that is there takes its place. */
  readonly elsewhere?: string
  readonly text: () => string
}

const template = (...path: ReadonlyArray<string>) => readFileSync(asset("templates", ...path), "utf8")

/** What was found of the project and the machine. */
interface Found {
  readonly agents: ReadonlyArray<string>
  readonly tests: ReadonlyArray<TestCommand>
}

const verifiersOf = ({ tests }: Found) =>
  `verifiers: [${tests.map(({ command }) => JSON.stringify(command)).join(", ")}]`

/** The settings with what was found in the place of the examples. */
const settingsWith = (found: Found): string => {
  const text = template("proofline.yaml")
  const withAgent = found.agents.length === 0 ? text : text.replace(/^# agent: .*$/m, "agent: auto")
  // a replacement as a text would take `$` for something else
  return found.tests.length === 0 ? withAgent : withAgent.replace(/^# verifiers: .*$/m, () => verifiersOf(found))
}

const filesOf = (
  { contract = "default", lang = "en" }: InitOptions,
  found: Found,
  tasks: string
): ReadonlyArray<ProjectFile> => {
  const folder = lang === "en" ? [] : [lang]
  return [
    { path: "proofline.yaml", text: () => settingsWith(found) },
    { path: tasksFile, text: () => tasks },
    { path: ".proofline/.gitignore", text: () => "state/\n" },
    {
      path: ".proofline/phase_contract.yml",
      elsewhere: ".code-intel/phase_contract.yml",
      text: () => template(...folder, contract === "default" ? "phase_contract.yml" : `phase_contract.${contract}.yml`)
    },
    {
      path: ".proofline/task_planning.md",
      elsewhere: ".code-intel/task_planning.md",
      text: () => template(...folder, "task_planning.md")
    }
  ]
}

const tasksFile = "tasks.yaml"

/** The tasks of the list that is named, where there is one; a tasks.yaml of the project would stand in their way. */
const tasksOf = Effect.fnUntraced(function* ({ from }: InitOptions, paths: ProjectPaths) {
  if (from === undefined) return template(tasksFile)
  if (existsSync(Path.join(paths.root, tasksFile))) {
    return yield* stop(exitCodes.usage, {
      code: "tasks_exist",
      message: `${tasksFile} exists already, and nothing was written.`,
      hint: "Rename it, and call the command again: what --from reads becomes a tasks.yaml of its own."
    })
  }
  return yield* importedTasks(from, paths)
})

/** `proofline init`: the files of a new project. What exists already is kept as it is. */
export const init = Effect.fnUntraced(function* (options: InitOptions) {
  const paths = projectPaths(options.cwd ?? ".")
  const { root } = paths
  const tasks = yield* tasksOf(options, paths)
  const found: Found = {
    agents: installed(root),
    tests: testCommandsOf(lookIn(root, (program) => pathOf(program, root) !== null))
  }
  const done = yield* Effect.forEach(filesOf(options, found, tasks), ({ elsewhere, path, text }) =>
    Effect.try({
      try: () => {
        // a new file would stand before the one the project has
        const existing = [path, elsewhere ?? path].find((candidate) => existsSync(Path.join(root, candidate))) ?? path
        return { path: existing, action: create(Path.join(root, existing), text()) }
      },
      catch: (cause) =>
        stop(exitCodes.unmet, {
          code: "file_unwritable",
          message: `${Path.join(root, path)} cannot be written: ${(cause as Error).message}.`,
          hint: "Make the directory writable, or name another one with --cwd."
        })
    })
  )
  yield* options.json ? printDocument(initDocument, { files: done, found }) : print(textOf(done, found, root))
  return exitCodes.proven
})

const textOf = (
  done: ReadonlyArray<{ readonly path: string; readonly action: "created" | "kept" }>,
  found: Found,
  root: string
): string => {
  const { agents, tests } = found
  const command = commandFor(projectPaths(root))
  const isKept = done.some(({ action, path }) => path === "proofline.yaml" && action === "kept")
  const settings = [...(agents.length > 0 ? ["agent: auto"] : []), ...(tests.length > 0 ? [verifiersOf(found)] : [])]
  return [
    ...done.map(({ action, path }) => `${action === "created" ? "created" : "kept   "} ${path}`),
    "",
    agents.length > 0
      ? `Agents on this machine: ${agents.join(", ")}.`
      : `No agent that Proofline knows is on PATH; \`${command("agents")}\` says which there are, and any command can be one.`,
    tests.length > 0
      ? `Tests: ${tests.map(({ command, from }) => `${command} (${oneLine(from, 80)})`).join(", ")}.`
      : "No command that runs the tests was found: name yours under `verifiers:` in proofline.yaml.",
    ...(settings.length === 0
      ? []
      : [`${isKept ? "proofline.yaml was kept; it could say" : "proofline.yaml says"}: ${settings.join("; ")}`]),
    "",
    "Next: edit tasks.yaml, then",
    `  ${command(`run tasks.yaml --agent ${agents.length > 0 ? "auto" : "claude"}`)}`,
    "or say what must hold in the end, and let tasks be made of it, with",
    `  ${command("sample requirements --out requirements.yaml")}`,
    "or let the agent you have open work under",
    `  ${command("mcp")}`,
    ""
  ].join("\n")
}

/** Written whole or not at all; an existing file is never touched. */
const create = (file: string, text: string): "created" | "kept" => {
  if (existsSync(file)) return "kept"
  mkdirSync(Path.dirname(file), { recursive: true })
  const part = `${file}.${process.pid}.part`
  writeFileSync(part, text, { flag: "wx" })
  renameSync(part, file)
  return "created"
}
