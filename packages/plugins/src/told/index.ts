/**
 * What agents are told of working under Proofline, each sentence once: the prompt of an attempt, the MCP server, hooks, what
 * `proofline prime` prints and what stands in AGENTS.md are made of these.
 */
export const told = {
  purpose: "Proofline says what to do next and accepts work only with proof.",
  next: "Call get_next_action first and whenever you are unsure; do what its instruction says and hand in what expected_payload describes.",
  write: "Ask check_write_target before every write.",
  checked: "Every claim is checked on disk: evidence is file:line or file:start-end.",
  refusal: "A refusal names everything that is wrong and the next_step; repair it and report again.",
  end: "When nothing is left, call report_completed.",
  begin: "call get_next_action, and do what it says.",
  giveUp:
    'If you cannot go on, say so with report_completed(result: "blocked" or "failed", summary); do not call the work done.',
  whole: "Report every item of the checklist exactly once, with its text unchanged.",
  done: "`done` needs evidence: `<file_path>:<line>` or `<file_path>:<start>-<end>`, relative to the project, pointing at the code that does it; a path with blanks goes in double quotes. `auth.py line 42` is not evidence.",
  read: "The lines are read from disk. Missing files, lines beyond the end, and lines that hold nothing but stubs, comments or TODOs are refused.",
  own: "Each item needs something of its own that was changed since the run began and that no other item cites: cite few lines, those that show this item. Lines that were there before are refused; what was true before is `skipped`, with that as the reason. Lines that were only removed are shown by both the line before their place and the line behind it.",
  skipped: "`skipped` needs a reason of at least 10 characters.",
  cannot:
    "`cannot` is for an item that cannot be done, such as two requirements that contradict each other or a credential that is missing. It needs a `reason` that says what stands in the way, and `evidence` where lines show it. A person is asked then, and it costs no attempt.",
  honest: "Work that is not done is not `done`: an honest open item costs nothing, a false claim costs the attempt."
} as const

/** What the commonest refusals of evidence mean, by their codes. */
export const refusals: ReadonlyArray<string> = [
  "`untouched`, `cosmetic`: nothing in these lines was changed since the run began, or only blanks and comments. Cite what you wrote; for what you only removed, both the line before the place and the line behind it.",
  "`not_its_own`: another item cites all of it. `elsewhere`, `name_missing`: the item names another file, or other code. `prose`: this is text, and the item asks for code.",
  "`checklist_evidence_empty_impl`: the lines are a stub. `checklist_evidence_idle`: they do nothing for the item. `test_never_runs`: the test is skipped, or cannot fail.",
  "`was_green`, `check_changed`, `agents_check`: a command alone shows nothing that passed before, or that rests on what you wrote. Cite lines too."
]

/** What the MCP server says of itself; clients cut long ones off. */
export const instructions = [told.purpose, told.next, told.write, told.checked, told.refusal, told.end].join(" ")

/** Who puts lines into AGENTS.md and the like, and takes them out again. */
export type BlockOwner = "init" | "mcp install"

/**
 * What stands there: those who read it may have the tools or not. `program`: how Proofline is started, where an alias of a
 * person's shell is nothing to an agent.
 */
export const agentsBlock = (owner: BlockOwner, program = "proofline"): ReadonlyArray<string> => [
  `<!-- Written by \`proofline ${owner}\`, which writes it anew; with --remove it goes. Your own words go outside of it. -->`,
  `Work in this project counts as done when it is proven. ${told.checked}`,
  `With the tools of Proofline (MCP): ${told.begin} ${told.giveUp}`,
  `Without them: \`${program} prime\` says how work is shown here, and what is open now.`
]

/** How the lines that are there start Proofline, on whatever machine they were written; null: they do not say. */
export const programOf = (lines: ReadonlyArray<string>): string | null =>
  /`([^`]*\bproofline) prime`/.exec(lines.join("\n"))?.[1] ?? null

/** Who has put lines there, whatever they say now. */
export const ownerOf = ([first = ""]: ReadonlyArray<string>): BlockOwner =>
  first.includes("`proofline init`") ? "init" : "mcp install"
