import type { LineRange } from "../../../port/index.ts"
import { withoutEnd } from "../../../text/lines.ts"
import { saidOf } from "../asked/said.ts"
import { anyOf, off, standingIn } from "../asked/words.ts"
import { rowsIn } from "../code/rowsIn.ts"
import { topicOf } from "./idle/commands.ts"
import {
  ansibleOff,
  imageHealth,
  imageUnits,
  javaOff,
  jenkinsUnits,
  leftOff,
  recipeUnits,
  scriptUnits,
  serviceHealth,
  serviceOff,
  shellUnits,
  terraformOff,
  toxUnits
} from "./idle/files.ts"
import { pipelineUnits } from "./idle/pipelines.ts"
import { type Asked, idleUnits, runsNothing, type Unit } from "./idle/units.ts"
import { entriesOf } from "./idle/yaml.ts"
import type { FileNow } from "./lineProof.ts"

/**
 * Why what stands in a configuration can never do what an item asks for, as a sentence: it runs nothing (`run: true`, a job without
 * steps), it is off (`if: false`, `count = 0`), or what a test, a linter, a type check or a build finds is thrown away (`npm test || true`).
 * Null: it may, or the item asks for something of the kind. `fresh`: rows of the file that are new. Pure.
 */
export const idleConfigIn = (
  item: string,
  { lines, path }: Pick<FileNow, "lines" | "path">,
  fresh: ReadonlyArray<number>,
  { end, start }: LineRange
): string | null => {
  const found = formats.filter(([name]) => name.test(path))
  const said = saidOf(item)
  if (found.length === 0 || isMade(lines) || ofOff.test(item) || otherWork.test(said)) return null
  const rows = rowsIn(fresh, { start, end })
  if (rows.length === 0) return null
  const file = { path, fresh, rows, lines: lines.map((line) => withoutEnd(line).slice(0, maxLine)) }
  const isAsking = asking.test(said) || running.test(said) || (topicOf(said) !== null && !mending.test(said))
  const asked = { item: said, isIdle: !isAsking || ofIdle.test(item), isAsking }
  for (const [, why] of found) {
    const reason = why(asked, file)
    if (reason !== null) return reason
  }
  return null
}

/** Whether it is a configuration of a kind that is known. */
export const isConfiguration = (path: string): boolean => formats.some(([name]) => name.test(path))

/** Longer files are made by programs. */
const isMade = (lines: ReadonlyArray<string>): boolean =>
  lines.length > maxLines || lines.reduce((sum, line) => sum + line.length, 0) > maxText
const maxLines = 3_000
const maxText = 200_000
const maxLine = 2_000

const asking =
  /^(?:add|build|check|configure|create|define|deploy|enable|ensure|implement|install|introduce|lint|make|provide|provision|publish|run|set ?up|test|use|write)\b|を?(?:追加|作成|設定|実行|導入|用意)/i
/** `CI runs the tests`, `The pipeline fails when a test fails`, `The image has a health check` */
const running =
  /\b(?:runs?|executes?|checks?|fails? (?:if|when|on)|verif(?:y|ies)|tests|lints?|builds?|compiles|deploys?|installs?|probes?)\b|\b(?:are|is|gets?) (?:run|executed|checked|tested|linted|built)\b|\bhas (?:an? )?(?:health|test|lint|build|check)|\b(?:exists?|is (?:there|created|configured|defined|in place|available)|there is)\b/i
const mending =
  /^(?:adapt|adjust|annotate|cache|change|collect|convert|correct|fix|format|improve|increase|reduce|publish|refactor|replace|report|rewrite|save|share|shorten|simplify|speed|store|switch|update|upgrade|upload)\w*\b/i
const otherWork =
  /^(?:rename|move|remove|delete|drop|document|reorder|sort|comment|pin|bump|indent|silence|mute|revert|clean|tidy)\w*\b/i
const ofOff = anyOf(
  [
    off,
    standingIn,
    String.raw`skip\w*|to (?:zero|none)|temporar\w*|(?:not|n't|never|no longer|without) (?:be )?run\w*`
  ],
  "無効|雛形|スキップ"
)
const ofIdle =
  /\b(?:banner|conclusion|debug\w*|display\w*|echo\w*|empty|force|gate|green|hello|help|info|lists?|logs?|messages?|needs?|nothing|others|outputs?|override\w*|pass|passes|phony|prints?|printing|required|says?|show\w*|succeed\w*|success\w*|summary|usage|versions?|warn\w*)\b|表示|出力/i

interface Known extends Asked {
  /** It asks for something to be there, or to be run. */
  readonly isAsking: boolean
}

interface Config {
  readonly path: string
  /** Without their ends. */
  readonly lines: ReadonlyArray<string>
  /** Rows that are new, and those of them that are cited. */
  readonly fresh: ReadonlyArray<number>
  readonly rows: ReadonlyArray<number>
}

type Why = (asked: Known, file: Config) => string | null

/** What else is new in the file may be the other half of it. */
const pipeline: Why = (asked, { fresh, lines, rows }) => {
  const isNew = new Set(fresh)
  const units = pipelineUnits(entriesOf(lines), (row) => isNew.has(row), lines.join("\n"), byItself.test(asked.item))
  const found = asked.isAsking ? idleUnits(asked, units, rows, fresh) : null
  return found ?? (asked.isIdle ? null : withoutSteps(asked.item, lines, rows, fresh, units))
}

/** A job of a workflow in which there is nothing at all. */
const withoutSteps = (
  item: string,
  lines: ReadonlyArray<string>,
  rows: ReadonlyArray<number>,
  fresh: ReadonlyArray<number>,
  units: ReadonlyArray<Unit>
): string | null => {
  const job = rows.find((row) => /^\s+runs-on:/.test(lines[row] ?? ""))
  const isNew = units.some(({ rows: [from, to] }) => fresh.some((row) => row >= from && row < to))
  if (job === undefined || isNew) return null
  // what only prepares is enough where nothing is asked that it would be for
  if (topicOf(item) === null && fresh.some((row) => /^\s*(?:- +)?uses:/.test(lines[row] ?? ""))) return null
  // a job whose steps are cited elsewhere is one all the same
  return units.some(({ scope: [from, to] }) => job >= from && job < to) ? null : runsNothing(lines[job] ?? "")
}

/** Only what is cited counts: each stands for itself. `around`: lines that say nothing by themselves. */
const single =
  (unitsOf: (lines: ReadonlyArray<string>) => ReadonlyArray<Unit>, around: RegExp): Why =>
  (asked, { lines, rows }) => {
    if (!asked.isAsking) return null
    const units = unitsOf(lines)
    const isOther = (row: number): boolean =>
      !around.test(lines[row] ?? "") && !units.some(({ scope: [from, to] }) => row >= from && row < to)
    return idleUnits({ ...asked, isIdle: asked.isIdle || rows.some(isOther) }, units, rows, rows)
  }

/** It is to be run without anybody who starts it. */
const byItself =
  /\b(?:push(?:es)?|pull requests?|PRs?|commits?|merges?|automatic\w*|nightly|daily|every (?:day|hour|night|week)|schedule\w*)\b/i
const ofHealth = /\bhealth\w*|\bprobes?\b|\bliveness\b|\breadiness\b|ヘルスチェック/i
const ofTests = /\btest\w*|テスト/i
const lenient = /\b(?:fail\w*|ignor\w*|packag\w*|release)\b|失敗|無視/i

const formats: ReadonlyArray<readonly [path: RegExp, why: Why]> = [
  [
    /(?:^|\/)(?:\.(?:github|gitea|forgejo)\/workflows\/[^/]+|action|\.gitlab-ci|\.gitlab\/.+|(?:\.azure-pipelines\/.+|azure-pipelines[^/]*)|\.circleci\/[^/]+|\.travis|bitbucket-pipelines|\.drone|\.woodpecker(?:\/.+)?|\.buildkite\/.+|\.?appveyor|cloudbuild|buildspec|\.semaphore\/.+|\.cirrus|[Tt]askfile|\.pre-commit-config|\.?lefthook)\.ya?ml$/,
    pipeline
  ],
  [/(?:^|\/)(?:Dockerfile|Containerfile)(?:\.[\w-]+)?$|\.dockerfile$/i, single(imageUnits, /^[\s\W]*$/)],
  [
    /(?:^|\/)(?:Dockerfile|Containerfile)(?:\.[\w-]+)?$|\.dockerfile$/i,
    ({ item }, { lines, rows }) => (ofHealth.test(item) ? imageHealth(lines, rows) : null)
  ],
  [
    /\.ya?ml$/,
    ({ isAsking, isIdle, item }, { lines, rows }) => {
      const isOfHealth = ofHealth.test(item)
      const entries = isOfHealth || isAsking ? entriesOf(lines) : []
      const sick = isOfHealth ? serviceHealth(entries, rows) : null
      return sick ?? (isAsking && !isIdle ? serviceOff(item, entries, rows) : null)
    }
  ],
  [/(?:^|\/)(?:package|composer|deno)\.jsonc?$/, single(scriptUnits, /^[\s\W]*$|^\s*"(?:scripts|tasks)":/)],
  [/(?:^|\/)(?:GNU)?[Mm]akefile$|\.mk$/, single(recipeUnits(/^\t/), /^\.PHONY\b|^\s*(?:#.*)?$|^[\w.-]+\s*[:?+!]*=/)],
  [/(?:^|\/)\.?[Jj]ustfile$|\.just$/, single(recipeUnits(/^\s/), /^\s*(?:#.*|\[[^\]]*\])?$/)],
  [/(?:^|\/)tox\.ini$/, single(toxUnits, /^\s*(?:\[.*\])?$/)],
  [/(?:^|\/)(?:\.husky|\.?git-?hooks|hooks)\/[\w.-]+$|\.(?:ba|z|k)?sh$/, single(shellUnits, /^$/)],
  [/(?:^|\/)Jenkinsfile(?:\.[\w-]+)?$|\.jenkinsfile$/i, single(jenkinsUnits, /^$/)],
  [/\.tf$/, ({ isAsking }, { lines, rows }) => (isAsking ? terraformOff(lines, rows) : null)],
  [
    /(?:^|\/)(?:tasks|handlers|playbooks?)\/[^/]+\.ya?ml$|(?:^|\/)(?:site|playbook)\.ya?ml$/,
    ({ isAsking }, { lines, rows }) => (isAsking ? ansibleOff(entriesOf(lines), rows) : null)
  ],
  [
    /(?:^|\/)pom\.xml$|\.gradle(?:\.kts)?$/,
    ({ isAsking, item }, { lines, rows }) =>
      isAsking && ofTests.test(item) && !lenient.test(item) ? javaOff(lines, rows) : null
  ],
  [
    /\.(?:ya?ml|json[c5]?|toml|ini|cfg|conf|properties|env)$|(?:^|\/)\.env(?:\.[\w-]+)?$/,
    ({ item }, { lines, rows }) =>
      /^(?:enable|turn on|switch on|activate)\b|を有効/i.test(item) &&
      !/\b(?:default|flag|option|setting)s?\b/i.test(item)
        ? leftOff(item, lines, rows)
        : null
  ]
]
