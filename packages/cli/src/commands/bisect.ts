import { defaultRunConfig, type ProjectTree } from "@proofline/kernel"
import { Effect } from "effect"
import { exitCodes, type Stop, stop } from "../base/problems.ts"
import { changedBetween } from "../bisect/changes.ts"
import { type Ask, type Culprit, culpritBetween } from "../bisect/culprit.ts"
import { type AttemptSeen, type RunTrees, type TreePoint, treeAt, treesOfRun } from "../bisect/points.ts"
import { type Change, findChange, type Verdict } from "../bisect/search.ts"
import { toldSteps } from "../bisect/steps.ts"
import { type TrialOptions, type TrialResult, tried } from "../bisect/trials.ts"
import { attemptName, attemptOf, momentName } from "../bisect/words.ts"
import { type Bisected, bisectDocument } from "../documents/bisect.ts"
import { invocation } from "../process/invocation.ts"
import { commandFor, print, printDocument, quoted, say } from "../process/output.ts"
import { withKernel } from "../project/withKernel.ts"
import { type RunChoice, withRunToRead } from "../reading/withRun.ts"
import { bisectText, trialLine } from "../render/bisect.ts"
import { count } from "../render/lines.ts"
import { styleFor, wantsColor } from "../render/style.ts"

export interface BisectOptions extends RunChoice {
  /** Version at which the command passes; the run's beginning when left out. */
  readonly good?: number | undefined
  /** Version at which it fails; the run's end when left out. */
  readonly bad?: number | undefined
  /** How often it is run with each tree. */
  readonly runs?: number | undefined
  /** In ms. */
  readonly timeout?: number | undefined
  /** The words of the command. */
  readonly command: ReadonlyArray<string>
  readonly json: boolean
}

/**
 * `proofline bisect [run] -- command`: the attempt of a run, and within it the step, after which a command fails. It is
 * run in throw-away copies of the project as it was then; the project itself is read and never written.
 */
export const bisect = Effect.fnUntraced(function* (given: BisectOptions) {
  const options = parted(given, yield* invocation)
  return yield* withRunToRead(options, (run, paths, none) =>
    withKernel(
      paths,
      {},
      Effect.gen(function* () {
        const command = yield* commandOf(options.command)
        const trees = yield* treesOfRun(run)
        if (trees.version === 0) return yield* none
        const points = yield* pointsOf(trees, options)
        const { asked, results } = asking(run, points, options, {
          command,
          runs: options.runs ?? 1,
          timeout_ms: options.timeout ?? trees.check_timeout_ms ?? defaultRunConfig.check_timeout_ms
        })
        const change = yield* changeAmong(points, asked)
        if (change.skipped.length > 0) return yield* inconclusive(points, change)
        const { bad, good } = neighbours(points, change)
        const culprit = yield* culpritBetween(trees, good, bad, asked)
        const found: Bisected = {
          ...aboutCulprit(run, command, culprit),
          good: endOf(points[0] as TreePoint, results),
          bad: endOf(points.at(-1) as TreePoint, results),
          steps: culprit.lines === null ? [] : yield* toldSteps(culprit.attempt?.steps ?? null, culprit.lines),
          ...(yield* changesOf(paths.root, culprit)),
          tried: results.map(({ trial }) => trial),
          notes: culprit.notes
        }
        yield* options.json
          ? printDocument(bisectDocument, found)
          : print(bisectText(found, styleFor(wantsColor(process.stdout)), commandFor(paths)))
        return exitCodes.proven
      })
    )
  )
})

/** Only `--` tells the run from the words of a command. */
const parted = (options: BisectOptions, args: ReadonlyArray<string>): BisectOptions => {
  const at = args.indexOf("--")
  const words = [...(options.run === undefined ? [] : [options.run]), ...options.command]
  const before = words.slice(0, at === -1 ? 1 : words.length - (args.length - at - 1))
  return { ...options, run: before[0], command: words.slice(before.length) }
}

/** One word is a line for the shell; of several each is one. */
const commandOf = (words: ReadonlyArray<string>): Effect.Effect<string, Stop> => {
  const command = words.length === 1 ? (words[0] as string) : words.map(quoted).join(" ")
  return command.trim() === ""
    ? Effect.fail(
        stop(exitCodes.usage, {
          code: "bisect_command",
          message: "There is no command to be run.",
          hint: "Name it behind `--`: proofline bisect -- npm test"
        })
      )
    : Effect.succeed(command)
}

/** The trees from `--good` to `--bad`. */
const pointsOf = Effect.fnUntraced(function* (
  trees: RunTrees,
  { bad = trees.version, good = 1 }: Pick<BisectOptions, "good" | "bad">
): Effect.fn.Return<ReadonlyArray<TreePoint>, Stop> {
  const { points, run_id, version } = trees
  if (good > version || bad > version || good >= bad) {
    return yield* stop(exitCodes.usage, {
      code: "bisect_versions",
      message: `--good ${good} and --bad ${bad} are not two versions of ${run_id}, one after the other: it has ${count(version, "event")}.`,
      hint: `See them with \`proofline events ${run_id}\`.`
    })
  }
  const from = treeAt(trees, good)
  const to = treeAt(trees, bad)
  const first = from === undefined ? 0 : points.indexOf(from)
  const found = to === undefined ? [] : points.slice(first, points.indexOf(to) + 1)
  if (found.length >= 2) return found
  if (trees.attempts.length === 0) {
    return yield* stop(exitCodes.usage, {
      code: "bisect_no_attempts",
      message: `No attempt of ${run_id} has begun so far, so none can have broken anything.`,
      hint: `\`proofline resume ${run_id}\` goes on with it; of a fork, look at the run that it was made of.`
    })
  }
  const without = trees.attempts.filter(({ files, trees }) => trees === null && (files === null || files.length > 0))
  return yield* stop(
    exitCodes.usage,
    found.length === 1 && without.length === 0
      ? {
          code: "bisect_same_tree",
          message: `From version ${good} to version ${bad} of ${run_id} no file of the project was changed.`,
          hint: `${good > 1 || bad < version ? "Leave --good and --bad out, or see" : "See"} what each attempt did: \`proofline show ${run_id}\`.`
        }
      : {
          code: "bisect_no_trees",
          message: `What the files were after the attempts of ${run_id} was not kept${problemOf(without)}`,
          hint: "Runs of an earlier Proofline did not keep it, and of sessions of pull mode nobody does."
        }
  )
})

const problemOf = (attempts: ReadonlyArray<AttemptSeen>): string => {
  const problem = attempts.find(({ trees }) => trees?.problem !== undefined)?.trees?.problem
  return problem === undefined ? "." : `: ${problem}`
}

interface Result {
  readonly tree: ProjectTree
  readonly trial: Bisected["tried"][number]
  readonly result: TrialResult
}

type Services = Effect.Services<ReturnType<typeof tried>>

/** Asks about a tree, and remembers all that was asked. */
const asking = (
  run: string,
  points: ReadonlyArray<TreePoint>,
  { json }: Pick<BisectOptions, "json">,
  options: TrialOptions
) => {
  const results: Array<Result> = []
  const style = styleFor(wantsColor(process.stderr))
  const asked: Ask<Stop, Services> = Effect.fnUntraced(function* (tree, what, attempt) {
    const known = results.find((one) => one.tree === tree)
    if (known !== undefined) return known.result.verdict
    const env = {
      PROOFLINE_RUN_ID: attempt?.run_id ?? run,
      ...(attempt === null ? {} : { PROOFLINE_TASK_ID: attempt.task_id, PROOFLINE_ATTEMPT: String(attempt.attempt) })
    }
    const result = yield* tried({ tree, what, env }, options)
    const { exit_code, problem, signal, timed_out, verdict } = result
    const trial = {
      what,
      version: points.find((point) => point.tree === tree)?.version ?? attempt?.ended ?? null,
      task_id: attempt?.task_id ?? null,
      attempt: attempt?.attempt ?? null,
      ...{ verdict, exit_code, signal, timed_out, problem }
    }
    results.push({ tree, trial, result })
    if (!json) yield* say(`${trialLine(trial, style)}\n`)
    return verdict
  })
  return { asked, results: results as ReadonlyArray<Result> }
}

/** Both ends first: where they are not as they were said to be, nothing in between can be found. */
const changeAmong = Effect.fnUntraced(function* (points: ReadonlyArray<TreePoint>, asked: Ask<Stop, Services>) {
  const ask = (index: number) => {
    const point = points[index] as TreePoint
    return asked(point.tree, momentName(point), attemptOf(point))
  }
  const last = points.length - 1
  const atGood = yield* ask(0)
  if (atGood !== "good") return yield* wrongEnd(points, 0, atGood, "good")
  const atBad = yield* ask(last)
  if (atBad !== "bad") return yield* wrongEnd(points, last, atBad, "bad")
  return yield* findChange(0, last, ask)
})

const wrongEnd = (points: ReadonlyArray<TreePoint>, index: number, verdict: Verdict, end: "good" | "bad"): Stop => {
  const point = points[index] as TreePoint
  const others = points.filter((one) => one !== point).map(({ asked_version }) => asked_version)
  const named =
    others.length === 0 ? "" : ` Files were changed by versions ${[...new Set(others)].slice(0, 20).join(", ")}.`
  const where = `At ${momentName(point)} (version ${point.version})`
  if (verdict === "skip") {
    return stop(exitCodes.usage, {
      code: "bisect_end_skipped",
      message: `${where} nothing can be told: the command says so (exit code 125), or the files cannot be had again.`,
      hint: `Name another version with --${end}. Trees are commits of the repository in which the run was made: \`proofline docs bisect\` says how they are brought here.`
    })
  }
  return end === "good"
    ? stop(exitCodes.usage, {
        code: "bisect_good_fails",
        message: `${where} the command fails already.`,
        hint: `Name a version at which it passes with --good; no attempt before that is looked at.${named}`
      })
    : stop(exitCodes.unmet, {
        code: "bisect_bad_passes",
        message: `${where} the command passes: nothing broke it.`,
        hint: `Name a version at which it fails with --bad.${named}`
      })
}

const neighbours = (points: ReadonlyArray<TreePoint>, { bad, good }: Change) => ({
  good: points[good] as TreePoint,
  bad: points[bad] as TreePoint
})

const inconclusive = (points: ReadonlyArray<TreePoint>, change: Change): Stop => {
  const { bad, good } = neighbours(points, change)
  const among = [...change.skipped, change.bad].map((index) => {
    const point = points[index] as TreePoint
    const attempt = attemptOf(point)
    return attempt === null ? momentName(point) : attemptName(attempt)
  })
  return stop(exitCodes.unmet, {
    code: "bisect_inconclusive",
    message: `It passes at ${momentName(good)} (version ${good.version}) and fails at ${momentName(bad)} (version ${bad.version}); what lies between was skipped. It is one of: ${[...new Set(among)].join(", ")}.`,
    hint: "Let the command end with another code than 125 there."
  })
}

const endOf = (point: TreePoint, results: ReadonlyArray<Result>): Bisected["good"] => ({
  version: point.version,
  exit_code: results.find(({ tree }) => tree === point.tree)?.result.exit_code ?? null
})

const aboutCulprit = (asked_run_id: string, command: string, { attempt, run_id, task_id, version }: Culprit) => ({
  run_id,
  asked_run_id,
  attempt: attempt?.attempt ?? null,
  task_id,
  version,
  agent: attempt?.agent ?? null,
  outcome: attempt?.outcome ?? null,
  claim: attempt?.summary ?? null,
  command
})

/** What differs, and whether the attempt is known to have changed it. */
const changesOf = Effect.fnUntraced(function* (root: string, { attempt, bad, good }: Culprit) {
  const files = yield* changedBetween(root, good, bad)
  const own = attempt?.files ?? null
  return {
    files: files.map((file) => ({ ...file, by_attempt: own === null ? null : own.includes(file.path) })),
    trees: { good: good.commit, bad: bad.commit }
  }
})
