import type { SplitFinding } from "@proofline/kernel"
import { type Needs, reaches, wordsOf } from "./order.ts"
import type { Part } from "./parts.ts"
import { filesIn, isJapanese, oneLine } from "./text.ts"

const irregular: Readonly<Record<string, string>> = {
  write: "written",
  rewrite: "rewritten",
  build: "built",
  rebuild: "rebuilt",
  make: "made",
  set: "set up",
  split: "split",
  find: "found",
  run: "run",
  get: "removed",
  hide: "hidden",
  show: "shown",
  send: "sent",
  read: "read"
}

/** `implement` → `Implemented`. */
const participle = (verb: string): string => {
  const doubled = /^(?:drop|stub|plan|swap|ship|wrap|debug|log|crop|tag|pin|emit)$/u.test(verb)
  const form =
    irregular[verb] ??
    (verb.endsWith("e")
      ? `${verb}d`
      : /[^aeiou]y$/u.test(verb)
        ? `${verb.slice(0, -1)}ied`
        : `${verb}${doubled ? verb.at(-1) : ""}ed`)
  return form.charAt(0).toUpperCase() + form.slice(1)
}

/** `実装する` → `実装されている`. */
const passive = (verb: string): string => {
  if (verb.endsWith("する")) return `${verb.slice(0, -2)}されている`
  const row: Readonly<Record<string, string>> = { す: "され", く: "かれ", る: "られ" }
  return `${verb.slice(0, -1)}${row[verb.at(-1) ?? ""] ?? "られ"}ている`
}

/** What must be true when a part is done; each can be checked by itself. */
export const acceptance = (part: Part): ReadonlyArray<string> => {
  const own = part.inner.length > 0 ? part.inner.flatMap(acceptance) : mainCriteria(part)
  return [...new Set([...own, ...part.points].map(oneLine).filter((text) => text !== ""))]
}

const mainCriteria = ({ grade, say, verb }: Part): ReadonlyArray<string> => {
  const [line = ""] = say.split("\n")
  const isForeign = isJapanese(say)
  if (grade === "inform") return [isForeign ? `回答がある: ${line}` : `The answer is there: ${line}`]
  const main = isForeign ? japaneseCriterion(line, verb) : englishCriterion(line, verb)
  // what a file is made of is no file that is made
  const [file, ...others] =
    grade === "make" ? filesIn(line.split(/\s(?:that|which|using|from|by|based on|like|against)\s/u)[0] ?? "") : []
  if (file === undefined || others.length > 0 || /テスト|\btests?\b/iu.test(line)) return [main]
  const isAll = main.replaceAll("`", "").replace(/^\w+: |が\S+ている$/u, "") === file
  if (isForeign) return [isAll ? `\`${file}\` が存在する` : `\`${file}\` が存在し、${main}`]
  return [
    isAll ? `\`${file}\` exists` : `\`${file}\` exists and has what was asked for: ${main.replace(/^\w+: /u, "")}`
  ]
}

const englishCriterion = (say: string, verb: string): string => {
  const found = new RegExp(`^${verb}(?:\\s+(?:up|out|off|rid of))?:?\\s+(?=[\\p{L}\\p{N}\`"'#&(/\\[.])`, "iu").exec(say)
  // verbs that are joined would be told of the first one alone
  if (verb === "" || found === null || /^(?:and|or|&)\b/iu.test(say.slice(found[0].length))) return `Done: ${say}`
  const subject = say.slice(found[0].length)
  return /^(?:\S+\s+){0,3}tests?\b/iu.test(subject) && /^(?:write|add|create|implement|extend)$/u.test(verb)
    ? `The tests exist and pass: ${subject}`
    : `${participle(verb)}: ${subject}`
}

const japaneseCriterion = (say: string, verb: string): string => {
  const subject =
    verb !== "" && say.endsWith(verb) && !verb.endsWith("ようにする") ? /^(.*)を[^を]*$/u.exec(say)?.[1] : undefined
  if (subject === undefined) return `完了している: ${say}`
  return /テスト(?:コード|ケース)?$/u.test(subject) && /^(?:書く|追加する|作成する|実装する|作る)$/u.test(verb)
    ? `テストが存在し、成功する: ${subject}`
    : `${subject}が${passive(verb)}`
}

/** Whether a part asks for no more than information. */
export const onlyInforms = (part: Part): boolean =>
  part.grade === "inform" &&
  !/(?:\b(?:in|into|to|as)|write\b.*)\s+`?[\w./-]+\.\w{1,8}\b|\.(?:md|txt|rst|csv|json)`?\s*に/iu.test(
    wordsOf(part).replace(/^[^:\n]*?\b(?:in|into|to)\s+[\w./-]+\.\w{1,8}(?=\s+(?:is|for)\b)/iu, "")
  )

const counts =
  /(?<![\p{L}\p{N}.])(?:(\d{1,3})|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|a dozen) (?:[\p{L}-]+ ){0,3}?(?:functions?|endpoints?|components?|pages|screens|modules|services|methods|classes|routes|commands|features|files|tables|models|forms|views|hooks|scripts)(?![\p{L}\p{N}])|(?:([0-9０-９]{1,3})|[五六七八九十])\s*(?:つ|個|種類|件|本)?の?(?:関数|機能|エンドポイント|コンポーネント|画面|ページ|モジュール|サービス|メソッド|クラス|コマンド|ファイル|テーブル|モデル|API)/giu

/** Source of the figure: task chunking §2.2. */
const largeScope = 5

/** Words that name a count that is large. */
const largeIn = (shown: string): ReadonlyArray<string> =>
  [...shown.matchAll(counts)]
    .filter(([, digits, others]) => {
      const number = digits ?? others
      return number === undefined || Number(number.normalize("NFKC")) >= largeScope
    })
    .map(([found]) => found)

/** The four criteria, each with the words that led there. */
export const findings = (
  prompt: string,
  shown: string,
  parts: ReadonlyArray<Part>,
  needs: Needs
): ReadonlyArray<SplitFinding> => {
  const files = [...new Set(parts.flatMap((part) => filesIn(wordsOf(part))))]
  const free = parts.filter((_, i) =>
    parts.some((__, other) => i !== other && !reaches(needs, i, other) && !reaches(needs, other, i))
  )
  const listed = parts.filter((part) => part.listed)
  const enumerated = listed.length > 1 ? listed : free.length < 2 ? parts : []
  const counted = largeIn(shown)
  const finding = (criterion: SplitFinding["criterion"], found: ReadonlyArray<string>): SplitFinding => {
    const words = parts.length > 1 || criterion === "large_scope" ? foundIn(prompt, found) : []
    return { criterion, met: words.length > 0, words }
  }
  const owns = (some: ReadonlyArray<Part>) => some.map(({ own }) => own)
  return [
    finding("multiple_files", files.length > 1 ? files : []),
    finding("independent_parts", owns(free)),
    finding("explicit_enumeration", enumerated.length > 1 ? owns(enumerated) : []),
    finding("large_scope", [...counted, ...(parts.length >= largeScope ? owns(parts) : [])])
  ]
}

/** Words as the prompt has them, one line of each. */
const foundIn = (prompt: string, words: ReadonlyArray<string>): ReadonlyArray<string> => {
  const lines = words.map((word) =>
    (word.split("\n", 1)[0] ?? "")
      .slice(0, 120)
      .replace(/[\uD800-\uDBFF]$/u, "")
      .trim()
  )
  return [...new Set(lines)].filter((line) => line !== "" && prompt.includes(line)).slice(0, 50)
}
