import type { LineRange } from "../../../port/index.ts"
import { saidOf } from "../asked/said.ts"
import type { FileNow } from "./lineProof.ts"

/**
 * What stands in a configuration where something is to be run, and runs nothing: a job without steps, `run: true`, `RUN echo done`,
 * `"lint": "exit 0"`, a target of a Makefile without a recipe. Null: something is run, or the item asks for something of the kind.
 * `fresh`: rows of the file that are new. Pure.
 */
export const idleConfigIn = (
  item: string,
  { lines, path }: Pick<FileNow, "lines" | "path">,
  fresh: ReadonlyArray<number>,
  { end, start }: LineRange
): string | null => {
  const idle = formats.find(([name]) => name.test(path))?.[1]
  if (idle === undefined || !asking.test(saidOf(item)) || ofIdle.test(item)) return null
  const rows = fresh.filter((row) => row >= start - 1 && row < end)
  return rows.length === 0
    ? null
    : idle(
        lines.map((line) => line.replace(/\r?\n$/, "")),
        rows,
        fresh
      )
}

const asking =
  /^(?:add|build|check|configure|create|define|deploy|enable|implement|install|introduce|lint|make|provide|publish|run|set ?up|test|use|write)\b|を?(?:追加|作成|設定|実行|導入|用意)/i
const ofIdle =
  /\b(?:all|always|banner|conclusion|debug\w*|disabl\w*|display\w*|dummy|echo\w*|empty|fake|force|gate|green|hello|help|info|lists?|logs?|messages?|no-?op|nothing|outputs?|override\w*|pass|passes|phony|place-?holders?|prints?|printing|required|says?|show\w*|skeleton|skip\w*|stubs?|succeed\w*|success\w*|summary|template|usage|versions?|warn\w*)\b|無効|表示|出力|雛形/i

/** `rows`: those that are cited, of the new ones. */
type Idle = (lines: ReadonlyArray<string>, rows: ReadonlyArray<number>, fresh: ReadonlyArray<number>) => string | null

/** A command after the other, each of which does nothing that anybody could miss. */
const isIdle = (command: string): boolean => {
  const text = command
    .trim()
    .replace(/^(["'])(.*)\1$/s, "$2")
    .trim()
  return text !== "" && text.split(/&&|\|\||;|\n/).every((part) => idleCommand.test(part.trim()))
}
const idleCommand =
  /^@?-?(?:(?:\/(?:usr\/)?bin\/)?true|:|exit(?: 0)?|(?:echo|printf)(?: [^>|$`<&]*)?|sleep [\d.]+|set [-+]\w+)?$/

const shown = (line: string): string => line.trim().slice(0, 80)

// --- pipelines ----------------------------------------------------------------------------------------------------

const depthOf = (line: string): number => line.length - line.trimStart().length

/** What a key of YAML is given: on its line, or in the deeper ones below it. */
const valueAt = (lines: ReadonlyArray<string>, row: number): string => {
  const line = lines[row] ?? ""
  const said = line.replace(/^\s*(?:- +)?[\w-]+:\s*/, "").replace(/\s+#.*$/, "")
  if (said !== "" && !/^[|>][-+]?$/.test(said)) return said
  const depth = line.replace(/^(\s*)- /, "$1  ").search(/\S/)
  const below: Array<string> = []
  for (let at = row + 1; at < lines.length; at++) {
    const next = lines[at] ?? ""
    if (
      next.trim() !== "" &&
      depthOf(next) <= depth &&
      !(said === "" && /^\s*- /.test(next) && depthOf(next) === depth)
    )
      break
    if (next.trim() !== "" && !/^\s*#/.test(next)) below.push(next.trim().replace(/^- +/, ""))
  }
  return below.join("\n")
}

const actions: Idle = (lines, rows, fresh) => {
  const at = (form: RegExp, of: ReadonlyArray<number>) => of.filter((row) => form.test(lines[row] ?? ""))
  const jobs = at(/^\s+runs-on:/, fresh)
  const [off] = at(/^\s*if:\s*(?:false|\$\{\{\s*false\s*\}\})\s*$/, rows)
  if (off !== undefined && jobs.length === 1 && depthOf(lines[off] ?? "") === depthOf(lines[jobs[0] ?? 0] ?? ""))
    return shown(lines[off] ?? "")
  // what else is new in the file may be the other half of it
  const uses = at(/^\s*(?:- +)?uses:/, fresh)
  if (uses.some((row) => !/uses:\s*["']?actions\/(?:checkout|setup-\w+|cache)@/.test(lines[row] ?? ""))) return null
  const runs = at(/^\s*(?:- +)?run:/, fresh)
  const [run] = runs.filter((row) => rows.includes(row))
  if (runs.length > 0)
    return run !== undefined && runs.every((row) => isIdle(valueAt(lines, row))) ? shown(lines[run] ?? "") : null
  // a job whose steps are cited elsewhere is one all the same
  const job = jobs.find((row) => rows.includes(row))
  if (job === undefined || uses.length > 0) return null
  const depth = depthOf(lines[job] ?? "")
  const isIn = (step: number, end: number): boolean => {
    for (let at = job; at !== end; at += step)
      if ((lines[at] ?? "").trim() !== "" && depthOf(lines[at] ?? "") < depth) return false
      else if (/^\s*(?:- +)?(?:run|uses):/.test(lines[at] ?? "")) return true
    return false
  }
  return isIn(1, lines.length) || isIn(-1, -1) ? null : shown(lines[job] ?? "")
}

const gitlab: Idle = (lines, rows, fresh) => {
  if (fresh.some((row) => /^\s*(?:extends|include|trigger|image|services|<<):/.test(lines[row] ?? ""))) return null
  const scripts = fresh.filter((row) => /^\s*(?:before_|after_)?script:/.test(lines[row] ?? ""))
  return scripts.some((row) => rows.includes(row)) && scripts.every((row) => isIdle(valueAt(lines, row)))
    ? shown(valueAt(lines, scripts[0] ?? 0).split("\n")[0] ?? "")
    : null
}

// --- others -------------------------------------------------------------------------------------------------------

const docker: Idle = (lines, rows) => {
  const isNothing = (line: string): boolean => {
    const [, command] = /^\s*(?:RUN|(?:HEALTHCHECK\b.*?\s)?CMD)\s+(.+)$/i.exec(line) ?? []
    if (command === undefined || /\\$/.test(command)) return false
    const words = /^\[(.*)\]$/.exec(command.trim())?.[1]
    return isIdle(
      words === undefined
        ? command
        : words
            .replace(/["',]+/g, " ")
            .replace(/\s+/g, " ")
            .trim()
    )
  }
  return rows.every((row) => isNothing(lines[row] ?? "")) ? shown(lines[rows[0] ?? 0] ?? "") : null
}

const scripts: Idle = (lines, rows) => {
  const isNothing = (row: number): boolean => {
    const [, value] = /^\s*"[\w:.-]+":\s*("(?:[^"\\]|\\.)*"),?\s*$/.exec(lines[row] ?? "") ?? []
    const around = lines.slice(0, row).findLast((line) => /[{}],?\s*$/.test(line)) ?? ""
    if (value === undefined || !/"scripts"\s*:\s*\{\s*$/.test(around)) return false
    return isIdle(value.slice(1, -1).replaceAll('\\"', '"'))
  }
  return rows.every(isNothing) ? shown(lines[rows[0] ?? 0] ?? "") : null
}

const make: Idle = (lines, rows) => {
  const isNothing = (row: number): boolean => {
    const line = lines[row] ?? ""
    if (/^\.PHONY\b/.test(line)) return true
    if (line.startsWith("\t")) return isIdle(line)
    if (!/^[\w.-]+\s*:(?![=:])\s*(?:#.*)?$/.test(line)) return false
    const end = lines.findIndex((next, at) => at > row && !next.startsWith("\t"))
    return lines.slice(row + 1, end === -1 ? undefined : end).every((recipe) => recipe.trim() === "" || isIdle(recipe))
  }
  const target = rows.find((row) => !/^\.PHONY\b/.test(lines[row] ?? ""))
  return target !== undefined && rows.every(isNothing) ? shown(lines[target] ?? "") : null
}

const formats: ReadonlyArray<readonly [path: RegExp, idle: Idle]> = [
  [/(?:^|\/)\.github\/workflows\/[^/]+\.ya?ml$/, actions],
  [/(?:^|\/)\.gitlab-ci\.ya?ml$/, gitlab],
  [/(?:^|\/)(?:Dockerfile|Containerfile)(?:\.[\w-]+)?$|\.dockerfile$/i, docker],
  [/(?:^|\/)package\.json$/, scripts],
  [/(?:^|\/)(?:GNU)?[Mm]akefile$|\.mk$/, make]
]
