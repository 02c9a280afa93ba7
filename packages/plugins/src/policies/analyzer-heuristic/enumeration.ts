import { opening } from "./opening.ts"
import type { Marker, Request } from "./requests.ts"
import { bare, cut, oneLine, type Phrase, splitAt, withoutAsides } from "./text.ts"

/** One of several things that are enumerated. */
export interface Piece {
  readonly object: Phrase
  /** Of `then logout`. */
  readonly marker: Marker | null
}

export interface Item extends Piece {
  /** What is asked for: without its verb, or with it. */
  readonly say: string
}

/** What has parts. */
const wholes = [
  /\b(?:module|app|application|system|service|apis?|site|website|dashboard|library|package|tool|toolkit|cli|platform|game|bot|server|backend|frontend|client|sdk|project|portal|suite|framework|plugin|extension|engine|store|shop|blog|feature|functionality|pipeline|manager|editor|player|calculator|program|microservice|admin|crm|cms|marketplace|forum|infrastructure|utilities|helpers|workflow|product|prototype|tracker|planner|compiler|wiki)$/iu,
  /(?:アプリ(?:ケーション)?|システム|モジュール|サービス|API|ライブラリー?|サイト|ツール|ゲーム|ボット|サーバー?|バックエンド|フロントエンド|プラットフォーム|ダッシュボード|CLI|パッケージ|SDK|ブログ|ストア|エディター?|電卓|クライアント|基盤|プラグイン|機能|ユーティリティー?|プロジェクト|管理画面)$/u
]
export const isWhole = (noun: string): boolean => wholes.some((words) => words.test(withoutAsides(noun).trim()))

/** What is a property of one thing, or a quality; first those that make all that stands before them properties. */
const weak = [
  /\b(?:fields?|columns?|propert(?:y|ies)|attributes?|param(?:eter)?s?|arg(?:ument)?s?|options?|props?|keys?|values?|labels?|tags?|colou?rs?|flags?|variables?|characters?|languages?|inputs?|states?|status(?:es)?|roles?|environments?|browsers?|sizes?|levels?|formats?|units?|rows?|reasons?|examples?|cases?|criteria|names?|emails?|ages?|ids?|passwords?|usernames?|titles?|descriptions?|prices?|dates?|phone|address|url|body|subject|author|amount|quantity|count|weight|height|width|city|country|gender|birthday|timestamp|avatar|icon|summary|text|total|red|green|blue|yellow|black|white|warnings?|errors?|strings?|numbers?|booleans?|newlines|commas|quotes|spaces|spelling|grammar)$/iu,
  /^(?:(?:very|well|fully|more|highly)\b.*|fast|safe|simple|small|clean|quick|easy|robust|modern|minimal|secure|light|dark|friendly|good|nice|elegant|efficient|consistent|concise|clear|correct|stable|strict|typed|tested|documented|short|speed|safety|simplicity|quality|performance|security|accessibility|readability|maintainability|clarity|reliability|scalability|efficiency|care|precision|better|faster|cleaner|safer|simpler|smaller|large|big|old|new|async|\w{3,}(?:able|ible|ful|less|ous|ive))$/iu,
  /(?:フィールド|カラム|項目|列|属性|プロパティ|引数|パラメーター?|オプション|キー|値|タグ|色|言語|ブラウザー?|欄|ステータス|状態|権限)$|^(?:氏?名|名前|姓|メール(?:アドレス)?|パスワード|年齢|住所|電話番号|性別|生年月日|タイトル|本文|件名|価格|金額|数量|日付|日時|説明|カテゴリー?|画像|ユーザー?名|商品名|コメント|番号|URL|ID|[赤青緑黄白黒大中小]|Windows|macOS|Linux|Chrome|Firefox|Safari|iOS|Android|日本語|英語|高速|安全|シンプル|簡単|簡潔|軽量|柔軟|堅牢|可読性|保守性|拡張性|速度|性能|品質|React|Vue|Angular|Next(?:\.js)?|Node(?:\.js)?|TypeScript|JavaScript|Python|Go|Rust|Docker|PostgreSQL|MySQL|Redis|GraphQL|HTML|CSS|AWS)$|(?:関連|関係|違い|差|順序?|順番|[^違願扱]い|的|性|さ)$/iu
]
const joint = /\s(?:and|&|plus|as well as|then)\s/iu
/** Products, figures, what refers to something else, the first of `commands init, add and remove`, and what is said of a thing. */
const never = [
  joint,
  /^(?:react|vue|angular|svelte|next|node|node\.js|express|typescript|javascript|python|go|rust|java|docker|kubernetes|postgres|postgresql|mysql|mongodb|sqlite|redis|kafka|graphql|grpc|tailwind|css|html|sass|redux|zod|vite|jest|vitest|prisma|webpack|lodash|axios)$/iu,
  /^(?:[\d.%$€-]+\w{0,3}|(?:its|their|his|her|it|them|they|not|no|if|when|but)\b.*)$/iu,
  /^(?:commands|endpoints|methods|functions|routes|pages|operations|types|modules|classes|events|tabs|columns|関数|クラス|コマンド|メソッド)\s/iu,
  /\b(?:is|are|was|has|should|must|can|will|works|passes|fails)\b|\s[–—-]+(?=\s|$)/iu,
  // what a Japanese particle joins with other words
  /を|(?:に|で|へ|から|は|が|も)(?=[^\p{Script=Hiragana}])|^(?:それ|これ|その|この|各)|^\p{Script=Hiragana}{1,2}$/u
]
const solid = "[^\\p{Script=Hiragana}\\s、，]"
const separators = new RegExp(
  `\\s*[,;、，；・／]\\s*(?:(?:and|&|plus)\\s+|および|及び|ならびに|そして|と)?|\\s+(?:and|&|plus|as well as)\\s+(?![^,;]{0,1000}[,;])|\\s*(?:および|及び|ならびに|並びに|＆|&)\\s*|(?<=${solid}|\\p{Script=Han}[えりみきしけちべせれげびめ]{1,3})\\s?と\\s?(?=${solid})`,
  "giu"
)
const alternatives = new RegExp(
  `\\b(?:or|and\\/or|vs|versus|etc)\\b|\\.\\.\\.|…|または|もしくは|あるいは|又は|など|(?:等)(?:$|の)|(?<=${solid})や(?=${solid})`,
  "iu"
)
/** Where the words begin that say more about a thing. */
export const says =
  /\s(?:that|which|who|whose|where|when|whenever|if|unless|so|because|since|while|until|such|like|between|about|based|whether|how|what|why|as|than|instead|e\.g\.?|i\.e\.?|except|rather|depending)(?=\s)/iu
export const place = /\s(?:in|into|to|onto|on|under|inside|within|for|from|using|via|with|by|at|across|over)\s/iu
export const withoutArticle = (masked: string): string =>
  masked.replace(/^(?:an?|the|another|one|our|my|your|both)\s+/iu, "")

/** Enumerated pieces, each of which can be a piece of work; none: alternatives, or nothing is enumerated. */
export const pieces = (list: Phrase): ReadonlyArray<Piece> => {
  if (alternatives.test(list.masked)) return []
  const found = splitAt(list, separators).map((one): Piece => {
    const isLater = /^(?:then|finally|also)\s/iu.test(one.masked)
    const { marker, size } = isLater ? opening(one.masked) : { marker: null, size: 0 }
    return { object: bare(cut(one, size)), marker }
  })
  // `fix a, b`: one of them says more about the other
  const isComment = found.length === 2 && /^[^、・]*[,;]/u.test(list.masked) && !joint.test(list.masked)
  const named = found.map(({ object }) => withoutArticle(object.masked.split(place)[0] ?? ""))
  const arePlain = found.every(({ object: { masked } }) => masked !== "" && masked.length <= 120)
  const areWorks = !named.some((one) => never.some((words) => words.test(one)))
  const plain = found.map(({ object }) => withoutArticle(object.text.split(place)[0] ?? "").replaceAll(/[`「」]/gu, ""))
  const isWeak = plain.filter((one) => weak.some((words) => words.test(one))).length * 2 >= found.length
  const areProperties = weak[0]?.test(plain.at(-1) ?? "") === true
  return found.length > 1 && !isComment && arePlain && areWorks && !isWeak && !areProperties ? found : []
}

/** `…, all in src/a.ts`, `…, each with a test`: no piece, but what stands at the end and is said of all. */
const ofAll = /^(?:all|both|each|every one|everything)(?:\s+of\s+(?:them|these|those|which))?(?=\s)/iu
const alsoOfAll = /[\s,;]+(?:all|both|each)$/iu
/** `tests for both`: what it names stands before it. */
const about = /\sfor (?:(?:all|each) of )?(?:these|those|them|both|it|each|everything|all)\b/iu
export const isAboutOthers = ({ masked }: Phrase): boolean => about.test(masked)

/**
 * What stands after the last of some things and belongs to all of them, from its blank on, and the things without it.
 * Where several say where they belong, each has its own.
 */
export const tailOf = (
  all: ReadonlyArray<Phrase>
): { readonly others: ReadonlyArray<Phrase>; readonly tail: string } => {
  const end = all.at(-1)
  const [every] = ofAll.exec(end?.masked ?? "") ?? []
  const named = every === undefined ? all : all.slice(0, -1)
  const said = end === undefined || every === undefined ? "" : ` ${cut(end, every.length).text}`
  const last = named.at(-1)
  if (last === undefined || named.slice(0, -1).some(({ masked }) => place.test(masked)))
    return { others: named, tail: said }
  const at = (place.exec(last.masked) ?? says.exec(last.masked))?.index ?? last.text.length
  const size = last.masked.slice(0, at).replace(alsoOfAll, "").length
  return { others: [...named.slice(0, -1), bare(cut(last, 0, size))], tail: `${last.text.slice(at)}${said}` }
}

/** Enumerated pieces, and what is said of all of them. */
export const listOf = (list: Phrase): { readonly found: ReadonlyArray<Piece>; readonly tail: string } => {
  const all = pieces(list)
  const { others, tail } = tailOf(all.map(({ object }) => object))
  return { found: others.map((object, i) => ({ marker: null, ...all[i], object })), tail }
}

/** The requests of a clause: each thing that it enumerates, or the one that it is. */
export const asRequests = (
  one: Omit<Request, "listed" | "joined">,
  items: ReadonlyArray<Item>
): ReadonlyArray<Request> =>
  items.length < 2
    ? [{ ...one, listed: false, joined: false }]
    : items.map(({ marker, object, say }, i) => ({
        ...one,
        own: object.text,
        object,
        say,
        marker: marker ?? one.marker,
        listed: true,
        joined: i > 0 && marker === null
      }))

export const itemsOf = (found: ReadonlyArray<Piece>, say: (piece: string) => string): ReadonlyArray<Item> =>
  found.map((piece) => ({ ...piece, say: say(oneLine(piece.object.text)) }))
