import type { Grade, Marker } from "./shapes.ts"

/** Vocabulary of Japanese requests. Nouns that become a verb with する: */
const makes =
  "実装|作成|追加|構築|開発|設計|定義|導入|準備|生成|記述|記載|執筆|用意|新設|新規作成|新規追加|追記|付与|挿入|明記|掲載|設置|配置"
const informs =
  "調査|レビュー|コードレビュー|分析|説明|解説|比較|評価|報告|要約|確認|特定|リストアップ|洗い出し|検討|点検|調べ"
const changes =
  "修正|削除|変更|更新|移行|改善|改修|整備|対応|統合|分割|分離|抽出|置換|移動|リファクタリング|リファクタ|テスト|単体テスト|ドキュメント化|文書化|デプロイ|公開|リリース|設定|有効化|無効化|最適化|高速化|軽量化|共通化|共有化|自動化|多言語化|国際化|検証|解決|解消|接続|連携|結合|マージ|同期|インストール|アップデート|アップグレード|リネーム|改名|翻訳|整理|調整|拡張|廃止|撤去|除去|切り替え|差し替え|書き換え|置き換え|組み込み|作り直し|見直し|書き直し|型付け|刷新|移植|変換|簡素化|強化|補完|反映|適用|復旧|修復|改良|モジュール化|コンポーネント化"
/** What they enumerate belongs together. */
export const joint =
  /^(?:統合|比較|接続|連携|結合|マージ|同期|置換|分離|インストール|アップデート|アップグレード|リネーム|改名|移動|確認|設定|置き換え|切り替え|差し替え)/u
/** What they enumerate is a quality or a place, unless it is named exactly. */
export const vague =
  /^(?:修正|改善|調整|変更|更新|最適化|高速化|整理|強化|対応|削除|見直|直|説明|分析|調査|検証|反映|変え|消)/u

/** Stem, and the endings て, plain, before ます, past. */
const fiveStep: ReadonlyArray<readonly [string, string, string, string, string, Grade]> = [
  ["作", "って", "る", "り", "った", "make"],
  ["つく", "って", "る", "り", "った", "make"],
  ["書", "いて", "く", "き", "いた", "make"],
  ["取り除", "いて", "く", "き", "いた", "change"],
  ["組み込", "んで", "む", "み", "んだ", "change"],
  ...["見直", "直", "なお", "消", "移", "外", "切り出", "書き直", "作り直", "減ら", "増や", "出"].map(
    (stem) => [stem, "して", "す", "し", "した", "change"] as const
  ),
  ["洗い出", "して", "す", "し", "した", "inform"],
  ...["加え", "付け", "つけ", "設け"].map((stem) => [stem, "て", "る", "", "た", "make"] as const),
  ...[
    "置き換え",
    "差し替え",
    "切り替え",
    "書き換え",
    "変え",
    "入れ替え",
    "入れ",
    "切り分け",
    "分け",
    "まとめ",
    "整え",
    "仕上げ",
    "揃え",
    "載せ",
    "やめ"
  ].map((stem) => [stem, "て", "る", "", "た", "change"] as const),
  ...["調べ", "確かめ", "教え"].map((stem) => [stem, "て", "る", "", "た", "inform"] as const)
]

const longestFirst = (words: ReadonlyArray<string>): string =>
  [...words].sort((one, other) => other.length - one.length).join("|")

const sahen = longestFirst([makes, changes, informs].join("|").split("|"))
const form = (column: 1 | 2 | 3 | 4): string => longestFirst(fiveStep.map((verb) => `${verb[0]}${verb[column]}`))

const aux =
  "(?:ください(?:ませ)?|下さい|ほしい(?:です)?|欲しい(?:です)?|もらえ(?:ますか|ませんか|る)|もらいたい(?:です)?|くれ(?:ますか|ませんか|る)?|いただけ(?:ますか|ませんか|ると(?:幸い|助かり).{0,6})|頂け(?:ますか|ませんか)|おいて(?:ください|下さい)?|ね)?"
const wish = "(?:たい(?:です|と思います|と思っています|のですが)?|ます|ましょう|よう)"

/** A request at the end of a sentence. Groups: noun with する; て-form; plain form; form before ます; `…できるように`. */
export const ending = new RegExp(
  `(?:(${sahen})(?:し(?:て${aux}|${wish})|する(?:こと|ように|必要がある|必要があります)?|せよ|しろ|(?:を|の|も)?(?:お願い|おねがい)(?:いたし|致し|し)?(?:ます|たいです)?|を(?:行って|おこなって|して|やって)${aux}|を行う(?:こと)?|が必要(?:です)?|が(?:ほしい|欲しい)(?:です)?)?|(${form(1)})${aux}|(${form(2)})(?:こと|ように)?|(${form(3)})${wish}|((?:でき|られ|れ|え|け|せ|て|め|べ)?るように)(?:する(?:こと)?|し(?:て${aux}|${wish})))[。．.!！?？:：\\s]*$`,
  "u"
)

/** A request in the middle: `…を定義し、`, `…してから`, `…した後に`. */
export const middle = new RegExp(
  `(?:(${sahen})(?:し(?:て)?|を(?:行い|行って))|(${form(1)})|(${form(3)}))(から、?|[、，,])|(?:(${sahen})した|(${form(4)}))(後(?:に|で)?、?|あと(?:に|で)?、?|のち(?:に)?、?|ら、)`,
  "gu"
)

/** Verbs whose て-form may as well belong to a clause that describes a noun. */
export const described =
  /^(?:追加|削除|変更|更新|移動|設定|変換|生成|検証|確認|同期|接続|公開|表示|付与|挿入|掲載|配置|分割|抽出|置換|適用|反映|比較)/u

/** The verb as it stands in a request of its own, and what it asks for. */
export const plain = (noun: string | undefined, said: string): { readonly word: string; readonly grade: Grade } => {
  if (noun !== undefined) {
    const is = (words: string) => new RegExp(`^(?:${words})$`, "u").test(noun)
    return { word: `${noun}する`, grade: is(makes) ? "make" : is(informs) ? "inform" : "change" }
  }
  if (said.endsWith("ように")) return { word: `${said}する`, grade: "change" }
  const found = fiveStep.find(([stem, te, dict, masu, past]) =>
    [te, dict, masu, past].some((end) => said === `${stem}${end}`)
  )
  return found === undefined ? { word: said, grade: "change" } : { word: `${found[0]}${found[2]}`, grade: found[5] }
}

const order: ReadonlyArray<readonly [string, Marker]> = [
  ["ただし、?その前に|でもその前に|その前に|それより前に|これより前に|事前に|先に", "earlier"],
  ["まず(?:は|最初に)?|最初に|はじめに|初めに|第一に|1つ目に|一つ目に", "first"],
  [
    "次に|つぎに|次いで|続いて|つづいて|続けて|その後(?:に|で)?|そのあと(?:に|で)?|それから|その上で|そのうえで|(?:それ|これ)が(?:終わ|完了し|でき)(?:ったら|たら)|(?:終わ|完了し|でき)(?:ったら|たら)|完了後(?:に)?|第二に|第三に",
    "then"
  ],
  ["(?:すべて|全て|全部|以上|これら|上記)(?:が|を)?(?:終わ|完了し|でき|終え)(?:ったら|たら|次第)", "last"],
  ["最後に|最終的に|仕上げに|おわりに", "last"],
  ["また|さらに|更に|加えて|あわせて|併せて|ついでに|別途|同時に|並行して|そのほか|他に(?:も)?|それと|あと", "also"],
  ["そして|なお|では|それでは", "also"]
]
const orders = order.map(([words, marker]) => [new RegExp(`^(?:${words})[、，,\\s]*`, "u"), marker] as const)

/** Order words at the beginning, and how long they are. */
export const opened = (text: string): { readonly size: number; readonly marker: Marker | null } => {
  let size = 0
  let marker: Marker | null = null
  for (let more = true; more; ) {
    more = false
    const rest = text.slice(size, size + 40)
    const blank = /^[\s、，,：:]+/u.exec(rest)
    if (blank !== null) {
      size += blank[0].length
      more = true
      continue
    }
    for (const [words, found] of orders) {
      const match = words.exec(rest)
      if (match === null) continue
      size += match[0].length
      marker = found === "also" && marker !== null ? marker : found
      more = true
      break
    }
  }
  return { size, marker }
}

/** What only limits the work. */
export const limit =
  /(?:しない(?:で(?:ください|下さい|ほしい|ね)?|こと|ように(?:して(?:ください)?|する)?)?|(?:わ|ら|か|さ|え|れ|べ|き|み|い)ない(?:で(?:ください|下さい|ほしい|ね)|こと|ように(?:して(?:ください)?|する)?)|(?:使わ|変え|触ら|触れ|壊さ|増やさ|加え|含め)ない|(?:禁止|不可|厳禁|不要|必須|のみ|だけ|まま(?:に(?:する|して(?:ください)?)?)?|以上|以下|以内|未満)(?:です|とする|とします)?|(?:いけ|なら)(?:ない|ません)|(?:を|は)(?:使用|利用|使っ|維持|遵守|厳守|採用)(?:する(?:こと)?|して(?:ください|下さい)?|すること|て(?:ください|下さい))?|を使う(?:こと)?|に(?:従う|従って|準拠(?:する|して)?|合わせる|合わせて)(?:こと|ください|下さい)?)[。．.!！\s]*$/u

/** What is a property of one thing. */
export const fieldNoun =
  /(?:フィールド|カラム|項目|列|属性|プロパティ|引数|パラメーター?|オプション|キー|値|タグ|色|言語|ブラウザー?|入力欄|欄|ステータス|状態|権限|値)$/u
export const fieldWord =
  /^(?:名前|氏名|名|姓|メール(?:アドレス)?|パスワード|年齢|住所|電話番号|性別|生年月日|タイトル|本文|件名|価格|金額|数量|日付|日時|作成日時?|更新日時?|説明|カテゴリー?|画像|ユーザー名|ユーザ名|商品名|コメント|番号|URL|ID|赤|青|緑|黄|黄色|白|黒|大|中|小|Windows|macOS|Mac|Linux|Chrome|Firefox|Safari|Edge|iOS|Android|日本語|英語)$/iu
export const quality =
  /(?:^(?:高速|安全|シンプル|簡単|簡潔|軽量|柔軟|堅牢|綺麗|きれい|モダン|安定|正確|効率|可読性|保守性|拡張性|速度|性能|品質|精度|使いやすさ|見た目)|[^違願扱]い|な|的|性|さ|く)$/u
export const product =
  /^(?:React|Vue|Angular|Next(?:\.js)?|Nuxt|Node(?:\.js)?|Express|TypeScript|JavaScript|Python|Go|Rust|Java|Ruby|Rails|Django|Flask|Docker|Kubernetes|PostgreSQL|MySQL|MongoDB|Redis|GraphQL|Tailwind(?:CSS| CSS)?|HTML|CSS|AWS|GCP|JWT|Prisma|Vite|Jest|Vitest|Zod|Firebase|Supabase)$/iu

/** A noun for several things of one kind, after which each may be named. */
export const kind =
  /(?:機能|関数|画面|ページ|API|エンドポイント|コンポーネント|クラス|メソッド|モジュール|コマンド|ファイル|サービス|スクリプト|フック|ボタン|処理|ツール|モデル|ルート|テーブル|フォーム|バグ|不具合|エラー|テスト|ドキュメント|タスク|作業|インターフェース|型|改修|改善|点|こと|もの)$/u
/** A whole of parts, and one that only many parts make too large. */
export const whole =
  /(?:アプリ(?:ケーション)?|システム|モジュール|サービス|API|ライブラリー?|サイト|ツール|ゲーム|ボット|サーバー?|バックエンド|フロントエンド|プラットフォーム|ダッシュボード|CLI|パッケージ|SDK|ブログ|ストア|エディター?|電卓|クライアント|基盤|プラグイン|機能|機能群|ユーティリティー?|関数群|プロジェクト|管理画面)$/u
export const smallWhole = /(?:画面|ページ|クラス|コンポーネント|スクリプト)$/u
