/**
 * A scripted agent: there is no model in it. It plays a coding agent that cheats on its first attempt, the way real ones
 * do, and then does the work, so that the demo shows the same run on every machine, offline and in seconds.
 *
 * Proofline starts it like any other agent (`--agent command`): the prompt on stdin, who and where it is in the
 * environment, its answer in the report file. What it edits are the real files of the project, function by function,
 * with the code in `solution/`. Doing an attempt twice leaves the same files.
 */
import { readFileSync, renameSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { text } from "node:stream/consumers"

const { PROOFLINE_ROLE: role = "work", PROOFLINE_TASK_ID: task, PROOFLINE_REPORT_FILE: reportFile } = process.env
const root = process.env.PROOFLINE_ROOT ?? process.cwd()
const attempt = Number(process.env.PROOFLINE_ATTEMPT ?? 1)

const say = (line) => process.stdout.write(`${line}\n`)

// ── Editing ──────────────────────────────────────────────────────────────────────────────────────────────────────────

const solution = (name) => readFileSync(new URL(`solution/${name}`, import.meta.url), "utf8")
const project = (file) => readFileSync(join(root, file), "utf8")

/** The lines of an exported function, from 0, the last one included; null when the text has no such function. */
const locate = (lines, name) => {
  const start = lines.findIndex((line) => line.startsWith(`export function ${name}(`))
  return start < 0 ? null : { start, end: lines.indexOf("}", start) }
}

/** Puts functions of a solution into a file of the project: in the place of its own ones, else at the end. */
const implement = (file, names, from = file.replace("src/", "")) => {
  const source = solution(from).split("\n")
  const lines = project(file).trimEnd().split("\n")
  for (const name of names) {
    const wanted = locate(source, name)
    const present = locate(lines, name)
    const code = source.slice(wanted.start, wanted.end + 1)
    if (present) lines.splice(present.start, present.end - present.start + 1, ...code)
    else lines.push("", source[wanted.start - 1], ...code)
  }
  // A whole file or none, also when the process is killed right here.
  writeFileSync(join(root, `${file}.tmp`), `${lines.join("\n")}\n`)
  renameSync(join(root, `${file}.tmp`), join(root, file))
  say(`Edited ${file}: ${names.join(", ")}.`)
}

// ── Reporting ────────────────────────────────────────────────────────────────────────────────────────────────────────

/** An item as done, with the lines where its function really stands now. */
const done = (name, file, item = `Add \`${name}()\` to \`${file}\``) => {
  const at = locate(project(file).split("\n"), name)
  return { item, status: "done", evidence: `${file}:${at.start + 1}-${at.end + 1}` }
}

/** An item as done, with a line that does not exist. */
const doneSomewhere = (name, file) => {
  const lines = project(file).split("\n").length
  return { ...done(name, file), evidence: `${file}:${lines + 100}-${lines + 120}` }
}

// ── The script: for each task what to do on a first attempt, and what to do on any later one ─────────────────────────

const money = ["parseAmount", "formatAmount", "splitEvenly", "splitByWeights", "addTip"]
const ledger = ["addExpense", "removeExpense", "balances"]

const script = {
  money: {
    first: () => {
      implement("src/money.ts", ["parseAmount"])
      say("The rest is straightforward. All done!")
      // Three of five items. The second is still a stub that throws, the third points beyond the end of the file.
      return [
        done("parseAmount", "src/money.ts"),
        done("splitEvenly", "src/money.ts"),
        doneSomewhere("splitByWeights", "src/money.ts")
      ]
    },
    later: () => {
      implement("src/money.ts", money)
      return money.map((name) => done(name, "src/money.ts"))
    }
  },
  ledger: {
    first: () => {
      implement("src/ledger.ts", ["addExpense", "removeExpense"])
      implement("src/ledger.ts", ["balances"], "ledger.first-try.ts")
      say("It looks right; no need to run the tests.")
      // Every item is real code at the lines given. Only the project's own test knows better.
      return ledger.map((name) => done(name, "src/ledger.ts"))
    },
    later: () => {
      implement("src/ledger.ts", ledger)
      return ledger.map((name) => done(name, "src/ledger.ts"))
    }
  },
  settle: {
    first: () => {
      implement("src/settle.ts", ["settleUp"])
      implement("src/report.ts", ["report"])
      return [
        done("settleUp", "src/settle.ts"),
        {
          item: "Add rounding of fractional cents to `settleUp()` in `src/settle.ts`",
          status: "skipped",
          reason:
            "Not needed: addExpense() takes whole cents only and splitEvenly() and splitByWeights() share out whole cents, so no balance has a fraction."
        },
        done("report", "src/report.ts")
      ]
    }
  }
}

// ── What it was told ─────────────────────────────────────────────────────────────────────────────────────────────────

/** The lines of the prompt that tell a failure: one with a failure key, or what the project's tests said. */
const told = (prompt) =>
  prompt
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => /\b(checklist|checks?|verification|payload)_[a-z_]+\b|✖|^not ok|AssertionError/.test(line))
    .filter((line, index, all) => all.indexOf(line) === index)
    .slice(0, 8)

const prompt = process.stdin.isTTY ? "" : await text(process.stdin)

if (role !== "work" || !Object.hasOwn(script, task ?? "") || !reportFile) {
  process.stderr.write(`This scripted agent only knows the tasks of the demo (role ${role}, task ${task}).\n`)
  process.exit(1)
}

say(`Scripted agent (no model), task ${task}, attempt ${attempt}.`)
if (attempt > 1) {
  const lines = told(prompt)
  say(lines.length > 0 ? "I was told:" : "I was told of no failure.")
  for (const line of lines) say(`  ${line.slice(0, 160)}`)
}

const { first, later = first } = script[task]
const checklist = attempt === 1 ? first() : later()
writeFileSync(reportFile, `${JSON.stringify({ summary: `Task ${task} complete`, checklist }, null, 2)}\n`)
say(`Reported ${checklist.length} items as complete.`)
