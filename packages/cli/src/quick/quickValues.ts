/** What a shell completes that its script cannot know: of the project here, without the command line. */
import { existsSync } from "node:fs"
import * as Path from "node:path"
import { runOverviews } from "@proofline/plugins/adapters/sqlite-log/summary"
import { knownPrograms } from "../base/knownPrograms.ts"
import { pathsOf, textIn } from "../base/paths.ts"
import { quickFlags } from "./quickFlags.ts"

/** So many runs are offered, the newest first. */
const maxRuns = 20

/** One a line; `begun` is what stands there already. Nothing where nothing can be said at once. */
export const quickValues = ([of, begun = ""]: ReadonlyArray<string>): string => {
  if (quickFlags("status", [], {}) === null) return ""
  try {
    const values = of === "runs" ? runNames(begun) : of === "agents" ? agentNames() : []
    return values.map((value) => `${value}\n`).join("")
  } catch {
    // whoever completes is told by the command itself
    return ""
  }
}

const runNames = (begun: string): ReadonlyArray<string> => {
  const runs = runOverviews(pathsOf({}).database, () => {}).filter(({ parent_run_id }) => parent_run_id === null)
  const ids = runs
    .toSorted((a, b) => (a.started_at < b.started_at ? 1 : -1))
    .slice(0, maxRuns)
    .map(({ run_id }) => run_id)
  // its last part names a run as well, until somebody begins with the whole
  return begun.startsWith("run_") || ids.length === 0
    ? ids
    : ["last", ...ids.map((id) => id.slice(id.lastIndexOf("_") + 1))]
}

const agentNames = (): ReadonlyArray<string> => {
  const file = Path.join(pathsOf({}).root, "proofline.yaml")
  const folders = (process.env["PATH"] ?? "").split(Path.delimiter)
  const found = knownPrograms.filter((name) => folders.some((folder) => existsSync(Path.join(folder, name))))
  const configured = namesBelow("agents", textIn(file) ?? "")
  return [...new Set([...configured, ...found, "auto", "command"])]
}

/** The keys of a section, as people write them: a line each. */
const namesBelow = (section: string, text: string): ReadonlyArray<string> => {
  const [, lines = ""] =
    new RegExp(`^${section}:[ \\t]*(?:#.*)?\\r?\\n((?:[ \\t#].*\\r?\\n|\\r?\\n)*)`, "m").exec(`${text}\n`) ?? []
  const [, indent = ""] = /^([ \t]+)\S/m.exec(lines) ?? []
  return Array.from(lines.matchAll(/^([ \t]+)["']?([\w.-]+)["']?:/gm), ([, before, name = ""]) =>
    before === indent ? name : ""
  ).filter((name) => name !== "")
}
