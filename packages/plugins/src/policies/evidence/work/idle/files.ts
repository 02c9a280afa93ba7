import { commandsIn, isIdle } from "./commands.ts"
import { cannotFail, makesNothing, neverRuns, type Rows, runsNothing, type Unit } from "./units.ts"
import { allOf, type Entry, textsOf, wordsOf } from "./yaml.ts"

const plain = { isOther: false, off: null, lost: null } as const

// --- scripts and recipes ------------------------------------------------------------------------------------------

/** Those of `package.json` and the like, a line each. */
export const scriptUnits = (lines: ReadonlyArray<string>): ReadonlyArray<Unit> =>
  lines.flatMap((line, row) => {
    const around = lines.slice(0, row).findLast((one) => /[{}],?\s*$/.test(one)) ?? ""
    const within = /"(?:scripts|tasks)"\s*:\s*\{(.*)\}/.exec(line)?.[1]
    const said = within ?? (/"(?:scripts|tasks)"\s*:\s*\{\s*$/.test(around) ? line : "")
    const rows: Rows = [row, row + 1]
    return [...said.matchAll(/"([\w:.-]+)"\s*:\s*"((?:[^"\\]|\\.)*)"/g)].map(([, name = "", script = ""]) => ({
      ...{ ...plain, rows, scope: rows, name, stops: false },
      script: script.trim() === "" ? `# "${name}": ""` : script.replace(/\\(.)/g, "$1")
    }))
  })

/** Recipes of Make and just: each of their lines is a script. `indented`: what a line of a recipe begins with. */
export const recipeUnits =
  (indented: RegExp) =>
  (lines: ReadonlyArray<string>): ReadonlyArray<Unit> =>
    lines.flatMap((line, row): ReadonlyArray<Unit> => {
      const [, name = "", needs = "", inline] =
        /^([\w./%-]+)(?:\s+[^:=]*)?\s*::?(?![=:])([^;#=]*)(?:;(.*))?(?:#.*)?$/.exec(line.slice(0, maxHead)) ?? []
      if (name === "" || name.startsWith(".")) return []
      const next = lines.findIndex((one, at) => at > row && one.trim() !== "" && !indented.test(one))
      const end = next === -1 ? lines.length : next
      const scope: Rows = [row, end]
      const recipe = lines
        .slice(row + 1, end)
        .flatMap(
          (one, at): ReadonlyArray<readonly [string, number]> => (one.trim() === "" ? [] : [[one.trim(), row + 1 + at]])
        )
      const all = inline === undefined ? recipe : [[inline.trim(), row] as const, ...recipe]
      const needed =
        needs.trim() === "" ? [] : [{ ...plain, isOther: true, script: needs.trim(), rows: [row, row + 1] as const }]
      const units = all.map(([script, at]) => ({ ...plain, script, rows: [at, at + 1] as const }))
      const found = [...needed, ...units]
      const whole = found.length > 0 ? found : [{ ...plain, script: `# ${line.trim()}`, rows: [row, row + 1] as const }]
      return whole.map((one) => ({ ...one, scope, name, stops: false }))
    })

/** Longer lines are no head of a recipe. */
const maxHead = 300

/** What stands below `commands` of tox. */
export const toxUnits = (lines: ReadonlyArray<string>): ReadonlyArray<Unit> =>
  lines.flatMap((line, row): ReadonlyArray<Unit> => {
    const said = /^commands\s*=\s*(.*)$/.exec(line)?.[1]
    if (said === undefined) return []
    const next = lines.findIndex((one, at) => at > row && !/^\s/.test(one))
    const end = next === -1 ? lines.length : next
    const begin = Math.max(
      0,
      lines.slice(0, row).findLastIndex((one) => one.startsWith("["))
    )
    const lost = lines.slice(begin, end).find((one) => /^ignore_outcome\s*=\s*true/i.test(one)) ?? null
    const script = [said, ...lines.slice(row + 1, end)].map((one) => one.trim().replace(/^-\s+/, "-")).join("\n")
    return [{ ...plain, lost, rows: [row, end], scope: [begin, end], name: "", script: script.trim(), stops: true }]
  })

/** A hook, or another script for a shell. */
export const shellUnits = (lines: ReadonlyArray<string>): ReadonlyArray<Unit> => {
  const rows: Rows = [0, lines.length]
  return [{ ...plain, rows, scope: rows, name: "", script: lines.join("\n"), stops: true }]
}

/** What steps of Jenkins give to a shell. */
export const jenkinsUnits = (lines: ReadonlyArray<string>): ReadonlyArray<Unit> =>
  lines.flatMap((line, row): ReadonlyArray<Unit> => {
    const [, single, double] =
      /\b(?:sh|bat|pwsh|powershell)\b[\s(]*(?:script:\s*)?(?:'([^']+)'|"((?:[^"\\]|\\.)+)")/.exec(line) ?? []
    const script = single ?? double
    if (script === undefined || /\breturnStatus\b/.test(line)) return []
    const stage = lines.slice(0, row + 1).findLastIndex((one) => /\bstage\s*\(/.test(one))
    const scope: Rows = [Math.max(0, stage), row + 1]
    const off =
      lines.slice(scope[0], row + 1).find((one) => /\bexpression\s*\{\s*(?:return\s+)?false\s*\}/.test(one)) ?? null
    return [{ ...plain, off, rows: [row, row + 1], scope, name: "", script, stops: true }]
  })

// --- images -------------------------------------------------------------------------------------------------------

interface Instruction {
  readonly rows: Rows
  readonly word: string
  readonly said: string
}

const instructionsOf = (lines: ReadonlyArray<string>): ReadonlyArray<Instruction> => {
  const found: Array<Instruction> = []
  for (let row = 0; row < lines.length; row++) {
    const from = row
    const parts = [lines[row] ?? ""]
    while (/\\\s*$/.test(lines[row] ?? "") && row + 1 < lines.length) parts.push(lines[++row] ?? "")
    const [, word = "", said = ""] = /^\s*(\w+)\s+(.*)$/s.exec(parts.join("\n").replace(/\\\s*\n/g, " ")) ?? []
    if (word !== "") found.push({ rows: [from, row + 1], word: word.toUpperCase(), said: said.trim() })
  }
  return found
}

/** A command as an image is given it: words in brackets, or a text. */
const commandOf = (said: string): string => {
  const words = /^\[(.*)\]$/s.exec(said)?.[1]
  return words === undefined ? said : joined(wordsOf(words))
}

const joined = (words: ReadonlyArray<string>): string =>
  words.map((word) => (/\s/.test(word) ? `'${word}'` : word)).join(" ")

export const imageUnits = (lines: ReadonlyArray<string>): ReadonlyArray<Unit> =>
  instructionsOf(lines).flatMap(({ rows, said, word }) =>
    /^(?:RUN|CMD|ENTRYPOINT|HEALTHCHECK)$/.test(word)
      ? [
          {
            ...plain,
            rows,
            scope: rows,
            name: "",
            script: commandOf(said.replace(/^(?:--\S+\s+)*(?:CMD\s+)?/, "")),
            stops: false
          }
        ]
      : []
  )

/** Why a health check tells nothing; null: it may tell something. `command`: what it runs. */
const whyHealthy = (command: string): string | null => {
  if (isIdle(command)) return runsNothing(command)
  const all = commandsIn(command, false).filter(({ text }) => !isIdle(text))
  return all.length > 0 && all.every(({ fate }) => fate !== "counts") ? cannotFail(command) : null
}

/** Why the new health checks of an image tell nothing. */
export const imageHealth = (lines: ReadonlyArray<string>, rows: ReadonlyArray<number>): string | null => {
  const checks = instructionsOf(lines).filter(
    (one) => one.word === "HEALTHCHECK" && rows.some((row) => row >= one.rows[0] && row < one.rows[1])
  )
  return everyOne(
    checks.map(({ said }) => {
      const command = /^(?:--\S+\s+)*(?:CMD\s+(.*)|(NONE))$/is.exec(said) ?? []
      if (command[2] !== undefined) return neverRuns(`HEALTHCHECK ${said}`)
      return command[1] === undefined ? null : whyHealthy(commandOf(command[1]))
    })
  )
}

const everyOne = (reasons: ReadonlyArray<string | null>): string | null =>
  reasons.every((one) => one !== null) ? (reasons[0] ?? null) : null

/** The same of services of Compose, and of containers of Kubernetes. */
export const serviceHealth = (entries: ReadonlyArray<Entry>, rows: ReadonlyArray<number>): string | null => {
  const isCited = ({ end, row }: Entry) => rows.some((one) => one >= row && one < end)
  return everyOne(
    allOf(entries)
      .filter(isCited)
      .flatMap((entry) => {
        if (entry.key === "healthcheck") return [whyService(entry)]
        if (!/^(?:liveness|readiness|startup)Probe$/.test(entry.key ?? "")) return []
        const command = entry.children.find(({ key }) => key === "exec")?.children.find(({ key }) => key === "command")
        return [command === undefined ? null : whyHealthy(joined(textsOf(command)))]
      })
  )
}

const whyService = ({ children }: Entry): string | null => {
  if (children.some(({ key, value }) => key === "disable" && value === "true")) return neverRuns("disable: true")
  const test = children.find(({ key }) => key === "test")
  if (test === undefined) return null
  const [first = "", ...words] = textsOf(test)
  if (first === "NONE") return neverRuns("test: NONE")
  return whyHealthy(first === "CMD" ? joined(words) : first === "CMD-SHELL" ? words.join(" ") : first)
}

/** Why the new services of Compose and Kubernetes do nothing: they run nothing, are never started, or not once. */
export const serviceOff = (item: string, entries: ReadonlyArray<Entry>, rows: ReadonlyArray<number>): string | null => {
  const fresh = new Set(rows)
  const cited = allOf(entries).filter(({ row }) => fresh.has(row))
  const suspended = cited.find((one) => one.key === "suspend" && one.value === "true" && isOfCluster(entries))
  if (suspended !== undefined && !/\bmanual/i.test(item)) return neverRuns("suspend: true")
  const none = cited.find(({ key, value }) => /^(?:replicas|scale)$/.test(key ?? "") && value === "0")
  if (none !== undefined && started.test(item) && !/\bscal\w*|\bzero\b|\bdemand\b|\b0\b/i.test(item))
    return neverRuns(`${none.key}: 0`)
  const services = entries.find(({ key }) => key === "services")?.children ?? []
  const isCited = ({ end, row }: Entry) => rows.some((one) => one >= row && one < end)
  if (services.length === 0 || /\b(?:data|volumes?|init)\b/i.test(item)) return null
  return everyOne(
    services
      .filter((service) => isCited(service) && fresh.has(service.row))
      .map(({ children }) => {
        const command =
          children.find(({ key }) => key === "command") ?? children.find(({ key }) => key === "entrypoint")
        const said = command === undefined ? "" : joined(textsOf(command))
        return isIdle(said) ? runsNothing(said) : null
      })
  )
}

const isOfCluster = (entries: ReadonlyArray<Entry>): boolean => entries.some(({ key }) => key === "kind")
const started = /\b(?:deploy\w*|instances?|replicas?|runs?|running|starts?|workers?)\b/i

// --- what is made or switched on ----------------------------------------------------------------------------------

/** Why none of what is new in Terraform is ever made. */
export const terraformOff = (lines: ReadonlyArray<string>, rows: ReadonlyArray<number>): string | null => {
  const blocks = lines.flatMap((line, row) => {
    if (!/^(?:(?:resource|module|data|output)\s+"|locals\s*\{)/.test(line)) return []
    const next = lines.findIndex(
      (one, at) => at >= row && /^\}|\}\s*$/.test(one) && (at === row || one.startsWith("}"))
    )
    return [[row, next === -1 ? lines.length : next + 1] as const]
  })
  const cited = blocks.filter(([from, to]) => rows.some((row) => row >= from && row < to))
  const inBlock = (row: number) => blocks.some(([from, to]) => row >= from && row < to)
  if (rows.some((row) => !inBlock(row) && /\w/.test(lines[row] ?? ""))) return null
  return everyOne(
    cited.map(([from, to]) => {
      const off = lines.slice(from, to).find((line) => noneOf.test(line)) ?? hollowBlock(lines.slice(from, to))
      return off === undefined ? null : makesNothing(off)
    })
  )
}

/** A block that makes nothing without what it leaves out. */
const hollowBlock = (block: ReadonlyArray<string>): string | undefined => {
  const [, kind = "", said = ""] =
    /^(module|output|locals|resource "(?:null_resource|terraform_data)")[^{]*\{(.*)/s.exec(
      block.map((line) => line.replace(/(?:#|\/\/).*/, "")).join("\n")
    ) ?? []
  const isHollow =
    kind === "module"
      ? !/\bsource\s*=/.test(said)
      : kind === "output"
        ? !/\bvalue\s*=/.test(said)
        : kind !== "" && !/[=\w]/.test(said)
  return isHollow ? block[0] : undefined
}

const noneOf =
  /(?:^|\{)\s*(?:count\s*=\s*(?:0|false\s*\?\s*\S+\s*:\s*0|true\s*\?\s*0\s*:\s*\S+)|for_each\s*=\s*(?:\{\s*\}|\[\s*\]|to(?:set|map|list)\(\s*[[{]\s*[\]}]\s*\)))\s*(?:#.*|\/\/.*|\})?$/

/** Tasks of Ansible that are never carried out. */
export const ansibleOff = (entries: ReadonlyArray<Entry>, rows: ReadonlyArray<number>): string | null => {
  const tasks = allOf(entries).filter(
    ({ children, end, key, row }) =>
      key === null && children.some((one) => one.key === "name") && rows.some((at) => at >= row && at < end)
  )
  return everyOne(
    tasks.map(({ children }) => {
      const off = children.find((one) => one.key === "when" && /^(?:false|no|never)$/i.test(one.value))
      return off === undefined ? null : neverRuns(`when: ${off.value}`)
    })
  )
}

/** The new line of a build of Java by which tests do not run, or may fail. */
export const javaOff = (lines: ReadonlyArray<string>, rows: ReadonlyArray<number>): string | null => {
  const off = rows.map((row) => lines[row] ?? "")
  const skippedRow = rows.find((row) => {
    const line = lines[row] ?? ""
    return (
      /<(?:skipTests|maven\.test\.skip|skipITs)>\s*true\s*</.test(line) ||
      (mayBeOfTests.test(line) && isOfTests(lines, row))
    )
  })
  const skipped = skippedRow === undefined ? undefined : lines[skippedRow]
  if (skipped !== undefined) return neverRuns(skipped)
  const forgotten = off.find((line) =>
    /<testFailureIgnore>\s*true\s*<|^\s*(?:isI|i)gnoreFailures\s*=\s*true\s*$/.test(line)
  )
  return forgotten === undefined ? null : cannotFail(forgotten)
}

/** Other tasks and plug-ins are switched off in the same words. */
const mayBeOfTests = /<skip>\s*true\s*<|^\s*(?:isE|e)nabled\s*=\s*false\s*$|\bonlyIf\s*\{\s*false\s*\}/
const isOfTests = (lines: ReadonlyArray<string>, row: number): boolean => {
  const holder = lines.slice(0, row + 1).findLast((line) => /<artifactId>|\{\s*$|\{.*\}/.test(line)) ?? ""
  return /test|check|surefire|failsafe/i.test(holder)
}

/** What an item asks to enable, and is new and off: `cache: enabled: false`. */
export const leftOff = (item: string, lines: ReadonlyArray<string>, rows: ReadonlyArray<number>): string | null => {
  const asked = wordsIn(item)
  const switches = rows.flatMap((row) => {
    const line = lines[row] ?? ""
    const [, before = "", value = ""] =
      /^(.*?)(?:\b|_)enabled?["']?\s*[:=]\s*["']?(\w+)["']?/i.exec(line.slice(0, 400)) ?? []
    if (value === "") return []
    const depth = line.length - line.trimStart().length
    const around = lines
      .slice(0, row)
      .findLast((one) => /^\[/.test(one) || (one.trim() !== "" && one.length - one.trimStart().length < depth))
    const owner = [...wordsIn(before), ...wordsIn(/^[^:=]*/.exec(around ?? "")?.[0] ?? "")]
    return [{ line, isOff: /^(?:false|off|no|0)$/i.test(value), isAsked: owner.some((word) => asked.includes(word)) }]
  })
  const off = switches.find(({ isAsked, isOff }) => isAsked && isOff)
  return off !== undefined && switches.every(({ isOff }) => isOff) ? makesNothing(off.line) : null
}

const wordsIn = (text: string): ReadonlyArray<string> =>
  (
    text
      .replace(/(?<=[a-z\d])(?=[A-Z])/g, " ")
      .toLowerCase()
      .match(/[a-z]{3,}/g) ?? []
  ).map((word) => word.replace(/s$/, ""))
