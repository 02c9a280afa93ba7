import type {
  Code,
  ReportView,
  TracedCheck,
  TracedEvidence,
  TracedItem,
  TracedRequirement,
  TracedTask
} from "@proofline/plugins/frontends/http/api"
import { count } from "./lines.ts"
import { titleOf } from "./requirements.ts"
import { visible } from "./style.ts"
import {
  checkOutcome,
  criterionBy,
  evidencePlace,
  headFacts,
  itemId,
  otherTasks,
  supersededSentence,
  taskFacts,
  taskOfCriterion,
  verdictSentence
} from "./traceabilityText.ts"

/** Text as the content of an element or an attribute. */
const text = (value: string): string =>
  visible(value).replaceAll(
    /[&<>"']/g,
    (character) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" })[character] ?? ""
  )

/** The report as one page that needs nothing else: no script, no network, light or dark, to be printed too. */
export const traceabilityHtml = (trace: ReportView, version: string): string => {
  const shown = new Map<string, string>()
  const others = otherTasks(trace)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="color-scheme" content="light dark">
<meta name="generator" content="Proofline ${text(version)}">
<title>${text(trace.name)}: ${trace.proven ? "proven" : "not proven"}</title>
<style>${style}</style>
</head>
<body>
<header>
<h1>${text(trace.name)}</h1>
<p class="verdict ${trace.proven ? "good" : "bad"}">${text(verdictSentence(trace))}</p>
<dl>
${headFacts(trace)
  .map(([name, value]) => `<dt>${text(name)}</dt><dd>${text(value)}</dd>`)
  .join("\n")}
</dl>
</header>
<main>
${overview(trace)}
${trace.requirements.map((requirement) => requirementHtml(trace, requirement, shown)).join("\n")}
${others.length === 0 ? "" : `<section>\n<h2>${trace.requirements.length === 0 ? "Tasks" : "Other tasks"}</h2>\n${others.map((task) => taskHtml(task, task.items, shown)).join("\n")}\n</section>`}
</main>
<footer>
<p>No command and no agent was run to make this report. ${text(logsSentence(trace))}</p>
</footer>
</body>
</html>
`
}

const logsSentence = ({ head, run_id, runs }: ReportView): string =>
  `It is of the logs of ${[{ run_id, head }, ...runs.filter((run) => run.run_id !== run_id)]
    .map((run) => `${run.run_id} up to ${run.head?.hash ?? "nothing"}`)
    .join(", ")}.`

const overview = ({ requirements }: ReportView): string =>
  requirements.length === 0
    ? ""
    : `<table>
<thead><tr><th>Requirement</th><th>Priority</th><th>Verdict</th></tr></thead>
<tbody>
${requirements
  .map(
    (requirement) =>
      `<tr><td><a href="#${anchor(requirement.id)}">${text(requirement.id)}</a> ${text(titleOf(requirement))}</td><td>${requirement.priority}</td><td>${badge(requirement.verdict)}</td></tr>`
  )
  .join("\n")}
</tbody>
</table>`

const requirementHtml = (trace: ReportView, requirement: TracedRequirement, shown: Map<string, string>): string => {
  const { criteria, description, id, name, opinion, priority, verdict } = requirement
  return `<section class="requirement" id="${anchor(id)}">
<h2>${badge(verdict)} <span class="id">${text(id)}</span> ${text(titleOf(requirement))}${priority === "optional" ? " <small>optional</small>" : ""}</h2>
${name === null || name === description ? "" : `<p>${text(description)}</p>`}
${
  opinion === null
    ? ""
    : `<aside class="opinion"><p><b>Opinion of ${text(opinion.verifier)}</b>, no proof by itself: ${opinion.met ? "met" : "not met"}</p><blockquote>${text(opinion.evidence)}</blockquote>${opinion.cited.map(evidenceHtml).join("\n")}</aside>`
}
${criteria
  .map(
    (criterion) => `<section class="criterion" id="${anchor(criterion.id)}">
<h3>${badge(criterion.verdict)} <span class="id">${text(criterion.id)}</span> ${text(criterion.criterion)}</h3>
<p class="how">${criterion.verdict}${criterionBy(criterion)}${criterion.message === "" ? "" : `: ${text(criterion.message)}`}</p>
${criterion.checks.map(checkHtml).join("\n")}
${criterion.tasks
  .map((one) => {
    const found = taskOfCriterion(trace, one)
    if (one.superseded_by.length > 0) return `<p>${text(supersededSentence(one))}</p>`
    return found === undefined
      ? `<p>Task <span class="id">${text(one.task_id)}</span> was not run.</p>`
      : taskHtml(found.task, found.items, shown)
  })
  .join("\n")}
</section>`
  )
  .join("\n")}
</section>`
}

const taskHtml = (
  task: TracedTask,
  items: ReadonlyArray<TracedItem>,
  shown: Map<string, string>
): string => `<section class="task">
<h4><span class="id">${text(task.task_id)}</span> ${text(task.title)} <small>${text(task.status)}</small></h4>
<p class="facts">${text(taskFacts(task))}</p>
${task.status === "completed" || task.message === "" ? "" : `<p>${text(task.message)}</p>`}
${task.checks.map(checkHtml).join("\n")}
${
  task.review === null
    ? ""
    : `<p>Review by ${text(task.review.reviewer)}: ${text(task.review.judgment)}</p>${
        task.review.checks.length === 0
          ? ""
          : `<ul>${task.review.checks.map(({ criterion, details, passed }) => `<li>${passed ? "✔" : "✘"} ${text(criterion)}${details === undefined ? "" : `: ${text(details)}`}</li>`).join("")}</ul>`
      }`
}
${items.length === 0 ? "" : `<ul class="items">\n${items.map((item) => itemHtml(task, item, shown)).join("\n")}\n</ul>`}
</section>`

const itemHtml = (task: TracedTask, item: TracedItem, shown: Map<string, string>): string => {
  const id = itemId(task, item)
  const at = shown.get(id)
  const head = `${badge(item.verdict)} ${text(item.item)}`
  if (at !== undefined) return `<li>${head} <a href="#${at}">shown above</a></li>`
  const here = `item-${shown.size + 1}`
  shown.set(id, here)
  return `<li id="${here}">${head}
${item.reason === null ? "" : `<p>Left out: ${text(item.reason)}</p>`}
${item.weaknesses.map((weak) => `<p class="weak">Weak: ${text(weak)}</p>`).join("\n")}
${item.checks.map(checkHtml).join("\n")}
${item.evidence === null ? "" : evidenceHtml(item.evidence)}
</li>`
}

const evidenceHtml = (evidence: TracedEvidence): string => `<figure>
<figcaption class="${evidence.code === null ? "bad" : ""}"><code>${text(evidence.evidence)}</code>${text(evidencePlace(evidence).slice(evidence.evidence.length))} <small title="SHA-256 of the lines as they were accepted">${evidence.sha256.slice(0, 12)}</small></figcaption>
${evidence.code === null ? "" : codeHtml(evidence.code)}
</figure>`

const codeHtml = ({ cited: [first, last], lines, more, start }: Code): string =>
  `<pre>${lines
    .map((line, i) => {
      const number = start + i
      const isCited = number >= first && number <= last
      return `<span class="${isCited ? "line cited" : "line"}"><span class="number">${number}</span>${text(line)}\n</span>`
    })
    .join("")}${more === 0 ? "" : `<span class="line">… ${count(more, "more line")}\n</span>`}</pre>`

const checkHtml = (check: TracedCheck): string =>
  `<div class="check"><p>${badge(check.passed ? "proven" : "refuted", check.passed ? "passes" : "fails")} <code>${text(check.command)}</code> ${text(checkOutcome(check))}</p>${check.output_tail.trim() === "" ? "" : `<details${check.passed ? "" : " open"}><summary>What it printed</summary><pre class="output">${text(check.output_tail.trimEnd())}</pre></details>`}</div>`

const badge = (verdict: TracedItem["verdict"], word: string = verdict): string =>
  `<span class="badge ${verdict}">${word}</span>`

/** Ids of requirements hold nothing that has to be escaped here, but a log may be older than that rule. */
const anchor = (id: string): string => `r-${id.replaceAll(/[^A-Za-z0-9_.-]/g, "_")}`

const style = `
:root{--back:#fff;--fore:#1c1e21;--dim:#5d646d;--line:#d9dde2;--soft:#f5f6f8;--good:#1a7f37;--bad:#c4242b;--warn:#8a5a00;--cited:#fff6d6;--link:#0b5cad}
@media (prefers-color-scheme:dark){:root{--back:#14171b;--fore:#e4e7eb;--dim:#9aa3ad;--line:#333a42;--soft:#1d2127;--good:#4cc26c;--bad:#ff7b7b;--warn:#e0b04a;--cited:#33301c;--link:#7ab8ff}}
*{box-sizing:border-box}
body{margin:0 auto;padding:2rem 1.25rem 4rem;max-width:62rem;background:var(--back);color:var(--fore);font:16px/1.5 system-ui,sans-serif;overflow-wrap:anywhere}
h1{font-size:1.75rem;line-height:1.2;margin:0 0 .5rem}
h2{font-size:1.25rem;margin:0 0 .5rem}
h3{font-size:1.05rem;margin:0 0 .25rem}
h4{font-size:1rem;margin:0}
p{margin:.25rem 0}
a{color:var(--link)}
small,.facts,.how,footer{color:var(--dim);font-weight:400}
.facts,small{font-size:.85rem}
.verdict{font-weight:600}
.good{color:var(--good)}
.bad{color:var(--bad)}
.weak{color:var(--warn)}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.15rem 1rem;margin:1rem 0;font-size:.9rem}
dt{color:var(--dim)}
dd{margin:0}
table{border-collapse:collapse;width:100%;margin:1rem 0}
th,td{text-align:left;padding:.35rem .5rem;border-bottom:1px solid var(--line);vertical-align:top}
.requirement,main>section{margin-top:2.25rem;padding-top:1rem;border-top:2px solid var(--line)}
.criterion{margin:1.25rem 0 0 .25rem;padding-left:1rem;border-left:3px solid var(--line)}
.task{margin:.75rem 0;padding:.75rem 1rem;border:1px solid var(--line);border-radius:.4rem}
.opinion{margin:.75rem 0;padding:.5rem 1rem;border-left:3px solid var(--warn);background:var(--soft)}
blockquote{margin:.25rem 0;white-space:pre-wrap}
ul{margin:.5rem 0;padding-left:1.25rem}
.items{list-style:none;padding:0}
.items>li{margin:.6rem 0}
.id,code,pre{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:.875em}
figure{margin:.35rem 0}
pre{margin:.35rem 0;padding:.5rem 0;background:var(--soft);border:1px solid var(--line);border-radius:.3rem;overflow-x:auto;line-height:1.45;tab-size:4}
pre.output{padding:.5rem .75rem;white-space:pre-wrap}
.line{display:block;padding-right:.75rem}
.cited{background:var(--cited)}
.number{display:inline-block;width:3.5rem;padding-right:1rem;text-align:right;color:var(--dim);user-select:none}
.badge{display:inline-block;padding:0 .45rem;border:1px solid currentColor;border-radius:1rem;font-size:.75rem;font-weight:600;line-height:1.5;vertical-align:middle;color:var(--warn)}
.badge.proven{color:var(--good)}
.badge.refuted,.badge.stale,.badge.missing{color:var(--bad)}
footer{margin-top:3rem;padding-top:1rem;border-top:1px solid var(--line);font-size:.85rem}
@media print{
:root{--back:#fff;--fore:#000;--dim:#444;--line:#bbb;--soft:#fff;--good:#0b5a23;--bad:#9a0d14;--warn:#664200;--cited:#f3f3f3;--link:#000}
body{max-width:none;padding:0;font-size:11pt}
pre{white-space:pre-wrap;overflow:visible}
.task,figure{break-inside:avoid-page}
h2,h3,h4{break-after:avoid}
}
`
