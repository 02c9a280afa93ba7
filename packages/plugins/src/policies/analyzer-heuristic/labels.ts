/**
 * What a heading or a label says about what stands below it. `limit`: every part obeys it; `info`: it asks for nothing;
 * `work`: its points are what is to be done; `intro`: it says what all this is for; null: nothing of that.
 */
export type Role = "limit" | "info" | "work" | "intro" | null

const roles: Readonly<Record<Exclude<Role, null>, ReadonlyArray<RegExp>>> = {
  info: [
    /^(?:(?:(?:steps|how) )?to reproduce|repro(?:duction)?(?: steps)?|(?:expected|actual|current|observed|desired)(?: (?:behaviou?r|results?|output|state|outcome|setup|structure))?|(?:\p{L}+ )?(?:environment|background|motivation|screenshots?|logs?|output|examples?|stack ?traces?|error messages?|samples?)|references?|links?|versions?|questions?|errors?|faq|why|problem(?: statement)?|bug(?: report)?|describe the bug|rationale|context|additional (?:context|info(?:rmation)?|details)|related(?: (?:issues?|links?|work))?|see also|system info(?:rmation)?|what (?:i|we)(?:'ve| have)? tried|tried|(?:already )?done|completed|alternatives(?: .{1,30})?|use cases?|user stor(?:y|ies)|inputs?|data|options|for example|e\.g|source|impact|thanks)$/iu,
    /^(?:.{0,6}(?:再現手順|再現方法|期待(?:する|される)?(?:動作|結果|挙動)?|期待値|実際の(?:動作|結果|挙動)|現状|現象|環境|背景|参考(?:情報|資料|リンク)?|関連(?:情報|Issue)?|例|エラー(?:内容|メッセージ|ログ)?|ログ|出力例?|入力例?|目的|質問|試したこと|バージョン|経緯|問題(?:点)?|原因|不具合内容|スクリーンショット|補足情報))$/iu
  ],
  limit: [
    /^(?:[\p{L}-]+ ){0,3}(?:requirements?|constraints?|notes?|rules?|guidelines?|restrictions?|conventions?|limitations?|non-goals?|caveats?|important|warnings?|remarks?|conditions?|assumptions?|acceptance criteria|definition of done|criteria|(?:tech(?:nical)? )?stack|technologies|tips?|hints?|preferences?|nb|standards?|principles?)$|^(?:(?:out of|not in) scope|do not|don'ts?|must(?: not)?|please note|note that|keep in mind|things to (?:keep in mind|avoid|note|remember)|make sure|ensure|use|avoid|remember|please avoid the following)$/iu,
    /^(?:非機能要件|.{0,8}(?:制約(?:条件|事項)?|注意(?:点|事項)?|(?<!機能)条件|前提|ルール|備考|補足|禁止事項|対象外|スコープ外|受け?入れ?(?:基準|条件)|完了条件|(?<!機能)要件|技術スタック|使用技術|方針|規約|留意点|留意事項|メモ|注))$/u
  ],
  work: [
    /^(?:[\p{L}-]+ ){0,2}(?:tasks?|to-?dos?|steps|features?|functions?|endpoints?|components?|pages?|commands?|changes|deliverables?|work items?|action items?|checklist|sub-?tasks?|plan|improvements?|fixes|screens?|modules?|routes?|services?|classes|milestones?)(?: (?:needed|required|wanted|to \p{L}+|list|below))?$|^(?:what (?:to do|needs to be done|i need|we need)|(?:in )?scope|implementation(?: (?:plan|steps|details))?|(?:please )?do the following(?: in order)?|please|the following)$/iu,
    /^(?:.{0,10}(?:やること|やりたいこと|タスク(?:一覧|リスト)?|機能(?:一覧|要件)?|対応(?:内容|事項|項目)?|手順|実装(?:内容|項目|対象)?|TODO|作業(?:内容|項目|手順|一覧)?|変更(?:内容|点|項目)|修正(?:内容|点|項目)|成果物|ステップ|依頼(?:内容|事項)?|お願いしたいこと|関数(?:一覧)?|画面(?:一覧)?|エンドポイント(?:一覧)?|コンポーネント(?:一覧)?|ページ(?:一覧)?|改善点))$/iu
  ],
  intro: [
    /^(?:goals?|overview|summary|objectives?|purpose|introduction|intro|description|tl;?dr|概要|目標|ゴール|はじめに|説明)$/iu
  ]
}

/** A label as it is compared: without marks, numbers, emphasis and colon. */
export const labelOf = (text: string): string =>
  text
    .slice(0, 120)
    .replaceAll(/\([^)]*\)|（[^）]*）|[*_`#:：【】[\]<>]|\uFE0F|\p{Extended_Pictographic}/gu, " ")
    .replace(/^\s*\d+(?:[.)]|\s*[-–])?\s+/u, "")
    .replaceAll("’", "'")
    .replaceAll(/\s+/gu, " ")
    .trim()

export const roleOf = (text: string): Role => {
  const label = labelOf(text)
  const found = kinds.find((role) => roles[role].some((words) => words.test(label)))
  return text.length > 120 || label.length > 60 ? null : (found ?? null)
}
const kinds = ["info", "limit", "work", "intro"] as const

const orders =
  /\b(?:steps|procedure|plan|milestones|phases)\b|\bin (?:this |the following |that )?order\b|手順|ステップ|順(?:番|序)?[にで]/iu
/** Points below it are ordered by saying so. */
export const isOrdered = (label: string): boolean => orders.test(label)

/** Demands that may be requests all the same, when they are written so. */
export const isDemand = (label: string): boolean =>
  /(?<!technical |functional )requirements?$|要件$/iu.test(labelOf(label))

const plainLimits =
  /^(?:requirements?|constraints?|notes?|rules?|limitations?|limits?|important|制約(?:条件|事項)?|注意(?:点|事項)?|条件|備考|ルール|要件)$/iu
/** A label that says no more than that something limits the work. */
export const isPlainLimit = (text: string): boolean => plainLimits.test(labelOf(text))

const counted =
  /^\s*(?:(step|task|part|phase|feature|issue|item|手順|ステップ|タスク|作業|機能|パート|フェーズ)\s*[#＃]?\s*([0-9０-９]{1,3})|(\d{1,3})(?:[.):：．)]\s?|\s+-\s))/iu
/** A heading that counts itself: `1. Login`, `Step 2: …`, `手順1`. */
export const countOf = (text: string): { readonly number: number; readonly step: boolean } | null => {
  const [, word, number, alone] = counted.exec(text) ?? []
  const found = number ?? alone
  if (found === undefined) return null
  return { number: Number(found.normalize("NFKC")), step: /^(?:step|phase|手順|ステップ|フェーズ)$/iu.test(word ?? "") }
}

const wishes = [
  /(?<![\p{L}\p{N}])(?:as|in|with|within|using|into) (?:(?:a|one|just one|only one|exactly one) )?(?:single|one) (?:task|piece|commit|change|pr|pull request|go|unit|patch|shot|changeset|subtask|session|chunk|work item|ticket)(?![\p{L}\p{N}])/iu,
  /(?<![\p{L}\p{N}])(?:do not|don't|don’t|never|please avoid|avoid|without|no need to)\s+(?:be\s+)?(?:split|splitting|chunk|chunking|break(?:ing)? up|break(?:ing)?|divid(?:e|ing)|decompos(?:e|ing))(?:\s+(?:this|it|them|that|up|the (?:task|work|job|request|change|pr)|into (?:sub-?tasks|parts|pieces|several|multiple|smaller)[\p{L}\s]{0,20})){0,3}(?=\s*(?:$|[.,;:!\n)]|and\b|please\b))/iu,
  /(?<![\p{L}\p{N}])no (?:splitting|chunking|sub-?tasks)(?![\p{L}\p{N}])/iu,
  /分割(?:は|を)?(?:しない|せず|しなく|不要|禁止|なし)|分け(?:ない|ず)に?(?:一|1|ひと|で|実|作|や|対|くだ)|(?:(?:1|１|一)つ|ひとつ|単一)の(?:タスク|作業|コミット|変更|PR|プルリクエスト)(?:として|で|に)|(?:1|１|一)(?:コミット|タスク|PR)(?:として|で|に)|まとめて(?:1|１|一|ひと)つ(?:の(?:タスク|コミット|PR))?(?:で|として)|一括で(?:対応|実施|処理)(?:して|を)/iu
]
/** The words in which the user asks for one piece; null: none. */
export const wishOf = (shown: string): string | null =>
  wishes.map((words) => words.exec(shown)?.[0].trim()).find(Boolean) ?? null
