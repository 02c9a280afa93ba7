import { asRequests, type Item, isWhole, itemsOf, pieces } from "./enumeration.ts"
import { opening } from "./opening.ts"
import { type Grade, type Marker, type Request, type Sentence, without } from "./requests.ts"
import { bare, cut, isExact, oneLine, type Phrase } from "./text.ts"

/** Nouns that become a verb with する. */
const nouns: Readonly<Record<Grade, string>> = {
  make: "新規作成|新規追加|実装|作成|追加|構築|開発|設計|定義|導入|準備|生成|記述|記載|執筆|用意|新設|追記",
  change:
    "修正|削除|変更|更新|移行|改善|改修|整備|対応|統合|分割|抽出|置換|移動|リファクタリング|単体テスト|結合テスト|テスト|ドキュメント化|文書化|デプロイ|公開|リリース|設定|有効化|無効化|最適化|高速化|軽量化|共通化|自動化|多言語化|検証|解決|解消|接続|連携|結合|マージ|同期|インストール|アップデート|アップグレード|リネーム|翻訳|整理|調整|拡張|廃止|切り替え|差し替え|書き換え|置き換え|組み込み|作り直し|見直し|書き直し|移植|変換|簡素化|強化|反映|適用",
  inform: "調査|コードレビュー|レビュー|分析|説明|解説|比較|評価|報告|要約|確認|特定|検討",
  behave: "表示|出力|送信|保存|登録|検索|通知|再生|並び替え"
}
/** Verbs of their own: dictionary form, all forms that a request may have, and what they ask for. */
const native: ReadonlyArray<readonly [string, string, Grade]> = [
  ["作る", "作(?:って|った|り|る)", "make"],
  ["書く", "書(?:いて|いた|き|く)", "make"],
  ["加える", "加え(?:て|た|る)?", "make"],
  ["直す", "直(?:して|した|し|す)", "change"],
  ["消す", "消(?:して|した|し|す)", "change"],
  ["変える", "(?<![切書替置])変え(?:て|た|る)?", "change"],
  ["まとめる", "まとめ(?:て|た|る)?", "change"],
  ["調べる", "調べ(?:て|た|る)?", "inform"]
]
const verbs = [
  ...Object.entries(nouns).flatMap(([grade, some]) =>
    some.split("|").map((noun) => ({ word: `${noun}する`, forms: new RegExp(`^${noun}$`, "u"), grade: grade as Grade }))
  ),
  ...native.map(([word, forms, grade]) => ({ word, forms: new RegExp(`^(?:${forms})$`, "u"), grade }))
]
/** What they enumerate belongs together. */
const joins =
  /^(?:統合|比較|接続|連携|結合|マージ|同期|置換|インストール|アップデート|アップグレード|リネーム|移動|確認|設定|置き換え|切り替え|差し替え|削除|消す|まとめる)/u

const noun = Object.values(nouns).join("|")
const own = native.map(([, forms]) => forms).join("|")
const polite =
  "(?:ください(?:ませ)?|下さい|(?:ほしい|欲しい)(?:です)?|もらえ(?:ますか|ませんか|る)|もらいたい(?:です)?|くれ(?:ますか|ませんか|る)?|いただけ(?:ますか|ませんか)|頂け(?:ますか|ませんか)|おいて(?:ください|下さい)?|たい(?:です|と思います)?|ます|ましょう|こと|ね|お願いします)?"
/** A request at the end of a sentence. */
const ending = new RegExp(
  `(?:(${noun})(?:して${polite}|し${polite}|する(?:こと)?|せよ|(?:を|の)?お願い(?:いたし|致し|し)?ます|を行(?:って|う)${polite}|が(?:必要|ほしい|欲しい)(?:です)?)?|(${own})${polite}|((?:でき|られ|れ|え|け|せ|て|め|べ)るように)(?:して${polite}|し${polite}|する(?:こと)?))[。．.!！?？:：\\s]*$`,
  "u"
)
/** A request in the middle: `…を定義し、`, `…してから`, `…した後に`. */
const middle = new RegExp(
  `(?:(${noun})(?:して|し|を行い)|(${own}))(から、?|[、，,])|(${noun})した(?:後|あと)(?:に|で)?、?`,
  "gu"
)

type Verb = { readonly at: number; readonly word: string; readonly grade: Grade }

const verbOf = (at: number, said: string): Verb => {
  const { grade, word } = verbs.find(({ forms }) => forms.test(said)) ?? { word: `${said}する`, grade: "change" }
  return { at, word, grade }
}

const verbIn = (masked: string): Verb | null => {
  const shown = masked.slice(-80)
  const found = ending.exec(shown)
  const at = masked.length - shown.length + (found?.index ?? 0)
  return found === null ? null : verbOf(at, found[1] ?? found[2] ?? found[3] ?? "")
}

/** What only limits the work. */
const limit =
  /(?:しない(?:で(?:ください|下さい|ほしい|ね)?|こと|ように(?:して(?:ください)?|する)?)?|(?:わ|ら|か|さ|え|れ|べ|き|み|い)ない(?:で(?:ください|下さい|ほしい|ね)|こと|ように(?:して(?:ください)?|する)?)|(?:使わ|変え|触ら|触れ|壊さ|増やさ|加え|含め)ない|(?:禁止|不可|厳禁|不要|必須|のみ|だけ|まま(?:に(?:する|して(?:ください)?)?)?|以上|以下|以内|未満)(?:です|とする|とします)?|(?:いけ|なら)(?:ない|ません)|(?:を|は)(?:使用|利用|使っ|維持|遵守|厳守|採用)(?:する(?:こと)?|して(?:ください|下さい)?|すること|て(?:ください|下さい))?|を使う(?:こと)?|に(?:従う|従って|準拠(?:する|して)?|合わせる|合わせて)(?:こと|ください|下さい)?)[。．.!！\s]*$/u

/** A verb that describes a noun: `保存する関数`. */
const relative = /(?:する|した|できる|れる|える|[うくすつぶむる])(?=[\p{Script=Han}\p{Script=Katakana}A-Za-z])/u

/** It asks for something in words that are not known. */
const asking = /[てで](?:ください|下さい|ほしい(?:です)?|欲しい(?:です)?)[。．!！\s]*$/u

/** The requests of a Japanese sentence, which may join several: `Aを定義し、Bを実装してください`. */
export const readJapanese = (sentence: Phrase): Sentence => {
  const { masked, text } = sentence
  // longer ones are no sentence of a person
  if (text.length > 4_000) return without(text, "statement")
  const isLimit = limit.test(masked)
  const last = isLimit ? null : verbIn(masked.replace(/\uE002+(?=[。．.\s]*$)/u, (aside) => " ".repeat(aside.length)))
  const requests: Array<Request> = []
  let start = 0
  let isAfter = false
  const close = (end: number, { at, ...verb }: Verb) => {
    const { marker, size } = opening(masked.slice(start, start + 100))
    const from = start + size
    const order = marker ?? (isAfter ? "then" : null)
    requests.push(...requestsOf(cut(sentence, from, end), { ...verb, at: at - from }, order))
    start = end
  }
  for (const { 0: found, 1: noun, 2: word = noun, 3: joint, 4: done, index } of masked.matchAll(middle)) {
    const end = index + found.length
    if (end > (last?.at ?? (isLimit ? masked.length : 0))) break
    if (!/[をも].{0,30}$|の$/u.test(masked.slice(start, index))) continue
    const verb = verbOf(index, word ?? done ?? "")
    const isOrdered = joint?.startsWith("から") === true || done !== undefined
    // `調べて直す` is one thing, and so is `変換して、保存する関数`
    const isOne =
      (verb.grade === "inform" && last?.grade !== "inform") ||
      relative.test(masked.slice(end, last?.at).split("を")[0] ?? "")
    if (isOne && !isOrdered && opening(masked.slice(end, end + 100)).marker === null) continue
    close(end, verb)
    isAfter = isOrdered
  }
  // the rest of a limit forbids something
  const ban = isLimit ? text.slice(start) : null
  if (last !== null && last.at > start) close(masked.length, last)
  const whole = requests.some(({ grade, object }) => grade === "make" && isWhole(object.masked))
  if (requests.length > 0) return { text, kind: "work", requests, whole, ban }
  if (isLimit) return without(text, "limit")
  return without(text, /[?？]$|か。?$/u.test(text) ? "question" : asking.test(masked) ? "unclear" : "statement")
}

const requestsOf = (said: Phrase, verb: Verb, marker: Marker | null): ReadonlyArray<Request> => {
  const before = oneLine(said.text.slice(0, verb.at))
  const shown = said.masked.slice(0, verb.at)
  const particle = Math.max(shown.lastIndexOf("を"), /[がもの]$/u.test(shown) ? shown.length - 1 : -1)
  if (particle < 0 && !/[はにへで]$/u.test(before)) return []
  const object = cut(said, 0, Math.max(0, particle))
  const isOne = joins.test(verb.word) || verb.grade === "inform"
  const items = isOne ? [] : enumerated(object, verb.grade)
  const way = oneLine(said.text.slice(particle + 1, verb.at)).replaceAll(/それぞれ|各々|すべて/gu, "")
  const aside = said.masked.indexOf("\uE002", verb.at)
  const inBrackets = aside < 0 ? "" : bare(cut(said, aside)).text
  // `A機能の追加` is as the user wrote it
  const say = before.endsWith("の") ? bare(said).text : `${before}${verb.word}${inBrackets}`
  return asRequests(
    { own: bare(said).text, say, verb: verb.word, grade: verb.grade, object, marker },
    items.map((item) => ({ ...item, say: `${item.say}を${way}${verb.word}` }))
  )
}

const kinds =
  /(?:機能|関数|画面|ページ|API|エンドポイント|コンポーネント|クラス|メソッド|モジュール|コマンド|ファイル|サービス|スクリプト|フック|ボタン|処理|ツール|モデル|テーブル|フォーム)$/u

const holds =
  /^(.+?)(?:機能)?(?:を含む|を含んだ|を含めた|を持つ|を持った|を備えた|を備える|からなる|で構成される|(?:が|を)?できる|が可能な|付きの|をサポートする|に対応した|を提供する|を行う|のある)(.+)$/u

const enumerated = (object: Phrase, grade: Grade): ReadonlyArray<Item> => {
  const [, list, holder] = holds.exec(object.masked) ?? []
  if (list === undefined || holder === undefined) return directList(object, grade)
  // `ログイン、ログアウト、登録を含む認証モジュール`
  const found = grade === "make" && isWhole(holder) ? pieces(cut(object, 0, list.length)) : []
  return found.length < 3 ? [] : itemsOf(found, (piece) => `${oneLine(object.text.slice(-holder.length))}の${piece}`)
}

/** `の3つの関数`. */
const count =
  /\s*(?:の|という)\s*(?:各|それぞれの?|(?:計|全)?[0-9０-９一二三四五六七八九十]+\s*(?:つ|個|種類|件|本|点)の?)\s*(\S{0,12})$/u

const directList = (object: Phrase, grade: Grade): ReadonlyArray<Item> => {
  const counted = count.exec(object.masked)
  const found = pieces(cut(object, 0, counted?.index))
  const shown = found.map((piece) => piece.object.masked)
  // `商品と注文の一覧`: it is open what belongs to what
  const isOpen = shown.some((one) => one.includes("の")) && !shown.every((one) => one.includes("の"))
  const isPlain = shown.every(isExact) || (!isOpen && (grade === "make" || shown.every((one) => kinds.test(one))))
  const kind = kinds.test(counted?.[1] ?? "") ? counted?.[1] : ""
  return isPlain ? itemsOf(found, (piece) => `${piece}${kind}`) : []
}

/** Whether a line is a request: `ログイン画面の作成`, `検索を実装する`. */
export const asksJapanese = (line: Phrase): boolean => {
  const shown = line.masked.replace(/\uE002+\s*$/u, "").trim()
  const verb = verbIn(shown)
  return verb !== null && verb.at > 0 && /[をのがもにへで]$/u.test(shown.slice(0, verb.at)) && !limit.test(shown)
}
