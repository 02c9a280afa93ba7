import { truthOf } from "../../../../text/conditions.ts"
import type { Unit } from "./units.ts"
import { allOf, type Entry, textsOf } from "./yaml.ts"

/**
 * What pipelines, hooks and task runners that are written in YAML run. `isNew`: rows that the run wrote. `isByItself`: nobody is to start
 * it by hand. Pure.
 */
export const pipelineUnits = (
  entries: ReadonlyArray<Entry>,
  isNew: (row: number) => boolean,
  text: string,
  isByItself: boolean
): ReadonlyArray<Unit> => {
  const untriggered = triggerOff(entries, isNew, isByItself)
  const asked = new Set(Array.from(text.matchAll(/\bsteps\.([\w-]+)/g), ([, id = ""]) => id))
  const isTemplate = templatesIn(text)
  const offJobs = new Set(
    jobsOf(entries).flatMap((job) => (offIn(job, isNew, isTemplate).length > 0 && job.key !== null ? [job.key] : []))
  )
  const offOf = onceEach((one: Entry) => [...offIn(one, isNew, isTemplate), ...needsOff(one, offJobs)][0] ?? null)
  const lostOf = onceEach((one: Entry) => lostIn(one, isNew, asked)[0] ?? null)
  const labelOf = onceEach((one: Entry) => nameOf(one)[0] ?? null)
  const first = (around: ReadonlyArray<Entry>, of: (one: Entry) => string | null): string | null => {
    for (const one of around) if (of(one) !== null) return of(one)
    return null
  }
  return allOf(entries).flatMap((entry): ReadonlyArray<Unit> => {
    const around = ancestorsOf(entry)
    const [outermost = entry] = around.slice(-1)
    const found = {
      rows: [entry.row, entry.end] as const,
      scope: [scopeOf(around, outermost).row, scopeOf(around, outermost).end] as const
    }
    const name = first(around, labelOf) ?? ""
    const off = first(around, offOf) ?? untriggered
    const lost = first(around, lostOf)
    const unit = { ...found, name, off, lost, stops: true }
    if (isSettings(around)) return []
    if (commands.test(entry.key ?? "")) {
      const scripts = textsOf(entry)
      return scripts.length === 0 ? [] : [{ ...unit, script: scripts.join("\n"), isOther: false }]
    }
    const isStep = entry.key === null && /^[^{]/.test(entry.value) && entry.parent?.key === "steps"
    if (isStep || others.test(entry.key ?? "")) {
      const said = entry.value
      return setup.test(said) || said === "local" ? [] : [{ ...unit, script: said, isOther: true }]
    }
    return []
  })
}

/** Many stand in one mapping. */
const onceEach = <A>(of: (one: Entry) => A): ((one: Entry) => A) => {
  const known = new Map<Entry, A>()
  return (one) => {
    const before = known.get(one)
    if (before !== undefined) return before
    const found = of(one)
    known.set(one, found)
    return found
  }
}

const jobsOf = (entries: ReadonlyArray<Entry>): ReadonlyArray<Entry> =>
  entries.find(({ key }) => key === "jobs")?.children ?? []

/** A job that waits for one that never runs does not run either, unless it says so. */
const needsOff = ({ children }: Entry, off: ReadonlySet<string>): ReadonlyArray<string> =>
  children.some(({ key }) => key === "if")
    ? []
    : children.flatMap((one) =>
        one.key === "needs" ? textsOf(one).flatMap((name) => (off.has(name) ? [`needs: ${name}`] : [])) : []
      )

/** What a new workflow waits for, where that never comes, or is somebody who starts it; null: it is something else. */
const triggerOff = (
  entries: ReadonlyArray<Entry>,
  isNew: (row: number) => boolean,
  isByItself: boolean
): string | null => {
  const on = entries.find(({ key }) => key === "on")
  if (on === undefined || !isNew(on.row)) return null
  const names = [...textsOf(on), ...on.children.flatMap(({ key }) => key ?? [])]
  if (isByItself && names.length > 0 && names.every((name) => name === "workflow_dispatch"))
    return `on: ${names.join(", ")}`
  const never = on.children.map((trigger) =>
    allOf(trigger.children).find(
      (one) =>
        // a day that never comes
        (one.key === "cron" && /^\S+ +\S+ +(?:30|31) +(?:0?2|feb) +\S+$/i.test(one.value)) ||
        (/^(?:branches|paths)-ignore$/.test(one.key ?? "") && textsOf(one).some((name) => name === "**")) ||
        (one.key === "branches" && textsOf(one).join() === "!**")
    )
  )
  const [first] = never
  return first !== undefined && never.every((one) => one !== undefined)
    ? `${first.key}: ${textsOf(first).join(", ")}`
    : null
}

const commands = /^(?:run|(?:\w+_)?script|command|cmds?|bash|sh|pwsh|powershell|commands|entry)$/
/** What runs something else. */
const others = /^(?:uses|task|template|trigger|include|extends|plugins|repo|orbs|<<|image|services)$/
const setup = /^(?:actions\/(?:checkout|setup-[\w-]+|cache)@|checkout$|setup_remote_docker$|(?:Use|Node|Go)[A-Z]\w+@)/

/** Around it, from the inside. */
const ancestorsOf = (entry: Entry): ReadonlyArray<Entry> => {
  const found: Array<Entry> = []
  for (let at = entry.parent; at !== null && at.row >= 0; at = at.parent) found.push(at)
  return found
}

/** A job, or a step where there are only steps. */
const scopeOf = (around: ReadonlyArray<Entry>, outermost: Entry): Entry => {
  const inside = around.at(-2)
  return /^(?:jobs|steps|tasks|repos)$/.test(outermost.key ?? "") && inside !== undefined ? inside : outermost
}

const isSettings = (around: ReadonlyArray<Entry>): boolean =>
  around.some(({ key }) =>
    /^(?:env|with|vars|variables|matrix|defaults|inputs|outputs|environment|services)$/.test(key ?? "")
  )

const nameOf = ({ children, key }: Entry): ReadonlyArray<string> => {
  const label = children.find((one) => /^(?:name|label|displayName|id)$/.test(one.key ?? ""))?.value
  const own = key !== null && !/^(?:steps|run|jobs|cmds|script)$/.test(key) ? [key] : []
  return label === undefined ? own : [label]
}

const shown = ({ key, value }: Entry): string => `${key}: ${value}`.slice(0, 80)

/** The new line by which what stands there is never run. */
const offIn = (
  around: Entry,
  isNew: (row: number) => boolean,
  isTemplate: (entry: Entry) => boolean
): ReadonlyArray<string> => [
  ...around.children
    .filter((one) => isNew(one.row) && isOff(one))
    .map((one) => (one.key === "rules" ? "rules: - when: never" : shown(emptyMatrix(one) ?? one))),
  ...(isTemplate(around) && isNew(around.row) ? [`${around.key}:`] : [])
]

const isOff = (entry: Entry): boolean => {
  const { children, key, value } = entry
  switch (key) {
    case "if":
    case "condition":
      return value === "never()" || isNever(value)
    case "when":
      return value === "never" || isNever(value)
    case "skip":
    case "disabled":
      return value === "true"
    case "enabled":
      return value === "false"
    case "strategy":
    case "parallel":
      return emptyMatrix(entry) !== null
    // of pre-commit
    case "stages":
      return textsOf(entry).join() === "manual"
    case "exclude":
      return /^\^?\.\*\$?$/.test(value)
    case "files":
      return value === "^$"
    case "rules": {
      const isAlone = (rule: Entry): boolean => rule.children.every((one) => one.key === "when")
      const never = (rule: Entry): boolean => rule.children.some((one) => one.key === "when" && one.value === "never")
      const [first] = children
      return first !== undefined && (children.every(never) || (isAlone(first) && never(first)))
    }
    default:
      return false
  }
}

/** What a matrix is made of, where there is none of it: it makes no job. */
const emptyMatrix = ({ children }: Entry): Entry | null => {
  const matrix = children.find(({ key }) => key === "matrix")
  if (matrix === undefined || matrix.children.some(({ key }) => key === "include")) return null
  const parts = matrix.children.length === 0 ? [matrix] : matrix.children
  return (
    parts.find(
      ({ key, value }) =>
        key !== "exclude" && /^(?:\[\s*\]|\{\s*\}|\$\{\{\s*fromJSON\(\s*["']+\[\s*\]["']+\s*\)\s*\}\})$/i.test(value)
    ) ?? null
  )
}

/** A condition that holds for nothing: `false`, `${{ false }}`, `github.ref == 'x' && false`. */
const isNever = (condition: string): boolean =>
  truthOf(/^\$\{\{(.*)\}\}$/s.exec(condition.trim())?.[1] ?? condition, () => false) === false

/** Jobs of GitLab that are hidden by their names, and that nothing else in the file speaks of. */
const templatesIn = (text: string): ((entry: Entry) => boolean) => {
  const times = Map.groupBy(text.match(/\.[^\s"',[\]{}]+/g) ?? [], (word) => word.replace(/:$/, ""))
  const hasAnchors = /^\.[\w-]+:\s*&/m.test(text)
  return ({ children, key, parent }) =>
    !hasAnchors &&
    key?.startsWith(".") === true &&
    (parent?.row ?? -1) < 0 &&
    children.some((one) => one.key === "script") &&
    times.get(key)?.length === 1
}

/** The new line by which what it finds is thrown away. `asked`: the steps that something else asks about. */
const lostIn = (
  { children }: Entry,
  isNew: (row: number) => boolean,
  asked: ReadonlySet<string>
): ReadonlyArray<string> => {
  if (asked.has(children.find(({ key }) => key === "id")?.value ?? "")) return []
  return children
    .filter(
      ({ key, row, value }) =>
        isNew(row) && key !== null && /^(?:true|ignore|\$\{\{\s*true\s*\}\})$/.test(value) && mayFail.test(key)
    )
    .map(shown)
}

const mayFail = /^(?:continue-on-error|continueOnError|allow_failure|soft_fail|ignore_errors?|failure)$/
