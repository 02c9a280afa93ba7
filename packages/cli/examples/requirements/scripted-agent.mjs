/**
 * A scripted agent: there is no model in it. It plans tasks, works on them and says whether a requirement is met, and in
 * each of the three it does what coding agents do: its first plan leaves a requirement out, it reports a stub as done,
 * two of its tasks are not quite right, and it finds everything met. So the example shows the same on every machine,
 * offline and in seconds.
 *
 * Proofline starts it like any other agent (`--agent command`), in the role that PROOFLINE_ROLE names. What is missing,
 * what was done before and what was refused it takes from the prompt: it remembers nothing and counts nothing, so a run
 * that was killed and resumed goes as it would have gone. Doing an attempt twice leaves the same files.
 */
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { text } from "node:stream/consumers"

const { PROOFLINE_ROLE: role, PROOFLINE_TASK_ID: task, PROOFLINE_REPORT_FILE: reportFile } = process.env
const root = process.env.PROOFLINE_ROOT ?? process.cwd()

const say = (line) => process.stdout.write(`${line}\n`)

const giveUp = (why) => {
  process.stderr.write(`This scripted agent only knows its example: ${why}.\n`)
  process.exit(1)
}

// ── What the prompt says ─────────────────────────────────────────────────────────────────────────────────────────────

const prompt = process.stdin.isTTY ? "" : await text(process.stdin)

/** The text below the heading that begins so, up to the next one. */
const section = (heading) => prompt.split(/^(?=## )/m).find((part) => part.startsWith(`## ${heading}`)) ?? ""

/** The ids in the line that begins so. */
const idsAfter = (words) => prompt.match(new RegExp(`^${words}[^:]*: (.+)\\.$`, "m"))?.[1].split(", ") ?? []

// ── What it knows of the project: for each requirement a file, and what can be shown in it ──────────────────────────────

const parts = {
  list: {
    title: "Read lists",
    file: "src/list.js",
    instruction: "Finish parseAmount() and parseList() in src/list.js. test/list.test.js is the specification.",
    items: [
      { item: "`parseAmount()` reads amounts", shows: "parseAmount", covers: ["list.1"] },
      { item: "`parseList()` reads entries", shows: "parseList", covers: ["list.1"] },
      { item: "`parseList()` refuses what it cannot read", shows: "parseList", covers: ["list.2"] }
    ],
    needs: []
  },
  expiring: {
    title: "Find what has to be used up",
    file: "src/expiring.js",
    instruction:
      "Write expiring() in src/expiring.js with addDays() of src/dates.js. test/expiring.test.js is the specification.",
    items: [
      { item: "`expiring()` lists the most urgent first", shows: "expiring", covers: ["expiring.1"] },
      { item: "`expiring()` counts the last day", shows: "expiring", covers: ["expiring.2"] }
    ],
    needs: ["list"]
  },
  shopping: {
    title: "Find what is to be bought",
    file: "src/shopping.js",
    instruction: "Write missing() in src/shopping.js. test/shopping.test.js is the specification.",
    items: [
      { item: "`missing()` gives what the stock lacks", shows: "missing", covers: ["shopping.1"] },
      { item: "`missing()` adds up what lies in several places", shows: "missing", covers: ["shopping.2"] }
    ],
    needs: ["list"]
  },
  cli: {
    title: "Print both",
    file: "src/cli.js",
    instruction: "Write src/cli.js with what the other modules give. test/cli.test.js is the specification.",
    items: [{ item: "`summary()` tells both", shows: "summary", covers: ["cli.1"] }],
    needs: ["list", "expiring", "shopping"]
  }
}

/** The part that a task, criterion or requirement is about: `expiring-2`, `expiring.1` and `expiring` are all of one. */
const partOf = (id) => id.replace(/[-.]\d+$/, "")

// ── Role generate: a plan ────────────────────────────────────────────────────────────────────────────────────────────

const yamlList = (lines) => lines.map((line) => `      - ${line}`).join("\n")

const itemOf = ({ item, covers }) => `{ item: ${JSON.stringify(item)}, covers: [${covers.join(", ")}] }`

const taskOf = (id, { title, instruction }, covers, after, ...lists) =>
  [
    `  - id: ${id}`,
    `    name: ${title}`,
    `    covers: [${covers.join(", ")}]`,
    `    depends_on: [${after.join(", ")}]`,
    "    instruction: |",
    `      ${instruction}`,
    ...lists
  ].join("\n")

const checks = (name) => `    checks:\n${yamlList([`node --test test/${name}.test.js`])}`
const checklist = (items) => `    checklist:\n${yamlList(items.map(itemOf))}`

/**
 * At first it does not think of the shopping, and when it is told so, it promises more than it can show: no item of that
 * task is about what lies in several places. Only the first task has a check.
 */
const firstPlan = (wasTold) =>
  ["list", "expiring", ...(wasTold ? ["shopping"] : [])].map((name) => {
    const part = parts[name]
    const covers = part.items.flatMap((item) => item.covers)
    const items = name === "shopping" ? part.items.slice(0, 1) : part.items
    return taskOf(
      name,
      part,
      [...new Set(covers)],
      part.needs,
      ...(name === "list" ? [checks(name)] : []),
      checklist(items)
    )
  })

/** Then one task with a check for each part in which something is not met. It shows all of the part anew, for it edits it. */
const nextPlan = (iteration, unmet, completed) => {
  const names = [...new Set(unmet.map(partOf))]
  const idOf = (name) =>
    names.includes(name) ? `${name}-${iteration}` : completed.findLast((id) => partOf(id) === name)
  return names.map((name) => {
    const part = parts[name] ?? giveUp(`there is no requirement ${name} in it`)
    const covers = part.items.flatMap((item) => item.covers)
    const before = completed.filter((id) => partOf(id) === name)
    const after = [...new Set([...before, ...part.needs.map(idOf)])].filter((id) => id !== undefined)
    return taskOf(idOf(name), part, [...new Set(covers)], after, checks(name), checklist(part.items))
  })
}

const generate = () => {
  const iteration = Number(task.replace("iteration-", ""))
  const completed = [...section("Tasks that there were already").matchAll(/^- (\S+): .*\(completed\)/gm)].map(
    ([, id]) => id
  )
  const unmet = [...idsAfter("Must be covered by your tasks"), ...idsAfter("Should be covered too")]
  const wasTold = section("Your former answer").includes("No task covers")
  const tasks = iteration === 1 ? firstPlan(wasTold) : nextPlan(iteration, unmet, completed)
  say(`Scripted agent (no model). My plan, and words around it as agents like them:\n`)
  say(`\`\`\`yaml\ntasks:\n${tasks.join("\n")}\n\`\`\``)
}

// ── Role work: one attempt at a task ─────────────────────────────────────────────────────────────────────────────────

const solution = (name) => readFileSync(new URL(`solution/${name}`, import.meta.url), "utf8")
const project = (file) => (existsSync(join(root, file)) ? readFileSync(join(root, file), "utf8") : "")

/** A whole file or none, also when the process is killed right here. */
const write = (file, content) => {
  writeFileSync(join(root, `${file}.tmp`), content)
  renameSync(join(root, `${file}.tmp`), join(root, file))
  say(`Wrote ${file}.`)
}

/** The lines where an exported function stands, from 0, the last one included. */
const locate = (lines, name) => {
  const start = lines.findIndex((line) => line.startsWith(`export function ${name}(`))
  return { start, end: lines.indexOf("}", start) }
}

/** The text of another file in which one function is that of the first. */
const withFunction = (name, from, into) => {
  const [wanted, present] = [locate(from, name), locate(into, name)]
  return into.toSpliced(present.start, present.end - present.start + 1, ...from.slice(wanted.start, wanted.end + 1))
}

const edits = {
  // One of two functions, and both are reported: the other one is still the stub that was there.
  list: (wasRefused) => {
    const done = solution("list.js").split("\n")
    write(
      "src/list.js",
      (wasRefused ? done : withFunction("parseAmount", done, project("src/list.js").split("\n"))).join("\n")
    )
  },
  // Real code with true evidence. Only the tests know better, and the plan asks for none.
  expiring: () => write("src/expiring.js", solution("expiring.first-try.js")),
  shopping: () => write("src/shopping.js", solution("shopping.first-try.js"))
}

const work = () => {
  const part = parts[partOf(task)] ?? giveUp(`there is no task ${task} in it`)
  const name = partOf(task)
  const refusals = section("Attempt ").match(/^- [a-z]+_[a-z_]+\b.*/gm) ?? []
  say(`Scripted agent (no model), task ${task}.`)
  for (const line of refusals) say(`I was told: ${line.slice(2, 162)}`)
  const edit = edits[task] ?? (() => write(part.file, solution(`${name}.js`)))
  edit(refusals.some((line) => line.startsWith("- checklist_evidence_empty_impl")))
  const lines = project(part.file).split("\n")
  const wanted = section("Checklist")
  const report = part.items
    .filter(({ item }) => wanted.includes(item))
    .map(({ item, shows }) => {
      const { start, end } = locate(lines, shows)
      return { item, status: "done", evidence: `${part.file}:${start + 1}-${end + 1}` }
    })
  const summary = `${part.title}: done in ${part.file}`
  writeFileSync(reportFile, `${JSON.stringify({ summary, checklist: report }, null, 2)}\n`)
  say(`Reported ${report.length} items as done.`)
}

// ── Role verify: whatever it is asked about is met, of course ────────────────────────────────────────────────────────

const verify = () => {
  const status = { requirement_id: task, met: true, evidence: "Everything is done and works as required." }
  writeFileSync(reportFile, JSON.stringify({ all_requirements_met: true, requirement_status: [status] }))
  say(`Scripted agent (no model): ${task} is met, I have a good feeling.`)
}

const roles = { generate, work, verify }
if (!Object.hasOwn(roles, role ?? "") || !task || !reportFile) giveUp(`role ${role}, task ${task}`)
roles[role]()
