/** What a heading or a label says about what stands below it; null: nothing. */
export type Role = "limit" | "info" | "work" | null

const limits =
  /^(?:[\p{L}-]+\s+){0,3}(?:requirements?|constraints?|notes?|rules?|guidelines?|restrictions?|conventions?|limitations?|non-goals?|caveats?|important|warnings?|remarks?|conditions?|assumptions?|acceptance criteria|definition of done|criteria|(?:tech(?:nical)? )?stack|technologies|tips?|hints?|preferences?|nb|standards?|principles?)$|^(?:out of scope|not in scope|do not|don'ts?|must(?: not)?|please note|note that|keep in mind|things to (?:keep in mind|avoid|note|remember)|make sure|ensure|use|avoid|remember)$/iu
const infos =
  /^(?:(?:steps|how) to reproduce|to reproduce|repro(?:duction)?(?: steps)?|(?:expected|actual|current|observed|desired)(?: (?:behaviou?r|results?|output|state|outcome|setup|structure))?|(?:\p{L}+ )?(?:environment|background|motivation|screenshots?|logs?|output|examples?|stack ?traces?|error messages?|samples?)|references?|links?|versions?|questions?|errors?|faq|why|problem|problem statement|bug|describe the bug|bug report|rationale|context|additional (?:context|info(?:rmation)?|details)|related(?: (?:issues?|links?|work))?|see also|log output|system info(?:rmation)?|what (?:i|we)(?:'ve| have)? tried|tried|already done|done|completed|alternatives(?: .{1,30})?|use cases?|user stor(?:y|ies)|inputs?|data|my setup|options|for example|e\.g|source|impact|credits|thanks)$/iu
const works =
  /^(?:[\p{L}-]+\s+){0,2}(?:tasks?|to-?dos?|steps|features?|functions?|endpoints?|components?|pages?|commands?|changes|deliverables?|work items?|action items?|goals|objectives?|checklist|sub-?tasks?|plan|improvements?|fixes|screens?|modules?|routes?|services?|classes|milestones?)(?: (?:needed|required|wanted|to \p{L}+|list|below))?$|^(?:what (?:to do|needs to be done|i need|we need)|scope|in scope|implementation(?: (?:plan|steps|details))?|do the following|please|the following)$/iu
const japaneseLimits =
  /^(?:.{0,8}(?:制約(?:条件|事項)?|注意(?:点|事項)?|条件|前提|ルール|備考|補足|禁止事項|非機能要件|対象外|スコープ外|受け?入れ?基準|要件|技術スタック|使用技術|方針|規約|留意点|留意事項|メモ|注))$/u
const japaneseInfos =
  /^(?:.{0,6}(?:再現手順|再現方法|期待(?:する|される)?(?:動作|結果|挙動)?|期待値|実際の(?:動作|結果|挙動)|現状|現象|環境|背景|参考(?:情報|資料|リンク)?|関連(?:情報|Issue)?|例|エラー(?:内容|メッセージ|ログ)?|ログ|出力例?|入力例?|目的|質問|試したこと|バージョン|経緯|問題(?:点)?|原因|不具合内容|スクリーンショット|補足情報))$/iu
const japaneseWorks =
  /^(?:.{0,10}(?:やること|やりたいこと|タスク(?:一覧|リスト)?|機能(?:一覧|要件)?|対応(?:内容|事項|項目)?|手順|実装(?:内容|項目|対象)?|TODO|作業(?:内容|項目|手順|一覧)?|変更(?:内容|点|項目)|修正(?:内容|点|項目)|成果物|ステップ|依頼(?:内容|事項)?|お願いしたいこと|関数(?:一覧)?|画面(?:一覧)?|エンドポイント(?:一覧)?|コンポーネント(?:一覧)?|ページ(?:一覧)?|改善点))$/iu

/** A label as it is compared: without marks, numbers, emphasis and colon. */
export const labelOf = (text: string): string =>
  text
    .slice(0, 120)
    .replaceAll(/[*_`#:：【】[\]<>]/gu, " ")
    .replaceAll(/\((?:[^)]*)\)|（[^）]*）/gu, " ")
    .replaceAll(/\p{Extended_Pictographic}|\uFE0F/gu, "")
    .replace(/^\s*\d+(?:[.)]|\s*[-–])?\s+/u, "")
    .replaceAll("’", "'")
    .replaceAll(/\s+/gu, " ")
    .trim()

/** The role of a label. */
export const roleOf = (text: string): Role => {
  if (text.length > 120) return null
  const label = labelOf(text)
  if (label.length > 60) return null
  // `implementation notes` limit, though `implementation` is work
  if (infos.test(label) || japaneseInfos.test(label)) return "info"
  if (japaneseWorks.test(label) && !/^(?:非機能|技術)/u.test(label)) return "work"
  if (limits.test(label) || japaneseLimits.test(label)) return "limit"
  return works.test(label) ? "work" : null
}

/** A label that says no more than that something limits the work. */
export const isPlainLimit = (text: string): boolean =>
  /^(?:requirements?|constraints?|notes?|rules?|limitations?|limits?|important|制約(?:条件|事項)?|注意(?:点|事項)?|条件|備考|ルール|要件)$/iu.test(
    labelOf(text)
  )

/** A label without which what stands below it would say the contrary. */
export const isExclusion = (text: string): boolean =>
  /^(?:(?:out of|not in) scope|do not|don'ts?|must not|things to avoid|avoid|non-goals?)$|(?:対象外|スコープ外|禁止事項)$/iu.test(
    labelOf(text)
  )

/** Demands that may be work all the same, if they are written as requests. */
export const isDemand = (text: string): boolean =>
  /requirements?$|要件$|acceptance criteria$|goals?$/iu.test(labelOf(text))

/** A heading under which a task is introduced. */
export const isIntroduction = (text: string): boolean =>
  /^(?:goals?|overview|summary|objectives?|purpose|introduction|intro|description|tl;?dr|概要|目標|ゴール|はじめに|説明)$/iu.test(
    labelOf(text)
  )

/** A heading that counts itself: `1. Login`, `Step 2: …`, `手順1`. */
export const isCounted = (text: string): boolean =>
  /^\s*(?:\d{1,3}[.):：．]?\s|(?:step|task|part|phase|feature|issue|item|手順|ステップ|タスク|作業|機能)\s*[0-9０-９]{1,3})/iu.test(
    text
  )

const pieces =
  "(?:task|piece|commit|change|pr|pull request|go|unit|patch|shot|changeset|subtask|session|chunk|work item|ticket)"
const wishes: ReadonlyArray<RegExp> = [
  new RegExp(
    `(?<![\\p{L}\\p{N}])(?:as|in|with|within|using|into)\\s+(?:(?:a|one|just one|only one|exactly one)\\s+)?(?:single|one)\\s+${pieces}(?![\\p{L}\\p{N}])`,
    "iu"
  ),
  /(?<![\p{L}\p{N}])(?:do not|don't|don’t|never|please avoid|avoid|without)\s+(?:be\s+)?(?:split|splitting|chunk|chunking|break up|breaking up|breaking|break|divide|dividing|decompose|decomposing)(?:\s+(?:this|it|them|that|up|the (?:task|work|job|request|change|pr)|into (?:sub-?tasks|parts|pieces|several|multiple|smaller)[\p{L}\s]{0,20})){0,3}(?=\s*(?:$|[.,;:!\n)]|and\b|please\b))/iu,
  /(?<![\p{L}\p{N}])(?:no|without)\s+(?:splitting|chunking|sub-?tasks)(?![\p{L}\p{N}])/iu,
  /分割(?:は|を)?(?:しない|せず|しなく|不要|禁止|なし)|分け(?:ない|ず)に?(?:一|1|ひと|で|実|作|や|対|くだ)|(?:(?:1|１|一)つ|ひとつ|単一)の(?:タスク|作業|コミット|変更|PR|プルリクエスト)(?:として|で|に|にまとめ)|(?:1|１|一)(?:コミット|タスク|PR)(?:として|で|に)|まとめて(?:1|１|一|ひと)つ(?:の(?:タスク|コミット|PR))?(?:で|として)|一括で(?:対応|実施|処理)(?:して|を)/u
]

/** The words in which the user asks for one piece; null: none. */
export const wishOf = (shown: string): string | null => {
  for (const wish of wishes) {
    const found = wish.exec(shown)
    if (found !== null) return found[0].trim()
  }
  return null
}
