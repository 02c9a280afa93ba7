import type { Asked } from "../../core/contract.ts"
import { counted } from "../../core/words.ts"
import type { HasRun } from "../run/state.ts"
import type { Census, CheckRun, CleanRoom, ScratchRun, TestChange } from "./CheckRun.ts"
import { namedChecksOf } from "./points.ts"
import type { TaskState } from "./state.ts"

/** A shell command that decides about a task, or about the item with this index. */
export interface Check {
  readonly command: string
  readonly item_index: number | null
  /** It must also fail without the lines that are cited for its item. */
  readonly ablation: boolean
}

/** The task's own commands, those of its items first. An item that is waived cites no lines. */
export const checksOf = ({ run: { config } }: HasRun, { items, spec }: TaskState): ReadonlyArray<Check> => [
  ...spec.checklist.flatMap(({ ablation, check }, index) =>
    check === undefined
      ? []
      : [
          {
            command: check,
            item_index: index,
            ablation: (ablation ?? config.evidence.ablation) && items[index]?.verdict !== "waived"
          }
        ]
  ),
  ...spec.checks.map((command) => ({ command, item_index: null, ablation: false }))
]

export const hasChecks = (state: Asked, task: TaskState): boolean =>
  task.spec.checks.length > 0 ||
  task.spec.checklist.some(({ check }) => check !== undefined) ||
  namedChecksOf(state, task).length > 0

export const hasPassed = (run: CheckRun): boolean =>
  run.not_run === undefined && hasEndedWell(run) && !ranNoTests(run) && isBorne(run.ablation) && !isBent(run)

/** Null: nobody asked. An event of the first version, as it was written, has no such field. */
const isBorne = (ablation: CheckRun["ablation"] | undefined): boolean =>
  ablation == null || ablation.verdict === "load_bearing"

/** Whether a command, as it was run, ended as one that passes; it may not count for all that. */
export const hasEndedWell = ({ exit_code, timed_out }: Pick<CheckRun, "exit_code" | "timed_out">): boolean =>
  exit_code === 0 && !timed_out

/** It was there to run tests, and ran none. */
export const ranNoTests = ({ census }: Pick<CheckRun, "census">): boolean =>
  census !== undefined && census.passed + census.failed === 0

/** It passed in a copy of the project too. */
export const isGreen = ({ run }: ScratchRun): boolean => run !== null && hasEndedWell(run) && !ranNoTests(run)

/** It passes in the project alone, or only because what it rests on was changed. */
const isBent = (run: CheckRun): boolean =>
  hasEndedWell(run) &&
  ((run.as_written !== undefined && !isGreen(run.as_written)) ||
    (run.lost_tests ?? []).length > 0 ||
    !holdsInCleanRoom(run.clean_room ?? null))

/** A copy that cannot be made says nothing, unless something had to be put back in it. */
const holdsInCleanRoom = (room: CleanRoom | null): boolean =>
  room === null ||
  (room.run === null ? room.restored.length === 0 : isGreen(room)) ||
  (room.with_new !== undefined && isGreen(room.with_new))

/** What should have been run and was not: that is no pass either. */
export const missingChecks = (
  state: HasRun & Asked,
  task: TaskState,
  runs: ReadonlyArray<CheckRun>
): ReadonlyArray<Check> => {
  const isMissing = (check: Check): boolean =>
    !runs.some(
      (run) =>
        run.command === check.command &&
        run.item_index === check.item_index &&
        // what was refuted by its first run needs no second look
        (!check.ablation || run.ablation !== null || run.exit_code !== 0)
    )
  const own = checksOf(state, task).filter(isMissing)
  // those beside them are run once the task's own have passed
  return own.length > 0 || !runs.every(hasPassed)
    ? own
    : namedChecksOf(state, task)
        .map(({ command }) => ({ command, item_index: null, ablation: false }))
        .filter(isMissing)
}

/** It could not be run, or it passed and its ablation could not be: it neither proves nor refutes anything. */
export const isUntried = (check: CheckRun): boolean =>
  check.not_run !== undefined ||
  (hasEndedWell(check) && !ranNoTests(check) && !isBent(check) && check.ablation?.verdict === "unproven")

/** What follows for items whose own commands have not passed. */
export const itemVerdicts = (checks: ReadonlyArray<CheckRun>) =>
  checks.flatMap((check) =>
    check.item_index === null || hasPassed(check)
      ? []
      : [{ index: check.item_index, verdict: isUntried(check) ? ("unproven" as const) : ("refuted" as const) }]
  )

/** What is known of the end of a command; `signal` is left out where nobody recorded which one it was. */
export interface CommandEnd extends Pick<CheckRun, "exit_code" | "timed_out"> {
  readonly signal?: string | null
}

/** How a command ended, in words that stand behind its name. */
export const checkEnding = ({ exit_code, signal, timed_out }: CommandEnd): string => {
  if (timed_out) return "ran out of time"
  if (exit_code !== null) return `exited with ${exit_code}`
  return signal === null ? "did not start" : `was ended by ${signal ?? "a signal"}`
}

/** Tests that a command names as failed, at most so many of them, as the end of a sentence; empty: it names none. */
export const failedNamed = (
  { census, failed_tests = [] }: Pick<CheckRun, "census" | "failed_tests">,
  most = Number.POSITIVE_INFINITY
): string => {
  const named = failed_tests.slice(0, most)
  const more = Math.max(census?.failed ?? 0, failed_tests.length) - named.length
  return named.length === 0 ? "" : `it names as failed: ${named.join(", ")}${more > 0 ? ` and ${more} more` : ""}`
}

/** That it did not pass is said by a sentence of `failedChecks`, and not by its exit code. */
export const isFailedInWords = (check: CheckRun): boolean =>
  !hasPassed(check) && (hasEndedWell(check) || check.escrow !== undefined || check.not_run !== undefined)

/** Why verification did not pass, in words. */
export const failedChecks = (failed: ReadonlyArray<CheckRun>, missing: ReadonlyArray<Check>): string => {
  const escrowed = failed.filter(({ escrow, not_run }) => escrow !== undefined && not_run === undefined)
  const ended = failed.flatMap((check) => {
    if (check.escrow !== undefined || check.not_run !== undefined) return []
    return hasEndedWell(check) ? [] : [`\`${check.command}\` ${checkEnding(check)}`]
  })
  const open = [...ended, ...missing.map(({ command }) => `\`${command}\` was not run`)]
  const vacuous = failed.filter((check) => check.exit_code === 0 && check.ablation?.verdict === "vacuous")
  return [
    ...(open.length === 0 ? [] : [`Checks failed: ${open.join("; ")}.`]),
    ...(escrowed.length === 0 ? [] : [notMet(escrowed)]),
    ...failed.filter((check) => hasEndedWell(check) && ranNoTests(check)).map(withoutTests),
    ...failed
      .filter(({ escrow }) => escrow === undefined)
      .filter(isBent)
      .map(bent),
    ...vacuous.map(({ ablation, command }) => `\`${command}\` shows nothing: ${ablation?.message ?? ""}`),
    ...(failed.some(isUntried) ? [untried(failed.filter(isUntried))] : [])
  ].join(" ")
}

/** Nothing but the criterion is told of a check that nobody sees. */
const notMet = (failed: ReadonlyArray<CheckRun>): string =>
  `Not met, by checks of the user that are not shown: ${failed.map(({ command, escrow }) => `"${escrow?.criterion ?? command}"`).join("; ")}. Read what was asked for again, and make it hold in every case.`

const withoutTests = ({ census, command }: CheckRun): string =>
  census === undefined || census.skipped === 0
    ? `\`${command}\` ran no tests, so it shows nothing. Make it find its tests.`
    : `\`${command}\` ran no tests, all ${census.skipped} are skipped, so it shows nothing. Let them run.`

const bent = (run: CheckRun): string => {
  const { as_written, changed = [], changed_tests = [], clean_room, command, lost_tests = [] } = run
  const others = changed_tests.length === 0 ? "" : ` (${testsNamed(changed_tests)})`
  if (as_written !== undefined)
    return `\`${command}\` counts only with what it rests on as the user wrote it: ${namedAs(changed)} changed in this run. ${as_written.message} ${putBack(changed)}`
  const lost =
    lost_tests.length === 0
      ? []
      : lost_tests.some(isUnreported)
        ? [
            `\`${command}\` reported tests before this run and reports none any more, so nothing tells that they ran: ${testsNamed(lost_tests)}. Let its runner come to its end and report them. Where that is what was asked for, the user accepts \`check_changed\`.`
          ]
        : [
            `\`${command}\` counts only with the tests that were there before: ${testsNamed(lost_tests)}. Put them back, and let each of them come to its end. ${usersWord}`
          ]
  const room = clean_room ?? null
  if (room === null || holdsInCleanRoom(room)) return lost.join(" ")
  const { left_out, message, restored } = room
  const without =
    left_out.length === 0
      ? ""
      : ` and without ${left_out.join(", ")}, which ${left_out.length === 1 ? "is" : "are"} new`
  const where =
    restored.length > 0
      ? `\`${command}\` counts only with what it rests on as it was before this run${without}: ${namedAs(restored)} changed${others}. ${message} ${putBack(restored)}`
      : left_out.length > 0
        ? `\`${command}\` counts only${without.replace(" and", "")}. ${message} Make the tests of before pass by themselves.`
        : `\`${command}\` passes in the project and not in a fresh copy of it. ${message} Make it need nothing but the files of the project; where that cannot be, the user can say \`clean_room: false\` under \`proof\` in proofline.yaml.`
  return [where, ...lost].join(" ")
}

/** All tests of a command that reported some before the run, and now none at all, not even that there are none. */
export const unreported = ({ failed, passed, skipped }: Census): TestChange => ({
  test: `${everyTest}${passed + failed + skipped}`,
  path: null,
  how: "vanished"
})

/** A name that no runner gives. */
const everyTest = "all tests that were reported before: "

const isUnreported = ({ path, test }: TestChange): boolean => path === null && test.startsWith(everyTest)

const namedAs = (paths: ReadonlyArray<string>): string => `${paths.join(", ")} ${paths.length === 1 ? "was" : "were"}`

const putBack = (paths: ReadonlyArray<string>): string =>
  `Put ${paths.length === 1 ? "it" : "them"} back, or make it pass there too. ${usersWord}`

/** What is left where the change is what was wanted. */
const usersWord =
  "Where the change is what was asked for, the user names the file in the task, or accepts `check_changed`."

const maxNamed = 10

/** Tests with what became of them, in a sentence. */
export const testsNamed = (tests: ReadonlyArray<TestChange>): string => {
  const named = tests
    .slice(0, maxNamed)
    .map(({ how, path, test }) => `"${test}"${path === null ? "" : ` (${path})`} ${becameOf[how]}`)
  return [...named, ...(tests.length > maxNamed ? [`${tests.length - maxNamed} more`] : [])].join("; ")
}

/** What became of a test, as the end of a sentence that begins with it. */
export const becameOf = {
  vanished: "is gone",
  skipped: "is skipped now",
  weakened: "lost assertions",
  changed: "asserts something else"
} as const

/** What decided about a command beside its exit code, in sentences; empty: nothing did. */
export const decidedBy = (run: CheckRun): string => {
  const { census, ...others } = run
  const { clean_room } = others
  const there = clean_room?.with_new?.run?.census ?? clean_room?.run?.census
  const counted = there ?? census
  return [
    ...(isFailedInWords(run) ? [failedChecks([run], [])] : []),
    ...(counted === undefined ? [] : [`${there === undefined ? "" : "In the clean room "}${countsOf(counted)}.`]),
    ...(clean_room?.run != null && hasPassed(run) ? [roomText(clean_room)] : []),
    ...remarksOn(others)
  ].join(" ")
}

/** What somebody should know of a command that has passed: tests that were left out or are other ones, and no clean room. */
export const remarksOn = ({ census, changed_tests = [], clean_room }: CheckRun): ReadonlyArray<string> => [
  ...(census !== undefined && census.skipped > 0
    ? [`${census.skipped} of ${census.passed + census.failed + census.skipped} tests were skipped.`]
    : []),
  ...(clean_room === null ? ["The run in the project decided: the clean room is turned off."] : []),
  ...(clean_room?.run === null ? [`There was no clean room: ${clean_room.message}`] : []),
  ...(changed_tests.length === 0 ? [] : [`Tests that are not what they were: ${testsNamed(changed_tests)}.`])
]

const countsOf = ({ failed, passed, skipped }: Census): string =>
  [
    `${counted(passed, "test")} passed`,
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(skipped > 0 ? [`${skipped} skipped`] : [])
  ].join(", ")

const roomText = (room: CleanRoom): string =>
  `In the clean room it passes${isGreen(room) ? "" : " with new tests only"}${room.restored.length === 0 ? "" : `, with ${room.restored.join(", ")} as before`}.`

/** Items often share a command. */
export const untried = (checks: ReadonlyArray<CheckRun>): string =>
  [
    ...new Set(
      checks.map(
        ({ ablation, command, not_run }) =>
          `\`${command}\` ${not_run === undefined ? `has not shown anything: ${ablation?.message ?? ""}` : `could not be run: ${not_run}`}`
      )
    )
  ].join(" ")
