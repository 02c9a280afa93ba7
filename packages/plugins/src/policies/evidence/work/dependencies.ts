import { escaped } from "../../../text/escaped.ts"
import { saidOf } from "../asked/said.ts"

/**
 * The dependencies that an item asks to drop altogether: `Drop the dependency lodash`, `Remove the left-pad package`. None where it
 * speaks of one list of several, or of something in its place. Pure.
 */
export const dependenciesToDrop = (item: string): ReadonlyArray<string> => {
  const text = saidOf(item).slice(0, maxItem)
  if (ofLists.test(text)) return []
  const found = forms.flatMap(
    (form) =>
      form
        .exec(text)
        ?.slice(1)
        .find((one) => one !== undefined) ?? []
  )
  return [
    ...new Set(
      found
        .flatMap((names) => names.split(/\s*,\s*(?:and\s+)?|\s+and\s+|\s*[、と]\s*/))
        .map((name) => name.replace(/[\x60"']/g, ""))
        .filter((name) => name !== "")
    )
  ]
}

const maxItem = 500
const ofLists =
  /\bdev-?\s?dependenc|\bpeer|\boptional|\bdirect\b|\bmov(?:e|es|ed|ing)\b|\breplac|\binstead\b|\bin favou?r\b|\bfrom (?:the )?(?:runtime |production )?dependencies\b|開発|置き換|移動/i
const name = String.raw`[\x60"']?@?[A-Za-z][\w./-]*\w[\x60"']?`
const names = String.raw`${name}(?:(?:\s*,\s*(?:and\s+)?|\s+and\s+)${name})*`
const verb = String.raw`^(?:remov(?:es?|ed|ing)|delet(?:es?|ed|ing)|drop(?:s|ped|ping)?|uninstall\w*|get rid of)\s+`
const thing = "(?:dependenc(?:y|ies)|packages?|librar(?:y|ies)|crates?|gems?|npm packages?)"
const ends = String.raw`(?=\s*(?:$|[.,;:–—])|\s+(?:\(|(?:from|in|as|since|because|which|that|and|entirely|completely|altogether)\b))`
const forms = [
  new RegExp(String.raw`${verb}(?:the |our |all |unused |old |unneeded )*${thing}\s+(?:on )?(${names})${ends}`, "i"),
  new RegExp(String.raw`${verb}(?:the |our |unused |old |unneeded )*(${names})\s+${thing}${ends}`, "i"),
  new RegExp(
    String.raw`${verb}(?:the |our |unused |old )*(${name}) from (?:package\.json|requirements\S*\.txt|pyproject\.toml|Cargo\.toml|go\.mod|Gemfile|composer\.json)\.?$`,
    "i"
  ),
  /^(?:the )?dependency (?:on )?([\x60"']?@?[A-Za-z][\w./-]*\w[\x60"']?) (?:is|has been|was) (?:gone|removed|dropped|deleted)/i,
  /(?:依存(?:関係|ライブラリ|パッケージ)?(?:の|から)?\s*)([\x60"']?@?[A-Za-z][\w./-]*\w[\x60"']?)\s*を(?:すべて|全て)?(?:削除|除去|取り除|外)/,
  /([\x60"']?@?[A-Za-z][\w./-]*\w[\x60"']?)\s*(?:への|の)依存(?:関係)?を(?:すべて|全て)?(?:削除|除去|取り除|なく)/
]

/** Those that a list of dependencies had before, and has now. `now`: its lines without comments. Pure. */
export const dependenciesStill = (
  asked: ReadonlyArray<string>,
  path: string,
  before: () => { readonly tokens: ReadonlyArray<string> },
  now: ReadonlyArray<string>
): ReadonlyArray<string> => {
  const form = asked.length === 0 ? undefined : lists.find(([file]) => file.test(path))?.[1]
  if (form === undefined) return []
  return asked.filter((one) => {
    const row = form(escaped(one))
    const has = (lines: ReadonlyArray<string>): boolean =>
      (path.endsWith(".json") ? dependenciesOf(lines) : lines).some((line) => row.test(line.trim()))
    return has(now) && has(before().tokens)
  })
}

/** Those lines of JSON that are of dependencies: scripts and settings may bear the same names. */
const dependenciesOf = (lines: ReadonlyArray<string>): ReadonlyArray<string> => {
  let around = ""
  return lines.filter((line) => {
    const holder = /\{.*\S.*\}/.test(line) ? line : around
    if (/\{\s*$/.test(line)) around = line
    return /"(?:\w*[dD]ependencies|require(?:-dev)?)"\s*:\s*\{/.test(holder)
  })
}

const lists: ReadonlyArray<readonly [file: RegExp, row: (name: string) => RegExp]> = [
  [/(?:^|\/)(?:package|composer)\.json$/, (name) => new RegExp(`"${name}"\\s*:\\s*"`)],
  [
    /(?:^|\/)(?:[\w-]*requirements[\w-]*|constraints)\.(?:txt|in)$/,
    (name) => new RegExp(`^${name}(?:$|[\\s=<>!~;[@])`, "i")
  ],
  [
    /(?:^|\/)(?:pyproject|Cargo)\.toml$/,
    (name) => new RegExp(`^${name}\\s*=|^\\[.*dependencies\\.${name}\\]|^"${name}(?:[\\s=<>!~;[@"])`, "i")
  ],
  [/(?:^|\/)go\.mod$/, (name) => new RegExp(`(?:^|\\s|/)${name}\\s+v[\\w.+-]+\\s*$`)],
  [
    /(?:^|\/)Gemfile$|\.gemspec$/,
    (name) => new RegExp(`^(?:gem|\\w+\\.add_(?:\\w+_)?dependency)[\\s(]+["']${name}["']`)
  ],
  [/(?:^|\/)pom\.xml$/, (name) => new RegExp(`<artifactId>\\s*${name}\\s*<`)],
  [
    /\.gradle(?:\.kts)?$/,
    (name) => new RegExp(`^(?:\\w*[iI]mplementation|api|compileOnly|runtimeOnly)\\b.*[:"'.]${name}\\b`)
  ]
]
