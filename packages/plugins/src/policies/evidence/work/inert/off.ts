import { type InertRule, mayBeOff, rowAt, shown, wordsOf } from "./newRows.ts"

/** All settings that are new and of which an item speaks are off: `encrypted = false`, `Restart=no`, `no-console: off`. */
export const leftOff: InertRule = (code) => {
  const [, verb = ""] = asking.exec(code.item) ?? []
  if (
    (code.outline !== null && !ofRules.test(code.path)) ||
    verb === "" ||
    mayBeOff(code.item) ||
    ofOther.test(code.item)
  )
    return null
  const item = wordsOf(code.item).map(singular)
  const isRefusing = /^(?:ban|block|deny|forbid|limit|prevent|prohibit|protect|reject|restrict|secure)/i.test(verb)
  const isOfRules = ofRules.test(code.path)
  const stems = [verb, ...(/^protect/i.test(verb) ? ["prevent"] : [])].filter((one) => one.length >= 5).map(stem)
  const isAsked = (key: string): boolean => {
    const words = wordsOf(key).map(singular)
    if (isOfRules && words.some((word) => word.length > 3 && item.includes(word))) return true
    if (opposite.test(key)) return false
    return (
      words.some((word) => stems.includes(stem(word))) ||
      (!isRefusing &&
        words.length > 0 &&
        words.every((word) => item.includes(word) || ofSwitch.test(word)) &&
        words.some((word) => item.includes(word)))
    )
  }
  const found = code.rows.flatMap((row) =>
    [...rowAt(code, row).matchAll(pair)].flatMap(([, quoted, bare, value = ""]) => {
      const key = quoted ?? bare ?? ""
      return isAsked(key) ? [{ row, isOff: off.test(value.replace(/^["']|["']$/g, "")) }] : []
    })
  )
  const [first] = found
  if (first !== undefined && found.every(({ isOff }) => isOff)) return isOffThere(rowAt(code, first.row))
  const open = isRefusing
    ? code.rows.find((row) =>
        [...rowAt(code, row).matchAll(pair)].some(
          ([, quoted, bare, value = ""]) =>
            /^["']?(?:yes|true|on)["']?$/i.test(value) &&
            /^(?:allow|permit)/i.test(quoted ?? bare ?? "") &&
            wordsOf(quoted ?? bare ?? "").some((word) => word.length > 3 && item.includes(singular(word)))
        )
      )
    : undefined
  if (open !== undefined) return isOffThere(rowAt(code, open))
  const rooted = ofRoot.test(code.item) ? code.rows.filter((row) => root.test(rowAt(code, row))) : []
  const [user] = rooted
  return user === undefined ? null : isOffThere(rowAt(code, user))
}

const ofRules = /eslint|stylelint|oxlint|biome/i

const isOffThere = (row: string): string =>
  `What is set there is the opposite of what the item asks for: ${shown(row)}. Let it do what the item asks for.`

const asking =
  /^(activate|ban|block|compress|deny|enable|encrypt|enforce|forbid|prevent|prohibit|protect|reject|require|restart|restrict|make|mount|retry|run|secure|sign|switch on|turn on|validate|verify)\b/i
const ofOther = /\b(?:flags?)\b/i
const pair =
  /(?:"([\w@/.-]+)"|(?<![\w"'-])([A-Za-z_][\w.-]*))\s*(?:[:=]|(?<=^[\w-]+)\s)\s*("[^"]*"|'[^']*'|[\w.-]+)(?=\s*(?:[,;}\]]|$))/g
const off = /^(?:false|off|no|none|never|disabled?|0|FALSE|False|No|Off)$/
/** What it says is what must not be. */
const opposite =
  /skip|disabl|allow|permit|ignor|insecure|unsafe|bypass|exclud|destroy$(?<!prevent_destroy)|without|(?:^|[-_.])no(?:[-_]|[A-Z])/i
const ofSwitch = /^(?:active|enabled?|is|on|use|used)$/
const ofRoot = /\bnon-?root\b|\bunprivileged\b|\bnot as root\b|\brootless\b/i
const root = /^USER\s+(?:root|0)\b|^runAsUser:\s*0$/

const singular = (word: string): string => word.replace(/(?<!^http|s)s$/, "")
const stem = (word: string): string =>
  word
    .slice(0, 6)
    .replace(/(?:ed|es|e|s|ing?)$/i, "")
    .toLowerCase()
