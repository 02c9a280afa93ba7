import { Effect, Result, Schema } from "effect"
import { exitCodes, stop } from "../base/problems.ts"
import { readText } from "../project/files.ts"

/** What a change of CI is made of, as names of commits; null: it does not say. */
export interface CiRange {
  readonly head: string | null
  readonly base: string | null
  /** The base is where a branch was, which nobody may have any more: without it the head alone is looked at. */
  readonly mayLackBase: boolean
}

type Environment = Readonly<Record<string, string | undefined>>

const nothing: CiRange = { head: null, base: null, mayLackBase: false }

/** The pull request, merge request or push that CI runs for, as GitHub or GitLab says it. */
export const ciRange = Effect.fnUntraced(function* (environment: Environment) {
  const said = (name: string): string | null => idOf(environment[name])
  const event = environment["GITHUB_EVENT_PATH"] ?? ""
  if (event !== "") {
    const found = yield* fromEvent(event)
    const branch = said("GITHUB_BASE_REF")
    const base = found.base ?? (branch === null ? null : `origin/${branch}`)
    return { ...found, head: found.head ?? said("GITHUB_SHA"), base }
  }
  const merged = said("CI_MERGE_REQUEST_DIFF_BASE_SHA")
  if (merged !== null)
    return {
      head: said("CI_MERGE_REQUEST_SOURCE_BRANCH_SHA") ?? said("CI_COMMIT_SHA"),
      base: merged,
      mayLackBase: false
    }
  if (environment["GITLAB_CI"] !== undefined)
    return { head: said("CI_COMMIT_SHA"), base: said("CI_COMMIT_BEFORE_SHA"), mayLackBase: true }
  return nothing
})

/** Empty, and nothing but zeros: there is none. */
const idOf = (text: string | undefined): string | null => (text === undefined || /^0*$/.test(text) ? null : text)

const Commit = Schema.Struct({ sha: Schema.String })
const GithubEvent = Schema.Struct({
  pull_request: Schema.optionalKey(Schema.Struct({ head: Commit, base: Commit })),
  merge_group: Schema.optionalKey(Schema.Struct({ head_sha: Schema.String, base_sha: Schema.String })),
  before: Schema.optionalKey(Schema.NullOr(Schema.String)),
  after: Schema.optionalKey(Schema.NullOr(Schema.String))
})
const decode = Schema.decodeUnknownResult(Schema.fromJsonString(GithubEvent))

const fromEvent = Effect.fnUntraced(function* (file: string) {
  const event = decode(yield* readText(file, file))
  if (Result.isFailure(event)) {
    return yield* stop(exitCodes.usage, {
      code: "ci_event_unreadable",
      message: `GITHUB_EVENT_PATH names no event of GitHub: ${String(event.failure.message).split("\n")[0]}`,
      file,
      hint: "Name the commits with --base and --head, or unset GITHUB_EVENT_PATH."
    })
  }
  const { after, before, merge_group, pull_request } = event.success
  if (pull_request !== undefined)
    return { head: idOf(pull_request.head.sha), base: idOf(pull_request.base.sha), mayLackBase: false }
  if (merge_group !== undefined)
    return { head: idOf(merge_group.head_sha), base: idOf(merge_group.base_sha), mayLackBase: false }
  return { head: idOf(after ?? undefined), base: idOf(before ?? undefined), mayLackBase: true }
})
