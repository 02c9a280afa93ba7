import { existsSync, readFileSync } from "node:fs"
import * as Path from "node:path"
import { installed } from "@proofline/plugins/adapters/command-agent"
import { isFull, makeDirectoryNow } from "@proofline/plugins/log"
import { Effect } from "effect"
import { asset } from "../assets.ts"
import { type ProjectPaths, projectPaths } from "../base/paths.ts"
import { exitCodes, stop } from "../base/problems.ts"
import { freeSpace, writeWholeSync } from "../base/writeWhole.ts"
import { changesOfAgentFiles } from "../clients/agentFiles.ts"
import { actionOf, diffOf } from "../clients/changes.ts"
import { type Change, writeAll } from "../clients/files.ts"
import { fittedTasks } from "../detected/fittedTasks.ts"
import { projectAt } from "../detected/projectAt.ts"
import { type Look, type TestCommand, testCommandsBelow, testCommandsOf } from "../detected/testCommands.ts"
import { initDocument } from "../documents/files.ts"
import { importedTasks } from "../imported/importedTasks.ts"
import { isAgreedUpon, isTerminal } from "../process/agreed.ts"
import { anyAgent, commandFor, print, printDocument } from "../process/output.ts"
import { oneLine, plain } from "../render/style.ts"

export interface InitOptions {
  readonly cwd?: string | undefined
  /** Language of what agents read: the phase contract and the planning guide. `en` when left out. */
  readonly lang?: "en" | "ja" | undefined
  /** Which of the built-in phase contracts; `default` when left out. */
  readonly contract?: "default" | "full" | undefined
  /** The list of another tool: its open tasks are written in the place of the example. */
  readonly from?: string | undefined
  /** Writes into AGENTS.md, or takes out of it, without a question. */
  readonly yes: boolean
  /** Takes the lines for agents out again, and does nothing else. */
  readonly remove: boolean
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

/** Editors find the schemas in the package; where the project does not have it, that line would lead nowhere. */
const forEditors = (text: string, { has }: Look): string =>
  has("node_modules/proofline/schema") ? text : text.replace(/^# yaml-language-server: .*\n#\n/, "")

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
  project: Look,
  tasks: string
): ReadonlyArray<ProjectFile> => {
  const folder = lang === "en" ? [] : [lang]
  return [
    { path: "proofline.yaml", text: () => forEditors(settingsWith(found), project) },
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
const tasksOf = Effect.fnUntraced(function* (
  { from }: InitOptions,
  paths: ProjectPaths,
  project: Look,
  tests: ReadonlyArray<TestCommand>
) {
  if (from === undefined) return forEditors(fittedTasks(template(tasksFile), project, tests), project)
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
  if (options.remove) return yield* withoutBlocks(options, root)
  const project = projectAt(root)
  const tests = testCommandsOf(project)
  const tasks = yield* tasksOf(options, paths, project, tests)
  // what is wrong with them is said before anything is written
  const before = existsSync(root) ? yield* blocksFor(options, root) : null
  const found: Found = { agents: installed(root), tests }
  const done = yield* Effect.forEach(filesOf(options, found, project, tasks), ({ elsewhere, path, text }) =>
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
          hint: isFull(cause) ? freeSpace : "Make the directory writable, or name another one with --cwd."
        })
    })
  )
  const agent_files = yield* agreedTo(before ?? (yield* blocksFor(options, root)), options)
  yield* options.json
    ? printDocument(initDocument, { files: done, agent_files, found })
    : print(textOf(done, agent_files, found, project, root))
  return exitCodes.proven
})

/** What becomes of AGENTS.md and the like. Where nobody can agree to it, what is wrong with them is no reason to stop. */
const blocksFor = ({ json, yes }: InitOptions, root: string) =>
  changesOfAgentFiles(root, false).pipe(
    Effect.catchIf(
      () => !yes && (json || !isTerminal()),
      () => Effect.succeed([])
    )
  )

type AgentFile = (typeof initDocument.data.Type)["agent_files"][number]

/** Carries out what is agreed to, and shows it before. */
const agreedTo = Effect.fnUntraced(function* (all: ReadonlyArray<Change>, { json, remove, yes }: InitOptions) {
  const changes = all.filter(({ after, text }) => after !== text)
  const canAsk = !json && isTerminal()
  if (changes.length > 0 && !yes && canAsk) yield* print(plain(changes.map(diffOf).join("")))
  const question = remove ? "Take these lines out?" : "Write these lines for agents?"
  const isAgreed = changes.length > 0 && (yes || (canAsk && (yield* isAgreedUpon(question))))
  if (isAgreed) yield* writeAll(changes)
  return all.map(
    (change): AgentFile => ({
      path: change.path,
      action: actionOf(change),
      written: isAgreed && changes.includes(change)
    })
  )
})

/** `proofline init --remove`: the way back. */
const withoutBlocks = Effect.fnUntraced(function* (options: InitOptions, root: string) {
  const agent_files = yield* agreedTo(yield* changesOfAgentFiles(root, true), options)
  if (options.json) yield* printDocument(initDocument, { files: [], agent_files, found: { agents: [], tests: [] } })
  else {
    const lines = agent_files.flatMap((one) => lineOf(one) ?? [])
    yield* print(
      lines.length === 0
        ? "Nothing is to be done: no file for agents has lines of Proofline.\n"
        : `${lines.join("\n")}\n`
    )
  }
  return exitCodes.proven
})

const words = { create: "created", change: "changed", remove: "removed", unchanged: "kept   " } as const

/** What was done to a file for agents; null: nothing was to be done. */
const lineOf = ({ action, path, written }: AgentFile): string | null => {
  if (action === "unchanged") return null
  return written ? `${words[action]} ${path}` : `not yet ${path}: add --yes`
}

const textOf = (
  done: ReadonlyArray<{ readonly path: string; readonly action: "created" | "kept" }>,
  agentFiles: ReadonlyArray<AgentFile>,
  found: Found,
  project: Look,
  root: string
): string => {
  const { agents, tests } = found
  const below = tests.length > 0 ? [] : testCommandsBelow(project)
  const command = commandFor(projectPaths(root))
  const isKept = done.some(({ action, path }) => path === "proofline.yaml" && action === "kept")
  const settings = [...(agents.length > 0 ? ["agent: auto"] : []), ...(tests.length > 0 ? [verifiersOf(found)] : [])]
  return [
    ...done.map(({ action, path }) => `${action === "created" ? "created" : "kept   "} ${path}`),
    ...agentFiles.flatMap(({ action, path, written }) =>
      written || action === "unchanged" ? [`${words[action]} ${path}`] : []
    ),
    "",
    ...untold(agentFiles, command),
    agents.length > 0
      ? `Agents on this machine: ${agents.join(", ")}.`
      : `No agent that Proofline knows is on PATH; \`${command("agents")}\` says which there are, and any command can be one.`,
    tests.length > 0
      ? `Tests: ${tests.map(({ command, from }) => `${command} (${oneLine(from, 80)})`).join(", ")}.`
      : below.length > 0
        ? seenBelow(below)
        : "No command that runs the tests was found: name yours under `verifiers:` in proofline.yaml.",
    ...(settings.length === 0
      ? []
      : [`${isKept ? "proofline.yaml was kept; it could say" : "proofline.yaml says"}: ${settings.join("; ")}`]),
    "",
    "Next: edit tasks.yaml, then",
    `  ${command(`run tasks.yaml ${agents.length > 0 ? "--agent auto" : anyAgent}`)}`,
    "or say what must hold in the end, and let tasks be made of it, with",
    `  ${command("sample requirements --out requirements.yaml")}`,
    "or let the agent you have open work under",
    `  ${command("mcp")}`,
    ""
  ].join("\n")
}

/** Which of them are to be run is for the user to say. */
const seenBelow = (below: ReadonlyArray<TestCommand>): string => {
  const shown = below.slice(0, 5)
  const more = below.length > shown.length ? ` and ${below.length - shown.length} more` : ""
  const line = `verifiers: [${shown.map(({ command }) => JSON.stringify(oneLine(command, 80))).join(", ")}]`
  return `No command at the root runs the tests; tests were seen by ${shown.map(({ from }) => oneLine(from, 80)).join(", ")}${more}. To have them run, write into proofline.yaml those that matter of\n  ${line}`
}

/** That agents are not told of it so far. */
const untold = (agentFiles: ReadonlyArray<AgentFile>, command: (words: string) => string): ReadonlyArray<string> => {
  const left = agentFiles.filter(({ action, written }) => !written && action !== "unchanged").map(({ path }) => path)
  return left.length === 0
    ? []
    : [
        `Agents are not told of Proofline so far: \`${command("init --yes")}\` writes some lines into ${left.join(" and ")}.`
      ]
}

/** Written whole or not at all; an existing file is never touched. */
const create = (file: string, text: string): "created" | "kept" => {
  if (existsSync(file)) return "kept"
  makeDirectoryNow(Path.dirname(file))
  writeWholeSync(file, text)
  return "created"
}
