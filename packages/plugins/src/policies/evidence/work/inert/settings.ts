import { truthOf } from "../../../../text/conditions.ts"
import { anyOf, standingIn } from "../../asked/words.ts"
import { type InertRule, mayBeOff, nextRow, rowAt, shown } from "./newRows.ts"

/** A row of a file by which there is nothing left of what an item asks for. */
interface Leaving {
  readonly path: RegExp
  readonly asked: RegExp
  readonly row: RegExp
  /** Of what a new row has beside it: something is left. */
  readonly beside?: RegExp
  /** Items for which such a row does the work. */
  readonly unless?: RegExp
}

/** `updates: []` of Dependabot, `"lodash": "*"` where it is to be pinned, `location /health { }`. */
export const nothingLeft: InertRule = (code) => {
  if (mayBeOff(code.item) || ofOther.test(code.item)) return null
  const forms = leaving.filter(
    ({ asked, beside, path, row: form, unless }) =>
      path.test(code.path) &&
      asked.test(code.item) &&
      unless?.test(code.item) !== true &&
      !code.rows.some((row) => beside?.test(rowAt(code, row).replace(form, "")) === true)
  )
  const at = code.rows.find((row) => forms.some((one) => one.row.test(rowAt(code, row))))
  const isOnly = forms.every(
    ({ path, row: form }) => !path.test(".gitignore") || code.rows.every((row) => form.test(rowAt(code, row)))
  )
  if (!isOnly) return null
  return at === undefined
    ? null
    : `Nothing is left there of what the item asks for: ${shown(rowAt(code, at))}. Let it do that.`
}

const ofOther = anyOf([standingIn, String.raw`any|every version|everyone|unpin\w*`])

const leaving: ReadonlyArray<Leaving> = [
  {
    path: /dependabot\.ya?ml$/,
    asked: /\b(?:dependabot|updat\w*)\b/i,
    row: /^updates:\s*\[\s*\]$|^open-pull-requests-limit:\s*0$/
  },
  {
    path: /\.pre-commit-config\.ya?ml$/,
    asked: /^(?:add|check|enable|format|lint|run|use)\b/i,
    row: /^(?:exclude:\s*["']?(?:\^?\.\*\$?)["']?|files:\s*["']?\^\$["']?|(?:-\s*)?hooks:\s*\[\s*\])$/
  },
  {
    path: /\.pre-commit-config\.ya?ml$/,
    asked: /\b(?:before|each|every|on) (?:each |every )?commits?\b/i,
    row: /^stages:\s*\[\s*manual\s*\]$/
  },
  {
    path: /\.(?:github|gitea|forgejo)\/workflows\//,
    asked: /\b(?:builds?|checks?|lints?|runs?|tests?|deploys?)\b/i,
    row: /^(?:branches|tags|paths):\s*\[\s*\]$/
  },
  {
    path: /(?:^|\/)package\.json$/,
    asked: /^(?:freeze|lock|pin)\b/i,
    row: /^"[\w@/.-]+":\s*"(?:\*|latest|x|>=0(?:\.0\.0)?)",?$/
  },
  {
    path: /(?:^|\/)package\.json$/,
    asked: /^(?:demand|require|restrict)\b/i,
    row: /"engines":\s*\{\s*(?:"\w+":\s*"(?:\*|>=0(?:\.0\.0)?)"\s*)?\}/
  },
  {
    path: /\.toml$/,
    asked: /^(?:freeze|lock|pin|require)\b/i,
    row: /^(?:[\w-]+|requires-python)\s*=\s*"(?:\*|>=0(?:\.0)?)"$/
  },
  {
    path: /schema|\.json$/i,
    asked: /^(?:enforce|reject|require|validate)\b/i,
    row: /"required":\s*\[\s*\]|"min(?:Length|Items|Properties)":\s*0\b|"pattern":\s*"(?:\^?\.\*\$?)"|^"properties":\s*\{\s*"\w+":\s*\{\s*\}\s*\},?$/,
    beside: /"(?:additionalProperties|const|enum|format|max\w+|min\w+|multipleOf|pattern|required|uniqueItems)"\s*:/
  },
  {
    path: /\.ya?ml$/,
    asked: /\b(?:non-?root|privileg\w*|read-?only|security context|capabilit\w*)\b/i,
    row: /^securityContext:\s*\{\s*\}$/
  },
  { path: /nginx|\.conf$/i, asked: /^(?:add|configure|create|define|serve)\b/i, row: /^location\s[^{]*\{\s*\}$/ },
  {
    path: /\.service$/,
    asked: /\b(?:restart|runs?|services?|starts?)\b/i,
    row: /^ExecStart=\s*(?:\/usr)?\/bin\/(?:true|false|echo\b.*)$/
  },
  {
    path: /(?:^|\/)(?:crontab|cron\.d\/[\w-]+)$|\.cron$/,
    asked: /./,
    row: /^\S+\s+\S+\s+(?:3[01]\s+0?2\b|31\s+(?:0?[469]|11)\b)|^(?:\S+\s+){5}(?:\w+\s+)?(?:\/(?:usr\/)?bin\/)?(?:true|:)$/
  },
  {
    path: /(?:^|\/)BUILD(?:\.bazel)?$/,
    asked: /^(?:add|create|define|write)\b/i,
    row: /^srcs\s*=\s*(?:\[\s*\]|glob\(\s*\[\s*\]\s*\)),?$/,
    beside: /^(?:data|deps|exports|hdrs|textual_hdrs)\s*=\s*(?!\[\s*\])/
  },
  {
    path: /\.graphqls?$/,
    asked: /\b(?:field|mutation|quer(?:y|ies)|subscription|type)\b/i,
    row: /^_(?:empty|dummy|placeholder|todo)\b\s*:/i
  },
  { path: /\.proto$/, asked: /\bmessage\b.*\b(?:with|of|holding)\b/i, row: /^message \w+\s*\{\s*\}$/ },
  {
    path: /(?:^|\/)CMakeLists\.txt$|\.cmake$/,
    asked: /\b(?:targets?|tests?|commands?)\b/i,
    row: /\bCOMMAND\s+(?:true|echo\b[^)]*|\$\{CMAKE_COMMAND\} -E (?:true|echo\b[^)]*))\s*\)$/,
    unless: /\b(?:echo\w*|list\w*|print\w*|say|says|show\w*|tells?)\b/i
  },
  { path: /(?:^|\/)(?:GNU)?[Mm]akefile$|\.mk$/, asked: /\btargets?\b/i, row: /^[\w-]+\s*:\s*;\s*(?:@?true|@?:)?$/ },
  {
    path: /\.ya?ml$/,
    asked: /\b(?:endpoint|document\w*|operation|paths?|get|post|put|delete)\b/i,
    row: /^(?:["']?\/[\w{}/.-]*["']?|get|post|put|patch|delete):\s*\{\s*\}$/
  },
  { path: /(?:^|\/)CODEOWNERS$/, asked: /\bown(?:er|ers|s)?\b/i, row: /^[^\s@#]+$/ },
  { path: /(?:^|\/)\.\w*ignore$/, asked: /^ignore\b/i, row: /^!/ },
  {
    path: /\.rb$/,
    asked: /\b(?:authenticat\w*|check\w*|requir\w*|validat\w*)\b/i,
    row: /\b(?:if:\s*(?:false|->\s*(?:\([^()]*\)\s*)?\{\s*false\s*\})|(?:on|only):\s*\[\s*\]|presence:\s*false)/
  },
  { path: /\.rs$/, asked: /./, row: /^#\[cfg\((?:any\(\s*\)|FALSE)\)\]$/ },
  { path: /\.go$/, asked: /\b(?:cancel\w*|deadlines?|time-?outs?)\b/i, row: /^_, \w+ :?= context\.With/ }
]

/** What is to accept some, and accepts all: `/.*\/.test(email)`, `z.any()`. */
export const fitsAll: InertRule = (code) => {
  if (code.outline === null || !/\b(?:check\w*|reject\w*|requir\w*|restrict\w*|valid\w*|verif\w*)\b/i.test(code.item))
    return null
  const at = code.rows.find((row) => anything.some((form) => form.test(rowAt(code, row))))
  const isMore = code.rows.some(
    (row) =>
      row !== at &&
      /\b(?:z|Joi|yup|v)\.(?!any|unknown|mixed)\w+|\.test\(|\bre\.|=== ?|!== ?|[<>]/.test(
        rowAt(code, row).replace(/=>/g, "")
      ) &&
      !anything.some((form) => form.test(rowAt(code, row)))
  )
  return at === undefined || isMore || mayBeOff(code.item) || ofOther.test(code.item)
    ? null
    : `Everything fits what is asked there: ${shown(rowAt(code, at))}. Ask what can fail.`
}

const any = String.raw`\^?(?:\.\*|\[\\s\\S\]\*|\[\\S\\s\]\*|\(\?:\.\|\\n\)\*)\$?`
const anything = [
  new RegExp(String.raw`(?<![\w)\]])\/${any}\/[a-z]*\.test\(`),
  new RegExp(String.raw`\bre\.(?:match|search|fullmatch)\(\s*r?["']${any}["']`),
  new RegExp(String.raw`\bpreg_match\(\s*["']\/${any}\/[a-z]*["']`),
  new RegExp(String.raw`\bregexp\.MustCompile\(\s*["\x60]${any}["\x60]`),
  new RegExp(String.raw`\.matches\(\s*"${any}"\s*\)`),
  /= (?:z\.(?:any|unknown)|[Jj]oi\.any|yup\.mixed|v\.any)\(\);?$/
]

/** An alarm that never comes: what it asks is written out, or is never less than nothing. */
export const neverAlarms: InertRule = (code) => {
  if (!/\.ya?ml$/.test(code.path) || !/\balert\w*\b|\balarm\w*\b/i.test(code.item)) return null
  const asked = code.rows.flatMap((row) => {
    const [, said] = /^(?:-\s*)?expr:\s*(.+)$/.exec(rowAt(code, row)) ?? []
    return said === undefined || /^[|>]/.test(said) ? [] : [{ row, said: said.replace(/^(["'])(.*)\1$/, "$2") }]
  })
  const isNever = (said: string): boolean =>
    truthOf(said.replace(/\b(?:vector|scalar)\(\s*(-?[\d.]+)\s*\)/g, "$1").replace(/\bbool\s+/g, ""), () => false) ===
      false ||
    /^(?:sum|count|rate|increase|irate|histogram_quantile)\b[^<>=]*(?:<\s*0|>\s*\+?Inf|==\s*-\d+)$/i.test(said)
  const [one] = asked
  return one !== undefined && asked.every(({ said }) => isNever(said))
    ? `It never alarms: ${shown(rowAt(code, one.row))}. Let it alarm when the item says.`
    : null
}

/** In a document, what it said already, or the head of a table without rows. */
export const saidBefore: InertRule = (code) => {
  if (!/\.(?:md|mdx|markdown|rst|adoc)$/i.test(code.path)) return null
  const rows = code.rows.filter((row) => /\w/.test(rowAt(code, row)) && !/^#{1,6}\s/.test(rowAt(code, row)))
  const isNew = new Set(code.fresh)
  const old = new Set(
    code.texts.flatMap((text, row) => (isNew.has(row) || text.trim().length < longEnough ? [] : [text.trim()]))
  )
  const isHead = (row: number): boolean =>
    /^\|.*\|$/.test(rowAt(code, row)) &&
    /^\|[\s:|-]+\|$/.test(rowAt(code, nextRow(code, row))) &&
    !rowAt(code, nextRow(code, nextRow(code, row))).startsWith("|")
  const [first] = rows
  if (
    first === undefined ||
    /\b(?:again|also|both|each|every|move\w*|repeat\w*|reorder\w*|sort\w*|table head\w*|too)\b/i.test(code.item)
  )
    return null
  return rows.every(
    (row) => (/^\p{L}(?:\S*\s+){5,}/u.test(rowAt(code, row)) && old.has(rowAt(code, row))) || isHead(row)
  )
    ? `It says nothing that is not said there already: ${shown(rowAt(code, first))}. Write what the item asks for.`
    : null
}
const longEnough = 30
