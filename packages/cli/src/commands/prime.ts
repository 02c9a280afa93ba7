import { isOver, tasksOf } from "@proofline/kernel"
import { operationsAt } from "@proofline/plugins/operations"
import { refusals, told } from "@proofline/plugins/told"
import { Effect } from "effect"
import { type ProjectPaths, pathsOf, type Where } from "../base/paths.ts"
import { asStop, exitCodes, Stop } from "../base/problems.ts"
import { primeDocument } from "../documents/others.ts"
import { commandFor, print, printDocument, say, startCommand } from "../process/output.ts"
import { existingProject } from "../project/files.ts"
import { withExistingStorage } from "../project/storage.ts"
import { readRows } from "../reading/rows.ts"
import { count } from "../render/lines.ts"
import { oneLine } from "../render/style.ts"
import { summaryLine } from "../render/summaryLine.ts"
import {
  linesOfTask,
  missingLines,
  readSession,
  refusalLines,
  upTo,
  verificationLines,
  whereOf
} from "../sessions/sessionStanding.ts"

export interface PrimeOptions extends Where {
  readonly json: boolean
}

/** A hook of a client waits for it. */
const answersWithin = "10 seconds"

/** Lines of what is open; the tools tell all of it. */
const maxOpen = 12

/**
 * `proofline prime`: what an agent has to know that works in this project, and what is open now. Ends with 0 whatever is
 * wrong with the log, since a hook that fails would keep its session from beginning; outside of a project it prints nothing.
 */
export const prime = Effect.fnUntraced(function* (options: PrimeOptions) {
  const paths = yield* projectFor(options)
  if (paths === null) {
    yield* options.json ? printDocument(primeDocument, { project: null, run: null, text: "" }) : say(noProject)
    return exitCodes.proven
  }
  const now = yield* openNow(paths).pipe(
    Effect.timeoutOrElse({ duration: answersWithin, orElse: () => Effect.succeed(unread("it does not answer")) }),
    Effect.mapError((error) => (error instanceof Stop ? error : asStop(error))),
    Effect.catch(({ problems }) => Effect.succeed(unread(problems.map(({ message }) => message).join(" "))))
  )
  const text = textOf(now.lines)
  yield* options.json ? printDocument(primeDocument, { project: paths.root, run: now.run, text }) : print(text)
  return exitCodes.proven
})

const noProject = "Neither this directory nor one above it is a project of Proofline: `proofline init` makes it one."

/** The project that is named, else that of the client whose hook this is, else the nearest from here on upwards. */
const projectFor = (options: PrimeOptions) => {
  if (options.cwd !== undefined || options.state !== undefined || options.databaseUrl !== undefined) {
    return existingProject(options)
  }
  const places = [process.env["CLAUDE_PROJECT_DIR"] || process.cwd(), process.cwd()]
  const root = places.map((place) => upTo(place, [".proofline", "proofline.yaml"])).find((found) => found !== null)
  return Effect.succeed(root === undefined ? null : pathsOf({ ...options, cwd: root }))
}

interface Now {
  /** The session run that goes on. */
  readonly run: string | null
  readonly lines: ReadonlyArray<string>
}

const unread = (why: string): Now => ({ run: null, lines: [`What is open cannot be told: ${oneLine(why, 300)}`] })

/** What is to be done at this moment, for an agent that begins or has forgotten. */
const openNow = Effect.fnUntraced(function* (paths: ProjectPaths) {
  const started = startedHere()
  if (started !== null) return { run: null, lines: started }
  const going = (yield* readRows(paths)).filter(({ away, status }) => status === "running" && away == null)
  const run = going.find(({ kind }) => kind === "session")?.run_id
  const others = going.filter(({ kind, parent_run_id }) => kind !== "session" && parent_run_id === null)
  const driven = others
    .slice(0, 3)
    .flatMap((row) => [
      summaryLine(row),
      row.driver === null
        ? `  Nobody works on it: its user goes on with it by ${commandFor(paths)(`resume ${row.run_id}`)}.`
        : "  Proofline drives it, and starts agents of its own for its tasks: leave them to it."
    ])
  if (run === undefined) return { run: null, lines: driven.length > 0 ? driven : [nothingOpen] }
  const standing = yield* withExistingStorage(paths, Effect.succeed(null), readSession(run))
  const phases = standing?.state.sessions.phases
  if (standing === null || phases == null) return { run, lines: [begun(run), ...driven] }
  const { state } = standing
  const open = [
    ...missingLines(state, phases),
    ...tasksOf(state)
      .filter((task) => !isOver(task))
      .flatMap((task) => linesOfTask(state, task))
  ]
  const left = open.length - maxOpen
  return {
    run,
    lines: [
      `${begun(run)} ${whereOf(state, phases)}`,
      ...refusalLines(phases),
      ...verificationLines(phases),
      ...open.slice(0, maxOpen),
      ...(left > 0 ? [`… and ${count(left, "line")} more; get_my_task_progress shows every task.`] : []),
      ...driven
    ]
  }
})

const nothingOpen = "Nothing is open. The first call of get_next_action begins a run."

const begun = (run: string): string => `The run ${run} goes on: call get_next_action now.`

/** Of an agent that Proofline has started itself: its prompt says all of it. Null: a person has, or their client. */
const startedHere = (): ReadonlyArray<string> | null => {
  const { PROOFLINE_ATTEMPT: attempt, PROOFLINE_TASK_ID: task } = process.env
  return attempt && task
    ? [
        `You were started for the task ${oneLine(task, 80)}, attempt ${oneLine(attempt, 10)}: your prompt says all of it (it is in PROOFLINE_PROMPT_FILE), and you report once, as it says.`
      ]
    : null
}

const bullets = (lines: ReadonlyArray<string>): ReadonlyArray<string> => lines.map((line) => `- ${line}`)

const firstSentence = (text: string): string => /^.*?\.(?=\s|$)/.exec(text)?.[0] ?? text

const textOf = (now: ReadonlyArray<string>): string =>
  [
    "# Working under Proofline",
    "",
    `${told.purpose} ${told.checked} ${told.honest}`,
    "",
    "## Now",
    "",
    ...now,
    "",
    "## With its tools (MCP server `proofline`)",
    "",
    ...bullets([told.next, told.write, told.refusal, told.giveUp, told.end]),
    "",
    ...operationsAt("core").map(({ description, name }) => `- ${name}: ${firstSentence(description)}`),
    "",
    "## What shows an item",
    "",
    ...bullets([told.whole, told.done, told.read, told.own, told.skipped, told.cannot]),
    "",
    "## When it is refused",
    "",
    ...bullets(refusals),
    "",
    `\`${startCommand()} evidence check PATH:1-2\` judges evidence before it is handed in; \`show\` in its place tells what is proven, and \`docs pull-mode\` all of it.`,
    ""
  ].join("\n")
