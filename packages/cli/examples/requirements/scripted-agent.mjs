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
      { item: "`parseAmount()` reads amounts", shows: "export function parseAmount(", covers: ["reading.1"] },
      { item: "`parseList()` reads entries", shows: "export function parseList(", covers: ["reading.1"] },
      { item: "`parseList()` refuses what it cannot read", shows: "throw new ", covers: ["reading.2"] }
    ],
    needs: []
  },
  expiring: {
    title: "Find what has to be used up",
    file: "src/expiring.js",
    instruction:
      "Write expiring() in src/expiring.js with addDays() of src/dates.js. test/expiring.test.js is the specification.",
    items: [
      { item: "`expiring()` lists the most urgent first", shows: ".sort(", covers: ["expiry.1"] },
      { item: "`expiring()` counts the last day", shows: ".filter(", covers: ["expiry.2"] }
    ],
    needs: ["list"]
  },
  shopping: {
    title: "Find what is to be bought",
    file: "src/shopping.js",
    instruction: "Write missing() in src/shopping.js. test/shopping.test.js is the specification.",
    items: [
      { item: "`missing()` gives what the stock lacks", shows: "return there >= amount", covers: ["buying.1"] },
      { item: "`missing()` adds up what lies in several places", shows: ".reduce(", covers: ["buying.2"] }
    ],
    needs: ["list"]
  },
  cli: {
    title: "Print both",
    file: "src/cli.js",
    instruction: "Write src/cli.js with what the other modules give. test/cli.test.js is the specification.",
    items: [{ item: "`summary()` tells both", shows: "export function summary(", covers: ["printing.1"] }],
    needs: ["list", "expiring", "shopping"]
  }
}

const coversOf = ({ items }) => items.flatMap(({ covers }) => covers)

/** The part a task is about: `expiring` and `expiring-2` are of one. */
const partOf = (id) => id.replace(/-\d+$/, "")

/** The parts these criteria are about. */
const partsWith = (criteria) =>
  Object.keys(parts).filter((name) => coversOf(parts[name]).some((id) => criteria.includes(id)))

// ── Role generate: a plan ────────────────────────────────────────────────────────────────────────────────────────────

const yamlList = (lines) => lines.map((line) => `      - ${line}`).join("\n")

const itemOf = ({ item, covers }) => `{ item: ${JSON.stringify(item)}, covers: [${covers.join(", ")}] }`

const taskOf = (id, { title, instruction }, covers, after, ...lists) =>
  [
    `  - id: ${id}`,
    `    name: ${title}`,
    `    covers: [${[...new Set(covers)].join(", ")}]`,
    `    depends_on: [${[...new Set(after)].join(", ")}]`,
    "    instruction: |",
    `      ${instruction}`,
    ...lists
  ].join("\n")

const checks = (name) => `    checks:\n${yamlList([`node --test test/${name}.test.js`])}`
const checklist = (items) => `    checklist:\n${yamlList(items.map(itemOf))}`

/** Of the first iteration: two parts that depend on one, of which only that one has a check. */
const firstPlan = (wasTold) => {
  const { list, expiring, shopping } = parts
  return [
    taskOf("list", list, coversOf(list), [], checks("list"), checklist(list.items)),
    taskOf("expiring", expiring, coversOf(expiring), ["list"], checklist(expiring.items)),
    // Forgotten, and when it is told so, it promises more than it can show: of what lies in several places no item speaks.
    ...(wasTold
      ? [taskOf("shopping", shopping, coversOf(shopping), ["list"], checklist(shopping.items.slice(0, 1)))]
      : [])
  ]
}

/** Of a later one: a task with a check for each part in which something is not met. It shows what is not met, and nothing else. */
const nextPlan = (iteration, unmet, completed) => {
  const names = partsWith(unmet)
  const idOf = (name) =>
    names.includes(name) ? `${name}-${iteration}` : completed.findLast((id) => partOf(id) === name)
  return names.map((name) => {
    const part = parts[name]
    const items = part.items.filter(({ covers }) => covers.some((id) => unmet.includes(id)))
    const after = [...completed.filter((id) => partOf(id) === name), ...part.needs.map(idOf)].filter(
      (id) => id !== undefined
    )
    return taskOf(idOf(name), part, coversOf({ items }), after, checks(name), checklist(items))
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

/** The lines of what begins with this text, from 0, the last one included: a function up to its end, else this line. */
const locate = (lines, shows) => {
  const start = lines.findIndex((line) => line.includes(shows))
  return { start, end: shows.startsWith("export ") ? lines.indexOf("}", start) : start }
}

/** The same without the lines of other items: each shows what no other one does. */
const own = (lines, shows, others) => {
  const { end, start } = locate(lines, shows)
  const next = others.map((other) => locate(lines, other).start).filter((line) => line > start && line <= end)
  return { start, end: Math.min(end, ...next.map((line) => line - 1)) }
}

/** The text of a file in which one function is that of another. */
const withFunction = (name, from, into) => {
  const [wanted, present] = [from, into].map((lines) => locate(lines, `export function ${name}(`))
  return into.toSpliced(present.start, present.end - present.start + 1, ...from.slice(wanted.start, wanted.end + 1))
}

const edits = {
  // One of two functions, and both are reported: the other one is still the stub that was there.
  list: (wasRefused) => {
    const done = solution("list.js").split("\n")
    const some = withFunction("parseAmount", done, project("src/list.js").split("\n"))
    write("src/list.js", (wasRefused ? done : some).join("\n"))
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
      const wasThere = refusals.some((line) => line.startsWith(`- checklist_evidence_weak (${item}):`))
      if (wasThere)
        return { item, status: "skipped", reason: "It was true before this run: nothing had to be changed for it." }
      const others = part.items.map((other) => other.shows).filter((other) => other !== shows)
      const { start, end } = own(lines, shows, others)
      const range = start === end ? start + 1 : `${start + 1}-${end + 1}`
      return { item, status: "done", evidence: `${part.file}:${range}` }
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
