import type { SplitFinding } from "@proofline/kernel"
import { reaches, wordsOf } from "./order.ts"
import type { Draft } from "./parts.ts"
import { filesIn, oneLine } from "./text.ts"
import { changeVerbs, informVerbs, makeVerbs, minorVerbs } from "./words.ts"

const irregular: Readonly<Record<string, string>> = {
  write: "written",
  rewrite: "rewritten",
  build: "built",
  make: "made",
  set: "set up",
  split: "split",
  find: "found",
  run: "run",
  get: "removed",
  clean: "cleaned up",
  hide: "hidden",
  need: "present",
  tell: "told",
  show: "shown",
  throw: "thrown",
  send: "sent",
  keep: "kept",
  read: "read",
  put: "put",
  give: "given",
  take: "taken",
  let: "let",
  redesign: "redesigned"
}

const doubled = /^(?:drop|stub|plan|swap|ship|wrap|debug|log|cap|crop|tag|pin|emit)$/

/** `implement` → `Implemented`. */
const participle = (verb: string): string => {
  const form =
    irregular[verb] ??
    (verb.endsWith("e")
      ? `${verb}d`
      : /[^aeiou]y$/u.test(verb)
        ? `${verb.slice(0, -1)}ied`
        : doubled.test(verb)
          ? `${verb}${verb.at(-1)}ed`
          : `${verb}ed`)
  return form.charAt(0).toUpperCase() + form.slice(1)
}

const passive = (verb: string): string => {
  if (verb.endsWith("する")) return `${verb.slice(0, -2)}されている`
  const last = verb.at(-1) ?? ""
  const row: Readonly<Record<string, string>> = { す: "され", く: "かれ", む: "まれ", る: "られ" }
  return `${verb.slice(0, -1)}${row[last] ?? "られ"}ている`
}

const tested = /(?:^|[\s`])(?:tests?|test suite|test cases?)(?=$|[\s`.,:;])/iu
const made =
  /^(?:write|add|create|implement|need|generate|extend|test|書く|追加する|作成する|実装する|作る|テストする)$/u

const repaired = /^(?:fix|repair|stabilise|stabilize|debug|修正する|直す|修復する)$/u

/** What must be true when a part is done; each can be checked by itself. */
export const acceptance = (draft: Draft): ReadonlyArray<string> => {
  const own = draft.inner.length > 0 ? draft.inner.flatMap(acceptance) : mainCriterion(draft)
  return [
    ...new Set([...own, ...draft.points, ...draft.details].map((text) => text.trim()).filter((text) => text !== ""))
  ]
}

const mainCriterion = (draft: Draft): ReadonlyArray<string> => {
  const { grade, japanese, object, say, verb } = draft
  const files = filesIn(
    japanese ? say : (say.split(/\s(?:that|which|using|from|by|based on|like|against)\s/u)[0] ?? say)
  )
  const subject = japanese ? (/^(.*)を[^を]*$/u.exec(say)?.[1] ?? object) : afterVerb(draft)
  if (grade === "inform" && !isLabelled(draft)) return [japanese ? `回答がある: ${say}` : `The answer is there: ${say}`]
  if (tested.test(headOf(subject)) && made.test(verb)) return [`The tests exist and pass: ${subject}`]
  // a test that is there already
  if (tested.test(headOf(subject).split(":")[0] ?? "") && repaired.test(verb))
    return [`${participle(verb)}, and passing: ${subject}`]
  if (japanese && /テスト(?:コード|ケース)?$/u.test(object) && repaired.test(verb))
    return [`${subject}が${passive(verb).replace(/ている$/u, "")}、成功する`]
  if (japanese && /テスト(?:コード|ケース)?$/u.test(object) && made.test(verb))
    return [`テストが存在し、成功する: ${subject}`]
  if (
    /^(?:delete|remove|drop|削除する|消す)$/u.test(verb) &&
    files.length > 0 &&
    files.every((path) => startsWith(object, path))
  )
    return files.map((path) => (japanese ? `\`${path}\` が存在しない` : `\`${path}\` no longer exists`))
  const whole = verb.endsWith("ようにする")
    ? say.slice(0, -5)
    : japanese
      ? say.endsWith(verb) && verb !== "" && say.includes("を")
        ? `${subject}が${passive(verb)}`
        : say
      : verb === "" || subject === say || isLabelled(draft)
        ? `Done: ${say}`
        : done(verb, subject, say)
  const outputs =
    grade === "make"
      ? files
      : files.filter((path) => new RegExp(`(?:into|to|as)\\s+\`?${literal(path)}`, "iu").test(say))
  const [only] = outputs
  if (grade === "make" && only !== undefined && outputs.length === 1) {
    if (subject.replaceAll("`", "").trim() === only) return [japanese ? `\`${only}\` が存在する` : `\`${only}\` exists`]
    return [japanese ? `\`${only}\` が存在し、${whole}` : `\`${only}\` exists and has what was asked for: ${subject}`]
  }
  return [whole, ...outputs.map((path) => (japanese ? `\`${path}\` が存在する` : `\`${path}\` exists`))]
}

/** `Added: a page`; a verb that is coordinated stays with its like: `Added and removed: products`. */
const done = (verb: string, subject: string, say: string): string => {
  const found = /^((?:,\s*[a-z]+)*)(?:,?\s*(and|or|&)\s+([a-z]+))\s+(?=\S)/iu.exec(subject)
  if (found === null)
    return /^(?:[,;&]|and\b|or\b)/iu.test(subject) ? `Done: ${say}` : `${participle(verb)}: ${subject}`
  const [{ length }, more = "", joint, last = ""] = found
  const others = [...more.split(",").map((word) => word.trim()), last].filter((word) => word !== "")
  if (!others.every((word) => isVerb(word.toLowerCase()))) return `Done: ${say}`
  const forms = [verb, ...others].map((word, i) => {
    const form = participle(word.toLowerCase())
    return i === 0 ? form : form.toLowerCase()
  })
  return `${forms.slice(0, -1).join(", ")} ${joint} ${forms.at(-1)}: ${subject.slice(length)}`
}

const isVerb = (word: string): boolean =>
  [makeVerbs, changeVerbs, informVerbs, minorVerbs].some((verbs) => verbs.has(word))

/** `GET /users: list users` describes a thing that is wanted; what stands before the colon says which. */
const isLabelled = ({ japanese, say }: Draft): boolean => !japanese && /^[^:\n]{1,60}:\s/u.test(say)

const headOf = (subject: string): string => subject.split(/\s(?:that|which|so|when)\s/u)[0] ?? subject
const startsWith = (object: string, path: string): boolean => object.replaceAll("`", "").trimStart().startsWith(path)
const literal = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\/-]/g, String.raw`\$&`)

/** A request without its verb. */
const afterVerb = ({ say, verb }: Draft): string => {
  if (verb === "") return say
  const found = requestOf(verb).exec(say)
  return found === null ? say : say.slice(found[0].length)
}

const requests = new Map<string, RegExp>()

/** A verb at the beginning of a request, with the label and order words before it. */
const requestOf = (verb: string): RegExp => {
  const known = requests.get(verb)
  if (known !== undefined) return known
  const words = verb === "need" ? "(?:i|we)(?:'d| would)? (?:need|want|like|require)" : literal(verb)
  const made = new RegExp(
    `^(?:[^:,]{1,60}[:,]\\s+){0,2}(?:(?:then|first|also|finally|next)\\s+)?${words}(?:\\s+(?:up|out|off|rid of))?:?(?:\\s+(?=[\\p{L}\\p{N}\`"'#&(/\\[.])|(?=,\\s))`,
    "iu"
  )
  // verbs come from a vocabulary, so there are only so many
  requests.set(verb, made)
  return made
}

/** Whether a part asks for no more than information. */
export const onlyInforms = (draft: Draft): boolean =>
  draft.grade === "inform" &&
  !isLabelled(draft) &&
  !/(?:\binto\b|\bto|\bas|write\b.*\bin|report\b.*\bin|summar\p{L}+\b.*\bin)\s+`?[\w./-]+\.\w{1,8}\b|\.(?:md|txt|rst|csv|json)`?\s*に/iu.test(
    [draft.say, ...draft.points, ...draft.details].join("\n")
  )

const counts =
  /(?<![\p{L}\p{N}.])(?:(\d{1,3})|(five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|a dozen))\s+(?:[\p{L}-]+\s+){0,3}?(?:functions?|endpoints?|components?|pages|screens|modules|services|methods|classes|routes|commands|features|files|tables|models|forms|views|hooks|scripts|migrations|handlers|apis|widgets)(?![\p{L}\p{N}])/giu
const japaneseCounts =
  /(?:([0-9０-９]{1,3})|([五六七八九十]))\s*(?:つ|個|種類|件|本|画面|ページ)?の?(?:関数|機能|エンドポイント|コンポーネント|画面|ページ|モジュール|サービス|メソッド|クラス|コマンド|ファイル|テーブル|モデル|API)/gu

/** Words that name a count of five or more. */
const large = (shown: string): ReadonlyArray<string> =>
  [...shown.slice(0, 200_000).matchAll(counts), ...shown.slice(0, 200_000).matchAll(japaneseCounts)]
    .filter(([, digits, word]) => word !== undefined || Number((digits ?? "").normalize("NFKC")) >= 5)
    .map(([found]) => found)

/** Verbatim words of the prompt that name a part, at most so many units. */
const quoted = (prompt: string, { own }: Draft): string => {
  const [line = ""] = prompt.slice(own.start, Math.min(own.end, own.start + 120)).split(/\r?\n/u)
  // never half of a character
  return line.replace(/[\uD800-\uDBFF]$/u, "").trim()
}

/** The four criteria, each with the words that led there. `needs`: which of the drafts each needs. */
export const findings = (
  prompt: string,
  shown: string,
  drafts: ReadonlyArray<Draft>,
  needs: ReadonlyArray<ReadonlySet<number>>
): ReadonlyArray<SplitFinding> => {
  const files = [...new Set(drafts.flatMap((draft) => filesIn(wordsOf(draft))))]
  const listed = drafts.filter((draft) => draft.listed)
  const ordered = drafts.some(
    ({ marker }) => marker === "first" || marker === "then" || marker === "last" || marker === "earlier"
  )
  const free = independent(needs)
  const chain = drafts.length > 1 && listed.length < 2 && free.length < 2
  const enumerated = listed.length > 1 ? listed : (ordered || chain) && drafts.length > 1 ? drafts : []
  const counted = large(shown)
  const wide = drafts.length >= 5
  const finding = (criterion: SplitFinding["criterion"], met: boolean, words: ReadonlyArray<string>): SplitFinding => ({
    criterion,
    met,
    words: met ? foundIn(prompt, words).slice(0, 50) : []
  })
  const words = (some: ReadonlyArray<Draft>) => some.slice(0, 50).map((draft) => quoted(prompt, draft))
  return [
    finding("multiple_files", files.length > 1, files),
    finding("independent_parts", free.length > 1, words(free.flatMap((i) => drafts[i] ?? []))),
    finding("explicit_enumeration", enumerated.length > 1, words(enumerated)),
    finding("large_scope", wide || counted.length > 0, [...counted.map(oneLine), ...(wide ? words(drafts) : [])])
  ]
}

/** Parts that may run beside at least one other. */
const independent = (needs: ReadonlyArray<ReadonlySet<number>>): ReadonlyArray<number> => {
  const size = Math.min(needs.length, 200)
  const found = new Set<number>()
  for (let one = 0; one < size; one++)
    for (let other = one + 1; other < size; other++)
      if (!(found.has(one) && found.has(other)) && !reaches(needs, other, one) && !reaches(needs, one, other)) {
        found.add(one)
        found.add(other)
      }
  return [...found].sort((one, other) => one - other)
}

/** Words as the prompt has them. One that was read over what cannot be seen is named by its pieces. */
const foundIn = (prompt: string, words: ReadonlyArray<string>): ReadonlyArray<string> => {
  const isThere = (word: string) => word !== "" && prompt.includes(word)
  const whole = [...new Set(words)].filter(isThere)
  return whole.length > 0 ? whole : [...new Set(words.flatMap((word) => word.split(/\s+/u)))].filter(isThere)
}
