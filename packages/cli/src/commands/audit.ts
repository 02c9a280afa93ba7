import { existsSync } from "node:fs"
import * as Path from "node:path"
import { gitHistory } from "@proofline/plugins/adapters/git-history"
import { layer as nodeDigest } from "@proofline/plugins/adapters/node-digest"
import { layer as nodeProjectFiles } from "@proofline/plugins/adapters/node-project-files"
import { layer as treeSitter } from "@proofline/plugins/adapters/tree-sitter"
import { ProjectFiles } from "@proofline/plugins/ports"
import { Effect, Layer } from "effect"
import { audited, listMaxBytes, type TaskList } from "../audit/audited.ts"
import { isForm, type Tool, toolOf, toolOfNamed } from "../audit/Box.ts"
import { makeLooks } from "../audit/looks.ts"
import { markdownBoxes } from "../audit/markdownBoxes.ts"
import { beadsBoxes, taskmasterBoxes } from "../audit/taskRecords.ts"
import type { auditFormats } from "../base/choices.ts"
import { formatOf } from "../base/format.ts"
import { statOf, textIn } from "../base/paths.ts"
import { exitCodes, stop } from "../base/problems.ts"
import { auditDocument } from "../documents/audit.ts"
import { print, printDocument, say } from "../process/output.ts"
import { existingProject } from "../project/files.ts"
import { withoutBase } from "../project/withoutBase.ts"
import { auditMarkdown, auditSarif, auditText } from "../render/audit.ts"
import { styleFor, wantsColor } from "../render/style.ts"

export interface AuditOptions {
  /** Lists, and directories with lists; all of the project when empty. */
  readonly paths: ReadonlyArray<string>
  readonly cwd?: string | undefined
  readonly format: (typeof auditFormats)[number] | undefined
  readonly json: boolean
}

/**
 * `proofline audit`: reads the task lists of other tools, and tells which boxes are ticked without evidence that holds.
 * No config, no model, and nothing is written.
 */
export const audit = Effect.fnUntraced(function* (options: AuditOptions) {
  const format = yield* formatOf(options, "text")
  const { root } = yield* existingProject(options)
  const world = Layer.mergeAll(nodeProjectFiles({ root }), nodeDigest, treeSitter({ languages: [] }), withoutBase)
  const found = yield* Effect.provide(Effect.scoped(auditOf(root, options.paths)), world)
  const { findings, lists, not_judged } = found
  if (format === "json") yield* printDocument(auditDocument, found)
  else if (format === "sarif") yield* print(`${JSON.stringify(auditSarif(findings), null, 2)}\n`)
  else if (format === "markdown") yield* print(auditMarkdown(found))
  else yield* print(auditText(found, styleFor(wantsColor(process.stdout))))
  if (format === "sarif") for (const { what, why } of not_judged) yield* say(`Not judged: ${what}. ${why}`)
  if (lists.length === 0 && format !== "json") yield* say("There is no task list with boxes here.")
  return findings.length === 0 ? exitCodes.proven : exitCodes.unmet
})

const auditOf = Effect.fnUntraced(function* (root: string, named: ReadonlyArray<string>) {
  const projectFiles = yield* ProjectFiles
  const history = yield* gitHistory(root).pipe(
    Effect.catchTag("GitFailed", ({ message }) =>
      stop(exitCodes.usage, {
        code: "git_unreadable",
        message: `The history of ${root} cannot be read: ${message}`,
        hint: "Look whether `git log --raw -M` works there."
      })
    )
  )
  const paths = yield* projectFiles.paths
  const wanted = yield* wantedOf(root, paths, named)
  const { left, lists } = listsOf(root, wanted)
  const files = new Set(
    history === null
      ? paths
      : [...history.tracked, ...history.untracked].filter(
          (path) => !history.changed.has(path) || existsSync(Path.join(root, path))
        )
  )
  const looks = yield* makeLooks
  const result = yield* audited(root, lists, history, looks, files).pipe(
    Effect.catchTag("GitFailed", ({ message }) =>
      stop(exitCodes.usage, {
        code: "git_unreadable",
        message: `Git did not answer: ${message}`,
        hint: "Look whether git works there."
      })
    )
  )
  return {
    lists: result.lists,
    findings: result.findings,
    not_judged: [...result.notJudged, ...left]
  }
})

interface Wanted {
  readonly path: string
  readonly tool: Tool
}

/** Lists that were named, in directories that were named, or all. */
const wantedOf = Effect.fnUntraced(function* (
  root: string,
  paths: ReadonlyArray<string>,
  named: ReadonlyArray<string>
): Effect.fn.Return<ReadonlyArray<Wanted>, ReturnType<typeof stop>> {
  const all = [...paths, ...besideGit.filter((path) => existsSync(Path.join(root, path)))]
  if (named.length === 0) return known([...new Set(all)].filter((path) => !isForm(path)))
  const found: Array<Wanted> = []
  for (const one of named) {
    const file = Path.resolve(root, one)
    const path = Path.relative(root, file).split(Path.sep).join("/")
    const kind = statOf(file)
    if (kind === undefined || path.startsWith("..") || Path.isAbsolute(path))
      return yield* stop(exitCodes.usage, {
        code: "list_missing",
        message: `There is no file or directory ${one} in ${root}.`,
        hint: "Name lists, or directories with lists, of the project; --cwd names another project."
      })
    if (kind.isDirectory()) {
      const inside = all.filter((other) => path === "" || other.startsWith(`${path}/`))
      found.push(...known(inside))
      continue
    }
    const tool = toolOfNamed(path)
    if (tool === null)
      return yield* stop(exitCodes.usage, {
        code: "list_unknown",
        message: `${one} is no task list that is known: neither Markdown, nor a tasks.json, nor an export of Beads (.jsonl).`,
        hint: "Name a Markdown file with boxes, .taskmaster/tasks/tasks.json or .beads/issues.jsonl."
      })
    found.push({ path, tool })
  }
  return [...new Map(found.map((one) => [one.path, one])).values()]
})

/** Lists of tools that people let git ignore. */
const besideGit = [".taskmaster/tasks/tasks.json", ".beads/issues.jsonl"]

const known = (paths: ReadonlyArray<string>): ReadonlyArray<Wanted> =>
  paths.toSorted().flatMap((path) => {
    const tool = toolOf(path)
    return tool === null ? [] : [{ path, tool }]
  })

/** The lists that hold boxes, and why some files were not read. */
const listsOf = (root: string, wanted: ReadonlyArray<Wanted>) => {
  const lists: Array<TaskList> = []
  const left: Array<{ readonly what: string; readonly why: string }> = []
  for (const { path, tool } of wanted) {
    const text = textIn(Path.join(root, path))
    if (text === null) continue
    if (text.length > listMaxBytes) {
      left.push({ what: path, why: "It is larger than 5 MiB." })
      continue
    }
    const read = readers[tool] ?? markdownBoxes
    const boxes = read(text)
    if (boxes === null) left.push({ what: path, why: "It is not what such a file holds, or cannot be read as JSON." })
    else if (boxes.length > 0) lists.push({ file: path, tool, boxes, read })
  }
  return { lists, left }
}

const readers: { readonly [K in Tool]?: TaskList["read"] } = { taskmaster: taskmasterBoxes, beads: beadsBoxes }
