/** checks.yaml: checks that nobody but Proofline sees, kept outside of the project. What it may say is in `ChecksFile`. */
import type { EscrowedCheck } from "@proofline/kernel"
import { duration, durationMs } from "../../options/duration.ts"
import { closest, quoted } from "../../options/words.ts"
import { asList, type Decoded, decodeFile, eachOf } from "./decodeFile.ts"
import { readDocument, type Source } from "./document.ts"
import {
  type Fault,
  fullList,
  fullListOrOne,
  headerFields,
  mapping,
  optional,
  required,
  rule,
  text
} from "./fileSchema.ts"
import type { Node } from "./Node.ts"
import { listProblems, type Problem, refuse } from "./Problem.ts"
import { refuseEqual } from "./repeats.ts"

/** A check with what it runs. */
export interface CheckDefinition extends EscrowedCheck {
  readonly command: string
  /** Its own limit; left out: that of the run. */
  readonly timeout_ms?: number
}

export interface ChecksResult {
  readonly problems: ReadonlyArray<Problem>
  readonly warnings: ReadonlyArray<Problem>
  /** Null exactly when there are problems. */
  readonly checks: ReadonlyArray<CheckDefinition> | null
}

/** What checks may be about; null: nothing of that kind is known when a run begins. */
export interface KnownIds {
  readonly tasks: ReadonlyArray<string> | null
  readonly requirements: ReadonlyArray<string> | null
}

interface About {
  readonly task?: unknown
  readonly requirement?: unknown
}

const aboutOne = rule<About>(
  ({ requirement, task }, name): Fault | undefined =>
    task === undefined || requirement === undefined
      ? undefined
      : {
          code: "check_about_both",
          message: `${name} is about a task and about a requirement.`,
          hint: "Keep one of them, or write two checks.",
          at: "requirement"
        },
  { not: { required: ["task", "requirement"] } }
)

const Check = mapping(
  {
    criterion: required(text("what must hold"), {
      title: "Criterion",
      description: "What must hold, in words. It is all that agents are told, and unique in the file."
    }),
    run: required(text("a shell command"), {
      title: "Command",
      description:
        "A shell command, run in a fresh copy of the work. Exit code 0: the criterion holds. The files beside checks.yaml are in $PROOFLINE_CHECKS."
    }),
    task: optional(
      fullListOrOne(text("the id of a task"), "the ids of the tasks it judges", (name) => ({
        code: "check_of_no_task",
        message: `${name} names no task, so nothing would be checked.`,
        hint: "Name a task, or leave the key out: then every task is judged."
      })),
      {
        title: "Tasks",
        description: "Ids of the tasks that it judges; left out: every task, unless it is about a requirement.",
        examples: ["login", ["login", "logout"]]
      }
    ),
    requirement: optional(text("the id of a requirement or of an acceptance criterion"), {
      title: "Requirement",
      description: "Id of the requirement, or of the one of its acceptance criteria, about which it decides.",
      examples: ["req_1.1"]
    }),
    timeout: optional(duration, {
      title: "Limit",
      description: "Time after which it is ended and counts as failed; left out: `check_timeout_ms` of the run.",
      examples: ["90s"]
    })
  },
  "a check with `criterion` and `run`",
  {
    synonyms: {
      criterion: ["name", "title", "description", "item"],
      run: ["command", "check", "cmd"],
      task: ["tasks"],
      requirement: ["requirements", "covers"],
      timeout: ["timeout_ms", "check_timeout"]
    }
  }
)
  .check(aboutOne)
  .annotate({ identifier: "escrowedCheck", title: "Check" })

/** What checks.yaml may say. */
export const ChecksFile = mapping(
  {
    checks: required(
      fullList(
        Check,
        "a list of checks",
        () => ({
          code: "checks_empty",
          message: "`checks` holds no check.",
          hint: "Write at least one check with `criterion` and `run`."
        }),
        { itemName: (n) => `check ${n}` }
      ),
      { title: "Checks", description: "The checks." }
    ),
    ...headerFields
  },
  "a mapping with the key `checks`",
  { owner: () => null }
).annotate({
  title: "Proofline escrowed checks",
  description: "checks.yaml: checks that Proofline alone runs, kept outside of the project, where agents do not look.",
  examples: [
    {
      checks: [
        {
          criterion: "login refuses every wrong password",
          run: "cp $PROOFLINE_CHECKS/login.test.js test/ && node --test test/login.test.js",
          task: "login"
        }
      ]
    }
  ]
})

type ChecksFile = typeof ChecksFile.Type

/** It stands in one line, as a name. */
const oneLine = (criterion: string): string => criterion.trim().replace(/\s+/g, " ")

const checkNames = ({ at, found }: Decoded<ChecksFile>, source: Source): void =>
  refuseEqual(
    "criterion",
    (found?.checks ?? []).flatMap((check, index) =>
      check?.criterion === undefined ? [] : [{ text: oneLine(check.criterion), node: at("checks", index, "criterion") }]
    ),
    source
  )

const checkIds = ({ at, found }: Decoded<ChecksFile>, { findings }: Source, known: KnownIds): void => {
  const tell = (kind: "task" | "requirement", id: string, ids: ReadonlyArray<string> | null, { end, start }: Node) => {
    if (ids?.includes(id.trim()) === true) return
    const near = ids === null ? undefined : closest(id, ids)
    refuse(findings, {
      code: `${kind}_unknown`,
      message:
        ids === null
          ? unknownBefore[kind]
          : `There is no ${kind} ${quoted(id)} in this run, so nothing would be checked.`,
      hint: () => (ids === null ? otherwise[kind] : near === undefined ? knownText(ids) : `Did you mean \`${near}\`?`),
      start,
      end
    })
  }
  for (const [index, check] of (found?.checks ?? []).entries()) {
    for (const { item, path } of eachOf<string>(check?.task, "checks", index, "task"))
      tell("task", item, known.tasks, at(...path))
    if (check?.requirement !== undefined)
      tell("requirement", check.requirement, known.requirements, at("checks", index, "requirement"))
  }
}

const knownText = (ids: ReadonlyArray<string>): string =>
  `Known: ${ids.slice(0, 20).join(", ")}${ids.length > 20 ? ` and ${ids.length - 20} more` : ""}.`

const unknownBefore = {
  task: "The tasks of this run are made while it is under way, so no check can name one.",
  requirement: "This run has no requirements."
} as const

const otherwise = {
  task: "Leave `task` out, or name a requirement where there are some.",
  requirement: "Leave `requirement` out, or start the requirements with `proofline run-requirements`."
} as const

const definitionOf = ({
  criterion,
  requirement,
  run,
  task,
  timeout
}: ChecksFile["checks"][number]): CheckDefinition => {
  const timeout_ms = timeout === undefined ? undefined : durationMs(timeout)
  return {
    criterion: oneLine(criterion),
    command: run,
    ...(task === undefined ? {} : { tasks: asList(task).map((id) => id.trim()) }),
    ...(requirement === undefined ? {} : { requirement: requirement.trim() }),
    ...(timeout_ms === undefined ? {} : { timeout_ms })
  }
}

/** Reads the text of a checks.yaml and tells everything that is wrong with it at once. `known` left out: ids are not compared. Never throws. */
export const parseChecks = (content: string, file: string, known?: KnownIds): ChecksResult => {
  const source = readDocument(content)
  const { root } = source
  if (root === null && source.findings.problems.length === 0) {
    refuse(source.findings, {
      code: "file_empty",
      message: "The file is empty.",
      hint: "Write a list of checks under the key `checks`.",
      start: 0,
      end: 0
    })
  }
  const checks = root === null ? null : readFile(root, source, known)
  const { problems, warnings } = listProblems(source, file)
  return { problems, warnings, checks: problems.length === 0 ? checks : null }
}

const readFile = (root: Node, source: Source, known: KnownIds | undefined): ReadonlyArray<CheckDefinition> | null => {
  const decoded = decodeFile(ChecksFile, root, source, "yaml")
  checkNames(decoded, source)
  if (known !== undefined) checkIds(decoded, source, known)
  return decoded.value === null ? null : decoded.value.checks.map(definitionOf)
}
