import { type Rejection, reject, tasksOf } from "@proofline/kernel"
import { HashSet } from "effect"
import { placesOf } from "../../../text/places.ts"
import { type Instructing, instructed, refusedAs } from "./instructions.ts"
import { phaseOf, phasesWith } from "./phase.ts"
import type { WriteTarget } from "./schemas.ts"
import type { PhasesState, State } from "./state.ts"

/** The path that an agent means: relative to the root, without line numbers; null: it is none of the project's. */
export const cleanPath = (text: string, root: string): string | null => {
  // the lines stand inside the quotes or behind them
  const bare = withoutLines(withoutQuotes(withoutLines(text.trim()))).replaceAll("\\", "/")
  const base = root.replaceAll("\\", "/").replace(/\/+$/, "")
  const relative = bare === base ? "" : bare.startsWith(`${base}/`) ? bare.slice(base.length + 1) : bare
  if (relative.startsWith("/") || bare === "") return null
  const parts: Array<string> = []
  for (const part of relative.split("/")) {
    if (part === "" || part === ".") continue
    if (part !== "..") parts.push(part)
    else if (parts.pop() === undefined) return null
  }
  return parts.join("/")
}

const withoutLines = (text: string): string => text.replace(/:\d+(?:-\d+)?$/, "")

const withoutQuotes = (text: string): string => text.replace(/^["'`](.*)["'`]$/, "$1")

const folderOf = (path: string): string => (path.includes("/") ? path.slice(0, path.lastIndexOf("/")) : "")

const isBelow = (path: string, folder: string): boolean => folder === "" || path.startsWith(`${folder}/`)

/** Why nothing can be a file at this place; null: something can. */
export const placeProblem = (
  { fault, kind, message, path }: WriteTarget,
  state: Instructing = noContract
): Rejection | null => {
  if (path === null || fault !== null) {
    const said = instructed(state, "outside_root_next")
    return reject(fault ?? "outside_root", message === "" ? instructed(state, "outside_root") : message, said)
  }
  return kind === "directory" || kind === "other" ? refusedAs(state, "not_a_file", { path }) : null
}

/** Where no run says in which words. */
const noContract: Instructing = { sessions: { phases: null } }

/** Whether a file may be written now: null, or why not. */
export const writeProblem = (
  state: State,
  phases: PhasesState,
  {
    allow_new_files,
    changed = null,
    file_path,
    target
  }: {
    readonly file_path: string
    readonly allow_new_files: boolean
    readonly changed?: boolean | null
    readonly target: WriteTarget
  }
): Rejection | null => {
  const { existing, fresh } = phases.setup.contract.write_targets
  const { kind, path } = target
  const misplaced = placeProblem(target, state)
  if (misplaced !== null || path === null) return misplaced
  if (phaseOf(phases, phases.phase)?.writes !== true) {
    const allowed = phasesWith(phases, ({ writes }) => writes)
    return refusedAs(state, "phase_cannot_write", { phase: phases.phase, phases: allowed.join(", ") })
  }
  if (changed === true && isLate(phases, path)) return refusedAs(state, "write_target_late", { path })
  if (kind === "file") {
    // a link is looked at under its own name, and leads to another
    const known = [path, cleanPath(file_path, state.run.root) ?? path]
    return existing === "any" || known.some((one) => HashSet.has(phases.explored, one) || isPlanned(state, one))
      ? null
      : refusedAs(state, "not_explored", { path }, { open: shown(phases) })
  }
  if (!allow_new_files || fresh === "none") return refusedAs(state, "new_file_not_allowed", { path })
  const isKnown =
    fresh === "any" || isPlanned(state, path) || [...phases.explored].some((known) => mayHold(known, path))
  return isKnown ? null : refusedAs(state, "new_file_not_planned", { path }, { open: shown(phases) })
}

/** The contract has files asked for before they are written, and this one never was. */
const isLate = ({ asked, setup }: PhasesState, path: string): boolean =>
  setup.contract.write_targets.required && !HashSet.has(asked, path)

/** A new file lies in the folder of a file that was looked at, below it, or in a folder that was looked at itself. */
const mayHold = (known: string, path: string): boolean => {
  // the project itself is no folder that anybody has looked at
  if (known === "") return false
  const folder = folderOf(known)
  return isBelow(path, known) || folderOf(path) === folder || (folder !== "" && isBelow(path, folder))
}

/** A task that is not withdrawn names the whole path. */
const isPlanned = (state: State, path: string): boolean =>
  tasksOf(state).some(
    ({ spec, status }) =>
      status !== "skipped" &&
      [spec.title, spec.instruction, ...spec.checklist.map(({ item }) => item)].some((text) => names(text, path))
  )

const names = (text: string, path: string): boolean => {
  for (const at of placesOf(text, path)) {
    const before = text.slice(Math.max(0, at - 3), at)
    const after = text.slice(at + path.length)
    const isWhole = /^(?:[^\p{L}\p{N}_\-./]|[.:](?:\s|$|\d)|$)/u.test(after)
    if (isWhole && /(?:^|[^\p{L}\p{N}_\-./])(?:\.\/)?$/u.test(before)) return true
  }
  return false
}

const shown = (phases: PhasesState): ReadonlyArray<string> => [...phases.explored].sort().slice(0, 20)
