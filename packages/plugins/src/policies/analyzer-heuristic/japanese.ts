import type { Grade, Marker, Request, Sentence } from "./requests.ts"
import { bare, cut, isExact, isFileName, oneLine, type Phrase, withoutAsides } from "./text.ts"

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
  ["付ける", "付け(?:て|た|る)?", "make"],
  ["直す", "直(?:して|した|し|す)", "change"],
  ["消す", "消(?:して|した|し|す)", "change"],
  ["移す", "移(?:して|した|し|す)", "change"],
  ["変える", "(?<![切書替置])変え(?:て|た|る)?", "change"],
  ["置き換える", "置き換え(?:て|た|る)", "change"],
  ["切り替える", "切り替え(?:て|た|る)", "change"],
  ["まとめる", "まとめ(?:て|た|る)?", "change"],
  ["調べる", "調べ(?:て|た|る)?", "inform"],
  ["教える", "教え(?:て|る)", "inform"]
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

interface Verb {
  readonly at: number
  readonly word: string
  readonly grade: Grade
}

const verbOf = (at: number, verbal: string | undefined, said = ""): Verb => {
  if (verbal !== undefined) {
    const grade = (["make", "change", "inform"] as const).find((one) => nouns[one].split("|").includes(verbal))
    return { at, word: `${verbal}する`, grade: grade ?? "behave" }
  }
  if (said.endsWith("ように")) return { at, word: `${said}する`, grade: "change" }
  const [word, , grade] = native.find(([, forms]) => new RegExp(`^(?:${forms})$`, "u").test(said)) ?? [
    said,
    "",
    "change"
  ]
  return { at, word, grade: grade as Grade }
}

const verbIn = (masked: string): Verb | null => {
  const shown = masked.slice(-80)
  const found = ending.exec(shown)
  return found === null ? null : verbOf(masked.length - shown.length + found.index, found[1], found[2] ?? found[3])
}

const orders: ReadonlyArray<readonly [RegExp, Marker]> = [
  [/^(?:ただし、?その前に|その前に|それより前に|事前に)[、，,\s]*/u, "earlier"],
  [/^(?:まず(?:は|最初に)?|最初に|はじめに|初めに|第一に|[1１一]つ目に)[、，,\s]*/u, "first"],
  [
    /^(?:次に|つぎに|次いで|続いて|続けて|その後(?:に|で)?|そのあと(?:に|で)?|それから|その上で|そのうえで|(?:(?:それ|これ)が)?(?:終わったら|完了したら|できたら)|完了後に?|第[二三]に)[、，,\s]*/u,
    "then"
  ],
  [
    /^(?:最後に|最終的に|仕上げに|(?:すべて|全て|全部|以上|これら|上記)(?:が|を)?(?:終わったら|完了したら|できたら|終えたら))[、，,\s]*/u,
    "last"
  ],
  [
    /^(?:また|さらに|更に|加えて|あわせて|併せて|ついでに|別途|同時に|並行して|そのほか|それと|あと|そして|なお)[、，,\s]*/u,
    "also"
  ]
]

/** Order words at the beginning, and how long they are. */
const opening = (masked: string): { readonly size: number; readonly marker: Marker | null } => {
  const shown = masked.slice(0, 60)
  const found = orders.find(([pattern]) => pattern.test(shown))
  return found === undefined
    ? { size: 0, marker: null }
    : { size: found[0].exec(shown)?.[0].length ?? 0, marker: found[1] }
}

/** What only limits the work. */
const limit =
  /(?:しない(?:で(?:ください|下さい|ほしい|ね)?|こと|ように(?:して(?:ください)?|する)?)?|(?:わ|ら|か|さ|え|れ|べ|き|み|い)ない(?:で(?:ください|下さい|ほしい|ね)|こと|ように(?:して(?:ください)?|する)?)|(?:使わ|変え|触ら|触れ|壊さ|増やさ|加え|含め)ない|(?:禁止|不可|厳禁|不要|必須|のみ|だけ|まま(?:に(?:する|して(?:ください)?)?)?|以上|以下|以内|未満)(?:です|とする|とします)?|(?:いけ|なら)(?:ない|ません)|(?:を|は)(?:使用|利用|使っ|維持|遵守|厳守|採用)(?:する(?:こと)?|して(?:ください|下さい)?|すること|て(?:ください|下さい))?|を使う(?:こと)?|に(?:従う|従って|準拠(?:する|して)?|合わせる|合わせて)(?:こと|ください|下さい)?)[。．.!！\s]*$/u

/** A verb that describes a noun: `保存する関数`. */
const relative = /(?:する|した|できる|れる|える|[うくすつぶむる])(?=[\p{Script=Han}\p{Script=Katakana}A-Za-z])/u

interface Clause {
  readonly words: Phrase
  readonly marker: Marker | null
  readonly verb: Verb
}

/** The requests of a Japanese sentence. */
export const readJapanese = (sentence: Phrase): Sentence => {
  const { text } = sentence
  const nothing = { text, requests: [], ban: null, whole: false }
  // longer ones are no sentence of a person
  if (text.length > 4_000) return { ...nothing, kind: "statement" }
  const isLimit = limit.test(sentence.masked)
  const listed = isLimit ? [] : afterColon(sentence)
  if (listed.length > 0) return { ...nothing, kind: "work", requests: listed }
  const { clauses, rest } = clausesOf(sentence, isLimit)
  const requests = clauses.flatMap(requestsOf)
  if (requests.length === 0)
    return { ...nothing, kind: isLimit ? "limit" : /[?？]$|か。?$/u.test(text) ? "question" : "statement" }
  const whole = clauses.some(
    ({ verb, words }) => verb.grade === "make" && isWhole(withoutAsides(objectOf(words, verb).masked))
  )
  return { ...nothing, kind: "work", requests, whole, ban: isLimit ? rest : null }
}

/** Requests that one sentence joins: `Aを定義し、Bを実装してください`; of a ban only those before it. */
const clausesOf = (
  sentence: Phrase,
  isBan: boolean
): { readonly clauses: ReadonlyArray<Clause>; readonly rest: string } => {
  const clauses: Array<Clause> = []
  const { masked } = sentence
  const last = isBan ? null : verbIn(masked.replace(/\uE002+(?=[。．.\s]*$)/u, (found) => " ".repeat(found.length)))
  const until = isBan ? masked.length : (last?.at ?? 0)
  let start = 0
  let then = false
  const add = (end: number, verb: Verb) => {
    const { marker, size } = opening(masked.slice(start))
    const from = start + size
    clauses.push({
      words: cut(sentence, from, end),
      verb: { ...verb, at: verb.at - from },
      marker: marker ?? (then ? "then" : null)
    })
  }
  for (const found of masked.matchAll(middle)) {
    const end = found.index + found[0].length
    if (end > until || found.index <= start || !/[をも].{0,30}$|の$/u.test(masked.slice(start, found.index))) continue
    const isOrdered = found[3]?.startsWith("から") === true || found[4] !== undefined
    const next = opening(masked.slice(end)).marker
    // `調べて直す` is one thing
    const grade = verbOf(found.index, found[1] ?? found[4], found[2]).grade
    if (!isOrdered && next === null && grade === "inform" && last?.grade !== "inform") continue
    if (!isOrdered && next === null && relative.test(masked.slice(end, until).split("を")[0] ?? "")) continue
    add(end, verbOf(found.index, found[1] ?? found[4], found[2]))
    start = end
    then = isOrdered
  }
  if (last !== null && last.at > start) add(masked.length, last)
  return { clauses, rest: sentence.text.slice(start) }
}

const particleIn = (words: Phrase, { at }: Verb): number => {
  const before = words.masked.slice(0, at)
  return Math.max(before.lastIndexOf("を"), /[がもの]$/u.test(before) ? before.length - 1 : -1)
}

const objectOf = (words: Phrase, verb: Verb): Phrase => cut(words, 0, Math.max(0, particleIn(words, verb)))

const requestsOf = ({ marker, verb, words }: Clause): ReadonlyArray<Request> => {
  const particle = particleIn(words, verb)
  if (particle < 0 && !/[はにへで]$/u.test(words.masked.slice(0, verb.at))) return []
  const object = objectOf(words, verb)
  const before = oneLine(words.text.slice(0, verb.at))
  const aside = /\uE002+[。．.\s]*$/u.exec(words.masked)
  const inBrackets =
    aside === null || words.masked.slice(0, aside.index).includes("\uE002") ? "" : bare(cut(words, aside.index)).text
  const made = { verb: verb.word, grade: verb.grade, marker, object }
  const way = oneLine(words.text.slice(particle + 1, verb.at)).replaceAll(/それぞれ|各々|すべて/gu, "")
  const items =
    particle < 0 || joins.test(verb.word) || verb.grade === "inform" ? [] : enumerated(object, inBrackets, verb.grade)
  if (items.length > 1)
    return items.map(({ own: named, say }, i) => ({
      ...made,
      own: named,
      say: `${say}を${way}${verb.word}`,
      listed: true,
      joined: i > 0
    }))
  // `A機能の追加` is as the user wrote it
  const say = /の$/u.test(before) ? bare(words).text : `${before}${verb.word}${inBrackets}`
  return [{ ...made, own: bare(words).text, say, listed: false, joined: false }]
}

// --- enumerations -------------------------------------------------------------------------------------------------

const kinds =
  /(?:機能|関数|画面|ページ|API|エンドポイント|コンポーネント|クラス|メソッド|モジュール|コマンド|ファイル|サービス|スクリプト|フック|ボタン|処理|ツール|モデル|テーブル|フォーム)$/u
export const isWhole = (text: string): boolean =>
  /(?:アプリ(?:ケーション)?|システム|モジュール|サービス|API|ライブラリー?|サイト|ツール|ゲーム|ボット|サーバー?|バックエンド|フロントエンド|プラットフォーム|ダッシュボード|CLI|パッケージ|SDK|ブログ|ストア|エディター?|電卓|クライアント|基盤|プラグイン|機能|ユーティリティー?|プロジェクト|管理画面)$/u.test(
    text
  )
/** What is a property of one thing, a quality, or the name of a product. */
const noWork =
  /(?:フィールド|カラム|項目|列|属性|プロパティ|引数|パラメーター?|オプション|キー|値|タグ|色|言語|ブラウザー?|欄|ステータス|状態|権限)$|^(?:氏?名|名前|姓|メール(?:アドレス)?|パスワード|年齢|住所|電話番号|性別|生年月日|タイトル|本文|件名|価格|金額|数量|日付|日時|説明|カテゴリー?|画像|ユーザー?名|商品名|コメント|番号|URL|ID|[赤青緑黄白黒大中小]|Windows|macOS|Linux|Chrome|Firefox|Safari|iOS|Android|日本語|英語|高速|安全|シンプル|簡単|簡潔|軽量|柔軟|堅牢|可読性|保守性|拡張性|速度|性能|品質|React|Vue|Angular|Next(?:\.js)?|Node(?:\.js)?|TypeScript|JavaScript|Python|Go|Rust|Docker|PostgreSQL|MySQL|Redis|GraphQL|HTML|CSS|AWS)$|(?:関連|関係|違い|差|順序?|順番|[^違願扱]い|的|性|さ)$/iu

const solid = "[^\\p{Script=Hiragana}\\s、，]"
const separators = new RegExp(
  `[、，,;；・／]\\s*(?:および|及び|ならびに|そして|と)?|\\s*(?:および|及び|ならびに|並びに|＆|&)\\s*|(?<=${solid}|\\p{Script=Han}[えりみきしけちべせれげびめ]{1,3})\\s?と\\s?(?=${solid})`,
  "gu"
)
const alternative = new RegExp(`または|もしくは|あるいは|又は|など|(?:等)(?:$|の)|(?<=${solid})や(?=${solid})`, "u")

/** What is enumerated; none: alternatives, or it is one piece. */
const pieces = (list: Phrase): ReadonlyArray<Phrase> => {
  if (alternative.test(list.masked)) return []
  const found: Array<Phrase> = []
  let from = 0
  for (const { 0: mark, index } of list.masked.matchAll(separators)) {
    found.push(cut(list, from, index))
    from = index + mark.length
  }
  const all = [...found, cut(list, from)]
  const isPlain = ({ masked }: Phrase) =>
    masked !== "" &&
    masked.length <= 40 &&
    !/を|(?:に|で|へ|から|は|が|も)(?=[^\p{Script=Hiragana}])|^(?:それ|これ|その|この|各)|^\p{Script=Hiragana}{1,2}$/u.test(
      masked
    )
  const works = all.filter(({ text }) => !noWork.test(text.replaceAll(/^[`「]|[`」]$/gu, "")))
  return all.length > 1 && all.every(isPlain) && works.length * 2 > all.length ? all : []
}

interface Item {
  readonly own: string
  /** What is asked for, without its verb. */
  readonly say: string
}

const holds =
  /^(.+?)(?:機能)?(?:を含む|を含んだ|を含めた|を持つ|を持った|を備えた|を備える|からなる|で構成される|(?:が|を)?できる|が可能な|付きの|をサポートする|に対応した|を提供する|を行う|のある)(.+)$/u

const enumerated = (object: Phrase, inBrackets: string, grade: Grade): ReadonlyArray<Item> => {
  const aside = /\uE002+/u.exec(object.masked)
  const inner = aside === null ? inBrackets : object.text.slice(aside.index, aside.index + aside[0].length)
  const owner = aside === null ? object : cut(object, 0, aside.index)
  if (inner !== "" && !/^[(（](?:例|たとえば|e\.g)/u.test(inner) && isWhole(owner.masked))
    return owned(phraseOf(inner.slice(1, -1)), owner.text)
  const [, list, holder] = holds.exec(object.masked) ?? []
  if (list !== undefined && holder !== undefined)
    return grade === "make" && isWhole(holder)
      ? owned(cut(object, 0, list.length), object.text.slice(object.text.length - holder.length))
      : []
  return direct(object, grade)
}

const phraseOf = (text: string): Phrase => ({ text, masked: text })

/** `ログイン、ログアウト、登録を含む認証モジュール`. */
const owned = (list: Phrase, owner: string): ReadonlyArray<Item> => {
  const found = pieces(list)
  return found.length < 3 ? [] : found.map(({ text }) => ({ own: text, say: `${oneLine(owner)}の${oneLine(text)}` }))
}

const direct = (object: Phrase, grade: Grade): ReadonlyArray<Item> => {
  // `src/auth.tsに` belongs to all of them
  const place =
    /^(?:関数|クラス|コマンド|メソッド)\s+|^[^、，]*?\uE001+(?:ファイル)?(?:に|で|では|には|へ|の中に)、?(?=[^、，])/u.exec(
      object.masked
    )?.[0].length ?? 0
  const counted =
    /\s*(?:の|という)\s*(?:各|それぞれの?|(?:計|全)?[0-9０-９一二三四五六七八九十]+\s*(?:つ|個|種類|件|本|点)の?)\s*(\S{0,12})$/u.exec(
      object.masked
    )
  const list = cut(object, place, counted?.index ?? object.text.length)
  const shared = counted === null ? /(?<=\uE001`?)の[^の、，と]+$/u.exec(list.masked) : null
  const found = pieces(shared === null ? list : cut(list, 0, shared.index))
  const exact = found.every(({ masked }) => isExact(masked))
  // `商品と注文の一覧`: it is open what belongs to what
  if (
    found.length < 2 ||
    (!exact && /の/u.test(found.at(-1)?.masked ?? "") && !found.every(({ masked }) => masked.includes("の")))
  )
    return []
  if (shared !== null && !found.every(({ masked }) => isFileName(masked))) return []
  if (grade !== "make" && !exact && !found.every(({ masked }) => kinds.test(masked))) return []
  const prefix = oneLine(object.text.slice(0, place))
  const kind = counted?.[1] !== undefined && kinds.test(counted[1]) ? counted[1] : ""
  const suffix = shared === null ? kind : list.text.slice(shared.index)
  return found.map(({ text }) => ({ own: text, say: `${prefix}${oneLine(text)}${suffix}` }))
}

/** `実装する関数: A, B, C`, `次の関数を実装してください：A、B`; none: nothing of the kind. */
const afterColon = (sentence: Phrase): ReadonlyArray<Request> => {
  const colon = /^[^:：]{1,80}[:：]/u.exec(sentence.masked)?.[0].length ?? 0
  const label = cut(sentence, 0, Math.max(0, colon - 1))
  const list = bare(cut(sentence, colon))
  if (colon === 0 || list.text === "") return []
  const before = verbIn(label.masked)
  const [, described] = new RegExp(`(${nouns.make})する`, "u").exec(label.masked) ?? []
  const verb = before ?? (described === undefined ? null : verbOf(0, described))
  const group = label.masked.replace(/[をが].*$/u, "").trim()
  const found = pieces(list)
  if (verb === null || !kinds.test(group) || found.length < 2) return []
  const kind = /(?:関数|クラス|コマンド|メソッド)$/u.exec(group)?.[0] ?? ""
  return found.map((object, i) => ({
    own: object.text,
    object,
    say: `${kind === "" ? "" : `${kind} `}${oneLine(object.text)}を${verb.word}`,
    verb: verb.word,
    grade: verb.grade,
    marker: null,
    listed: true,
    joined: i > 0
  }))
}

/** Whether a line is a request: `ログイン画面の作成`, `検索を実装する`. */
export const asksJapanese = (line: Phrase): boolean => {
  const shown = line.masked.replace(/\uE002+\s*$/u, "").trim()
  const verb = verbIn(shown)
  return verb !== null && verb.at > 0 && /[をのがもにへで]$/u.test(shown.slice(0, verb.at)) && !limit.test(shown)
}
