import { existsSync, realpathSync } from "node:fs"
import { hostname } from "node:os"
import * as Path from "node:path"
import { type Driver, driverOf, Engine, LogUnavailable, Presence, type RunId } from "@proofline/kernel"
import { NotDone, type Project } from "@proofline/plugins/frontends/http"
import type { ProblemItem, ResumeRequest, StartRequest } from "@proofline/plugins/frontends/http/api"
import {
  asFlags,
  flagName,
  promptOptions,
  type RunOptions,
  resumeOptions,
  startOptions
} from "@proofline/plugins/options"
import { Effect, Schedule, Schema } from "effect"
import { isWithin, type ProjectPaths } from "../base/paths.ts"
import type { Problem } from "../base/problems.ts"
import { stateOf } from "../project/state.ts"
import { readRows } from "../reading/rows.ts"
import { type Child, type ChildData, type Children, fromProject, makeChildren } from "./children.ts"

/** How often the log is asked whether a run has begun; ms. */
const lookEveryMs = 50

/** So long it is waited for the process of a run that has ended, ms: an agent may take its time to end. */
const releasedWithinMs = 15_000

/** What starting a run asks. */
interface Starting {
  readonly paths: ProjectPaths
  readonly children: Children
  readonly engine: Engine["Service"]
  readonly presence: Presence["Service"]
}

/** Starting and resuming runs as processes of their own. They are interrupted when the scope closes. */
export const makeStarting = Effect.fnUntraced(function* (paths: ProjectPaths) {
  const starting: Starting = {
    paths,
    children: yield* makeChildren(paths),
    engine: yield* Engine,
    presence: yield* Presence
  }
  return {
    start: (request) => start(starting, request),
    resume: (run, request) => resume(starting, run, request)
  } satisfies Pick<Project["Service"], "start" | "resume">
})

const start = Effect.fnUntraced(function* (starting: Starting, request: StartRequest) {
  const { checklist = [], checks = [], file, prompt, ...options } = request
  if (file !== undefined) {
    if (prompt !== undefined) return yield* notDone("invalid", notBoth)
    yield* onlyOf(startOptions, request, ["file"], "a prompt")
    const args = ["run", ...asFlags(startOptions, options), "--", yield* fileOf(file, starting.paths.root)]
    return yield* begin(starting, args, null)
  }
  if (prompt === undefined) return yield* notDone("invalid", nothingNamed)
  yield* onlyOf(promptOptions, request, ["prompt", "checks", "checklist"], "a file")
  const items = [...checks.map((check) => `--check=${check}`), ...checklist.map((item) => `--item=${item}`)]
  // not as an argument: those are bounded, and everybody on the machine sees them
  return yield* begin(starting, ["chunk", ...asFlags(promptOptions, options), ...items, "--", "-"], null, prompt)
})

/** Nothing is named that would be passed over. */
const onlyOf = (
  options: RunOptions,
  request: StartRequest,
  others: ReadonlyArray<string>,
  of: string
): Effect.Effect<void, NotDone> => {
  const [strange] = Object.keys(request).filter((key) => !Object.hasOwn(options, key) && !others.includes(key))
  return strange === undefined ? Effect.void : notDone("invalid", misplaced(strange, of))
}

const resume = Effect.fnUntraced(function* (starting: Starting, run: RunId, request: ResumeRequest) {
  const { engine } = starting
  const named = stateOf(yield* engine.load(run)).run
  const whole = named.parent_run_id === null ? named : stateOf(yield* engine.load(named.parent_run_id)).run
  if (whole.status === "none") return yield* notDone("unknown", runUnknown(run))
  if (whole.status === "completed") return yield* notDone("conflict", runCompleted(whole.run_id))
  if (whole.status !== "running") yield* released(starting, whole.run_id)
  return yield* begin(starting, ["resume", ...asFlags(resumeOptions, request), "--", whole.run_id], whole.run_id)
})

const begin = Effect.fnUntraced(function* (
  starting: Starting,
  args: ReadonlyArray<string>,
  run: RunId | null,
  stdin?: string
) {
  const child = yield* starting.children.start(args, stdin)
  if (typeof child === "string") return yield* noProcess(child)
  const looking = Effect.gen(function* () {
    for (;;) {
      // a child has nothing to show before it has loaded
      yield* Effect.sleep(lookEveryMs)
      const found = yield* drivenBy(starting, child.pid, run)
      if (found !== null) return found
    }
  })
  const begun = yield* Effect.raceFirst(looking, endedEarly(child, starting.paths))
  child.begun(begun)
  return begun
})

/** Whoever holds the run has begun it, or taken it up: its log says so. */
const isBegun = Effect.fnUntraced(function* ({ engine }: Starting, run: RunId, { host, pid, since }: Driver) {
  const { driver } = stateOf(yield* engine.load(run)).run
  return driver?.pid === pid && driver.host === host && driver.since === since
})

const driving = ({ presence }: Starting, run: RunId) => Effect.provideService(driverOf(run), Presence, presence)

/** The run that the process drives; null: none so far. `run` is the one it was told to take up. */
const drivenBy = Effect.fnUntraced(function* (starting: Starting, pid: number, run: RunId | null) {
  const isIt = (driver: Driver | null): driver is Driver => driver?.pid === pid && driver.host === hostname()
  if (run !== null) {
    const driver = yield* driving(starting, run)
    return isIt(driver) && (yield* isBegun(starting, run, driver)) ? run : null
  }
  // a log that cannot be read now may be read the next time; the process says what is wrong with it
  const rows = yield* Effect.orElseSucceed(readRows(starting.paths), () => [])
  const row = rows.find(({ driver, parent_run_id }) => isIt(driver) && parent_run_id === null)
  return row?.driver && (yield* isBegun(starting, row.run_id, row.driver)) ? row.run_id : null
})

/** The process of a run that was ended just now may still be ending its agents: soon it is out of the way. */
const released = (starting: Starting, run: RunId) =>
  Effect.repeat(driving(starting, run), {
    schedule: Schedule.spaced(lookEveryMs),
    until: (driver) => driver === null
  }).pipe(Effect.timeoutOption(releasedWithinMs))

/** It ended before anybody saw it at work: with a run that was over at once, or with what is wrong. */
const endedEarly = (child: Child, paths: ProjectPaths): Effect.Effect<RunId, NotDone | LogUnavailable> =>
  Effect.flatMap(
    Effect.promise(() => child.ended),
    ({ data, tail }) =>
      typeof data?.run_id === "string" ? Effect.succeed(data.run_id) : Effect.fail(failureOf(data, tail, paths))
  )

const failureOf = (data: ChildData | null, tail: string, { root }: ProjectPaths): NotDone | LogUnavailable => {
  for (const { code, hint, message } of data?.problems ?? []) {
    // it is the same log that cannot be used here
    if (isOfLog(code)) return new LogUnavailable({ code, message, hint })
  }
  const problems = (data?.problems ?? []).map(
    ({ file, hint, message, ...problem }): ProblemItem => ({
      ...problem,
      message: inFields(message),
      hint: inFields(hint),
      ...(file === undefined ? {} : { file: fromProject(file, root) })
    })
  )
  if (problems.length === 0) return new NotDone({ kind: "invalid", problems: [endedSilently(tail)] })
  const kinds = problems.flatMap(({ kind }) => kind ?? [])
  return new NotDone({ kind: kinds.find((one) => one === "unknown") ?? kinds[0] ?? "invalid", problems })
}

/** What the command line says of its flags, in the names that the fields of a request have. */
const inFields = (text: string): string =>
  text.replaceAll(/(`?)--([a-z][a-z-]*)\1/g, (said, mark: string, flag: string) => {
    const field = fieldNames.get(flag)
    return field === undefined ? said : mark === "" ? `\`${field}\`` : `${mark}${field}${mark}`
  })

const fieldNames: ReadonlyMap<string, string> = new Map(
  [startOptions, promptOptions, resumeOptions].flatMap((options) =>
    Object.keys(options).map((key) => [flagName(key), key] as const)
  )
)

const isOfLog = Schema.is(LogUnavailable.fields.code)

const notDone = (kind: NotDone["kind"], problem: Problem): Effect.Effect<never, NotDone> =>
  Effect.fail(new NotDone({ kind, problems: [problem] }))

const noProcess = (why: string) =>
  notDone("conflict", {
    code: "process_not_started",
    message: `The system starts no process for it (${why}).`,
    hint: "Wait until other work has ended, then try again; the project directory has to be there."
  })

const endedSilently = (tail: string): Problem => ({
  code: "run_not_begun",
  message: `The run ended before it began. ${tail.trim().split("\n").at(-1)?.slice(0, 500) ?? ""}`.trim(),
  hint: "Start it on the command line to see more."
})

const nothingNamed: Problem = {
  code: "start_nothing",
  message: "It is not said what is to be run.",
  hint: "Name a tasks.yaml or requirements.yaml of the project as `file`, or give a `prompt`."
}

const notBoth: Problem = {
  code: "start_both",
  message: "A file and a prompt cannot be run at once.",
  hint: "Leave one of `file` and `prompt` out."
}

const misplaced = (key: string, of: string): Problem => ({
  code: "option_misplaced",
  message: `\`${key}\` is an option of ${of}.`,
  hint: "Leave it out."
})

const runUnknown = (run: string): Problem => ({
  code: "run_unknown",
  message: `There is no run ${run}.`,
  hint: "Look at the list of runs for those there are."
})

const runCompleted = (run: string): Problem => ({
  code: "run_completed",
  message: `Run ${run} is completed: nothing of it is left to do.`,
  hint: "Start its file again to run it once more."
})

/** The file, absolute: it lies in the project wherever its links lead, and cannot be taken for a flag. */
const fileOf = (named: string, root: string): Effect.Effect<string, NotDone> =>
  Effect.suspend(() => {
    const segments = named.split("/")
    const isPlain =
      named !== "" &&
      named.length <= 4_096 &&
      !named.includes("\0") &&
      !named.includes("\\") &&
      !Path.isAbsolute(named) &&
      !segments.includes("..")
    if (!isPlain) return notDone("invalid", outside(named))
    const file = Path.join(root, named)
    if (!existsSync(file)) return notDone("invalid", missing(named))
    const [project, found] = [realpathSync(root), realpathSync(file)]
    return found !== project && isWithin(project, found) ? Effect.succeed(file) : notDone("invalid", outside(named))
  })

const outside = (file: string): Problem => ({
  code: "file_outside_project",
  message: `${JSON.stringify(file.slice(0, 200))} is no path of a file inside the project.`,
  hint: "Name a tasks.yaml or requirements.yaml by its path from the project directory, with `/`."
})

const missing = (file: string): Problem => ({
  code: "file_not_found",
  message: `The file ${file} does not exist.`,
  file,
  hint: "Name a tasks.yaml or requirements.yaml by its path from the project directory."
})
