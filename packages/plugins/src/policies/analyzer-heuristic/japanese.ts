import {
  described,
  ending,
  fieldNoun,
  fieldWord,
  joint,
  kind,
  limit,
  middle,
  opened,
  plain,
  product,
  quality,
  smallWhole,
  vague,
  whole
} from "./japanese-words.ts"
import type { Clause, Grade, Item, Marker, Sentence } from "./shapes.ts"
import { isFileName, isLiteral, oneLine, type Span, trim } from "./text.ts"
import { fieldWords, products } from "./words.ts"

interface Source {
  readonly text: string
  readonly masked: string
}

/** Longer ones are no sentence of a person. */
const longest = 4_000

/** The requests of a Japanese sentence. */
export const readJapanese = (text: string, masked: string, span: Span): Sentence => {
  const own = trim(text, span)
  const statement: Sentence = { own, kind: "statement", clauses: [] }
  if (own.end - own.start > longest) return statement
  const source = { text, masked }
  const shown = masked.slice(own.start, own.end)
  if (limit.test(shown)) {
    const { rest, segments } = segmentsOf(source, own, true)
    const asked = segments.flatMap((segment) => clauseOf(source, segment))
    return asked.length === 0
      ? { ...statement, kind: "limit" }
      : { own: { start: own.start, end: rest }, kind: "work", clauses: asked, ban: trim(text, { ...own, start: rest }) }
  }
  const clauses = listed(source, own) ?? clausesOf(source, own)
  return clauses.length === 0 ? statement : { own, kind: "work", clauses }
}

/** What the words of a point of a list ask for; null: nothing by themselves. */
export const asksJapanese = (masked: string, span: Span): Grade | "limit" | null => {
  const shown = masked
    .slice(span.start, Math.min(span.end, span.start + 400))
    .replace(/\uE002+\s*$/u, "")
    .trim()
  if (limit.test(shown)) return "limit"
  const verb = verbIn(shown)
  // `DELETE /a：削除` names a thing
  const label =
    verb !== null && /[：:]\s*$/u.test(shown.slice(0, verb.at)) && !/[すしるてこ。]/u.test(shown.slice(verb.at))
  if (verb !== null && verb.at > 0 && !label) return verb.grade
  return /を[^を。]{1,40}[うくぐすつぬぶむる](?:こと|ように)?[。．.]?$/u.test(shown) ? "minor" : null
}

interface Found {
  readonly at: number
  readonly word: string
  readonly grade: Grade
}

const verbIn = (shown: string): Found | null => {
  const found = ending.exec(shown)
  if (found === null) {
    // any other verb of doing only says how something is to behave
    const [said, noun] = behaves.exec(shown) ?? []
    return said === undefined ? null : { at: shown.length - said.length, word: `${noun}する`, grade: "minor" }
  }
  const [, noun, ...forms] = found
  return { at: found.index, ...plain(noun, forms.find((form) => form !== undefined) ?? "") }
}

const behaves =
  /(?<=[をにでも])((?:\p{Script=Han}{2,4}|[\p{Script=Katakana}ー]{3,}))(?:して(?:ください|下さい|ほしい(?:です)?|欲しい(?:です)?)|すること)[。．.!！\s]*$/u

interface Segment extends Span {
  readonly marker: Marker | null
  readonly verb: Found
}

const clausesOf = (source: Source, own: Span): ReadonlyArray<Clause> => {
  const { segments } = segmentsOf(source, own, false)
  return segments.flatMap((segment) => clauseOf(source, segment))
}

/** Requests that one sentence joins: `Aを定義し、Bを実装してください`; `banned`: its last words only forbid, from `rest` on. */
const segmentsOf = (
  { masked }: Source,
  own: Span,
  banned: boolean
): { readonly segments: ReadonlyArray<Segment>; readonly rest: number } => {
  const shown = masked.slice(own.start, own.end).replace(/\uE002+(?=[。．.\s]*$)/u, (found) => " ".repeat(found.length))
  const last: Found | null = banned ? { at: shown.length, word: "", grade: "minor" } : verbIn(shown)
  if (last === null) return { segments: [], rest: own.end }
  const segments: Array<Segment> = []
  let start = 0
  let then = false
  const begin = (from: number): { readonly size: number; readonly marker: Marker | null } =>
    opened(shown.slice(from, from + 80))
  for (const found of shown.matchAll(middle)) {
    const [whole_, noun, te, masu, joined, pastNoun, past, after] = found
    const said = noun ?? te ?? masu ?? pastNoun ?? past ?? ""
    const verb = { at: found.index, ...plain(noun ?? pastNoun, said) }
    const end = found.index + whole_.length
    if (end >= last.at || found.index <= start) continue
    const object = shown.slice(start, found.index)
    if (!/[をも]|の$/u.test(object) || !/[^\s、，]/u.test(object.slice(0, -1))) continue
    const { marker, size } = begin(start)
    const following = begin(end).marker
    const ordered = joined?.startsWith("から") === true || after !== undefined
    if (described.test(said) && following === null && !ordered && relative.test(shown.slice(end, last.at))) continue
    segments.push({
      start: own.start + start + size,
      end: own.start + end,
      marker: marker ?? (then ? "then" : null),
      verb: { ...verb, at: own.start + verb.at }
    })
    start = end
    then = ordered
  }
  if (banned) return { segments, rest: own.start + start }
  const { marker, size } = begin(start)
  if (start + size < last.at || segments.length === 0)
    segments.push({
      start: own.start + start + size,
      end: own.end,
      marker: marker ?? (then ? "then" : null),
      verb: { ...last, at: own.start + last.at }
    })
  return { segments, rest: own.end }
}

/** A verb that describes a noun: `表示する画面`. */
const relative = /(?:する|した|できる|れる|える|う|く|す|つ|ぶ|む|る)(?=[^\p{Script=Hiragana}\s、。])/u

const clauseOf = (source: Source, { end, marker, start, verb }: Segment): ReadonlyArray<Clause> => {
  const { masked, text } = source
  const own = trimMarks(text, { start, end })
  const before = masked.slice(start, verb.at)
  const particle = Math.max(
    before.lastIndexOf("を"),
    /が$/u.test(before) ? before.length - 1 : -1,
    /も$/u.test(before) ? before.length - 1 : -1
  )
  if (particle === -1 && !/の$/u.test(before)) {
    // `ログイン機能の追加、ログアウトの修正`
    const list = bareList(source, { start, end: own.end }, marker)
    if (list.length > 0 || !/は|[にへで]$/u.test(before)) return list
    const { grade, word } = verb
    const say = `${oneLine(text.slice(own.start, verb.at))}${word}`
    return [{ own, marker, verb: word, grade, object: own, say, items: [], refers: false, whole: false }]
  }
  const object = { start, end: particle === -1 ? verb.at - 1 : start + particle }
  const way =
    particle === -1 ? "" : oneLine(text.slice(start + particle + 1, verb.at)).replaceAll(/それぞれ|各々|すべて/gu, "")
  const speak = (words: string) => `${words}を${way}${verb.word}`
  const items = joint.test(verb.word) && verb.grade !== "inform" ? [] : enumerated(source, object, end, verb, speak)
  const words = oneLine(text.slice(object.start, object.end))
  const rest = masked.slice(object.start, object.end)
  return [
    {
      own,
      marker,
      verb: verb.word,
      grade: verb.grade,
      object,
      say: particle === -1 ? oneLine(text.slice(own.start, own.end)) : speak(words),
      items,
      refers: /^(?:それ|これ|そちら|こちら)(?:ら)?$/u.test(rest.trim()),
      whole: whole.test(rest.replaceAll(/\uE002/gu, ""))
    }
  ]
}

const trimMarks = (text: string, span: Span): Span => {
  const { end, start } = trim(text, span)
  const mark = /[\s。．.、，,!！?？:：]+$/u.exec(text.slice(Math.max(start, end - 40), end))
  return { start, end: end - (mark?.[0].length ?? 0) }
}

/** Points that each end in a noun of doing. */
const bareList = ({ masked, text }: Source, span: Span, marker: Marker | null): ReadonlyArray<Clause> => {
  const pieces = pieceSpans(masked, span, /[、，,]/gu)
  if (pieces.length < 2) return []
  const found = pieces.map((piece) => verbIn(masked.slice(piece.start, piece.end)))
  if (found.some((verb, i) => verb === null || verb.at === 0 || (pieces[i]?.end ?? 0) - (pieces[i]?.start ?? 0) > 60))
    return []
  const items = pieces.map(
    ({ end, start }): Item => ({ own: { start, end }, say: oneLine(text.slice(start, end)), marker: null })
  )
  const first = found[0]
  return [
    {
      own: span,
      marker,
      verb: first?.word ?? "",
      grade: first?.grade ?? "change",
      object: span,
      say: oneLine(text.slice(span.start, span.end)),
      items,
      refers: false,
      whole: false
    }
  ]
}

const pieceSpans = (masked: string, { end, start }: Span, separator: RegExp): ReadonlyArray<Span> => {
  const pieces: Array<Span> = []
  let from = start
  for (const found of masked.slice(start, end).matchAll(separator)) {
    pieces.push(trim(masked, { start: from, end: start + found.index }))
    from = start + found.index + found[0].length
  }
  pieces.push(trim(masked, { start: from, end }))
  return pieces.filter((piece) => piece.end > piece.start)
}

interface Piece extends Span {
  readonly marker: Marker | null
}

const solid = "[^\\p{Script=Hiragana}\\s、，]"
const commas = /[、，,;；]\s*(?:および|及び|ならびに|並びに|そして|と)?/gu
const joints = new RegExp(
  `\\s*(?:および|及び|ならびに|並びに|＆|&|(?<=\\s)and(?=\\s))\\s*|(?<=${solid}|\\p{Script=Han}[えりみきしけちべせれげびめ]{1,3})\\s?と\\s?(?=${solid})`,
  "gu"
)
const dots = /[・／]/gu
const alternative = /または|もしくは|あるいは|又は|(?<![A-Za-z])or(?![A-Za-z])/u
const vaguely = new RegExp(`(?:など|等)(?:$|の|[をはが])|(?<=${solid})や(?=${solid})`, "u")

/** What stands between the separators; empty: nothing is enumerated. */
const split = (masked: string, span: Span): ReadonlyArray<Span> => {
  const shown = masked.slice(span.start, span.end)
  if (alternative.test(shown) || vaguely.test(shown)) return []
  const rough = pieceSpans(masked, span, commas)
  const last = rough.at(-1)
  if (rough.length > 1 && last !== undefined) return [...rough.slice(0, -1), ...pieceSpans(masked, last, joints)]
  const joined = pieceSpans(masked, span, joints)
  return joined.length > 1 ? joined : pieceSpans(masked, span, dots)
}

/** `「A」「B」「C」` side by side. */
const quotedSide = ({ masked, text }: Source, span: Span): ReadonlyArray<Span> => {
  const shown = text.slice(span.start, span.end)
  if (!/^(?:「[^「」]{1,80}」[、・と\s]*){2,}/u.test(shown) || !isLiteral(masked[span.start] ?? "")) return []
  return [...shown.matchAll(/「[^「」]{1,80}」/gu)].map((found) => ({
    start: span.start + found.index,
    end: span.start + found.index + found[0].length
  }))
}

const particles =
  /(?:に対して|について|において|では|には|から|として|にて|に|で|は|へ|が|も|ため|ので|場合|使って|用いて|して|て)$/u
const head = new RegExp(
  `^(.*${solid}(?:に対して|について|において|では|には|から|として|にて|に|で|は|へ|が|も|を))(?=${solid})`,
  "u"
)
const holds =
  /^(.*?)(?:機能)?(?:を含む|を含んだ|を含めた|を持つ|を持った|をもつ|を備えた|を備える|からなる|で構成される|(?:が|を)?できる|が可能な|付きの|つきの|をサポートする|をサポートした|に対応した|に対応する|を提供する|を行う|を行える|のある|がある)(.+)$/u

const enumerated = (
  source: Source,
  object: Span,
  end: number,
  verb: Found,
  speak: (words: string) => string
): ReadonlyArray<Item> => {
  const { masked, text } = source
  const shown = masked.slice(object.start, object.end)
  const inside = bracketed(source, object, end, speak)
  if (inside.length > 1) return inside
  const listing = holds.exec(shown)
  if (listing !== null) return contained(source, object, listing, verb, speak)
  const side = quotedSide(source, object)
  const pieces = side.length > 1 ? side : split(masked, object)
  if (pieces.length < 2) return []
  const shaped = shape(
    source,
    pieces,
    side.length > 1 ? trim(text, { start: side.at(-1)?.end ?? object.end, end: object.end }) : null
  )
  if (shaped === null) return []
  const { items, prefix, suffix } = shaped
  if (!isWork(source, items, suffix) || !plausible(source, items, suffix, verb)) return []
  return items.map(({ end, marker, start }) => ({
    own: { start, end },
    say: speak(`${prefix}${oneLine(text.slice(start, end))}${suffixOf(suffix)}`),
    marker
  }))
}

/** `の各機能` → `機能`; `のテスト` stays. */
const suffixOf = (suffix: string): string => {
  const noun = suffix.replace(
    /^\s*(?:の|という)\s*(?:各|それぞれの?|以下の|全(?:て|部)の?|計?(?:[0-9０-９]+\s*(?:つ|個|種類|件|本|点|種)?|[一二三四五六七八九十]+\s*(?:つ|個|種類|件|本|点|種))の?)?/u,
    ""
  )
  return /^(?:機能|関数|画面|ページ|API|エンドポイント|コンポーネント|クラス|メソッド|モジュール|コマンド|サービス|フック|ボタン|処理)$/u.test(
    noun
  )
    ? noun
    : noun === "" || /^(?:つ|個|ファイル)$/u.test(noun)
      ? ""
      : `の${noun}`
}

interface Shaped {
  readonly items: ReadonlyArray<Piece>
  readonly prefix: string
  readonly suffix: string
}

/** A name for a thing or for what is done, to which nothing that follows it belongs. */
const complete =
  /(?:機能|画面|ページ|API|コンポーネント|モジュール|クラス|関数|一覧|詳細|管理|検索|登録|追加|編集|削除|更新|作成|認証|通知|設定|処理|決済|表示|出力|入力|連携|ログイン|ログアウト|エクスポート|インポート|ソート|アップロード|ダウンロード)$/u

/** Takes apart what stands before and after what is enumerated: `src/a.tsに` A、B、C `の各機能`. */
const shape = ({ masked, text }: Source, pieces: ReadonlyArray<Span>, after: Span | null): Shaped | null => {
  const leading = pieces.findLastIndex(({ end, start }) => particles.test(masked.slice(start, end)))
  const rest = pieces.slice(leading + 1)
  const [first, ...others] = rest
  const last = others.at(-1)
  if (first === undefined || last === undefined) return null
  const context = leading === -1 ? "" : `${oneLine(text.slice(pieces[0]?.start ?? 0, pieces[leading]?.end ?? 0))}、`
  const shown = masked.slice(first.start, first.end)
  const topic = head.exec(shown)?.[1]
  const owner = others.every(({ end, start }) => !masked.slice(start, end).includes("の"))
    ? /^(.*?の)(?=.)/u.exec(shown)?.[1]
    : undefined
  const size = topic?.length ?? owner?.length ?? 0
  const ended = masked.slice(last.start, last.end)
  const counted =
    /^(.+?)(\s*(?:の|という)\s*(?:各|それぞれ|以下|計?[0-9０-９一二三四五六七八九十]+\s*(?:つ|個|種類|件|本|点|種)).*)$/u.exec(
      ended
    )
  const plainTail = /^(.+?)(\s*の\s*[^の]+)$/u.exec(ended)
  const heads = [first, ...others.slice(0, -1)].map(({ end, start }) =>
    masked.slice(start + (start === first.start ? size : 0), end).trim()
  )
  const tail = counted ?? (heads.every((words) => !words.includes("の")) ? plainTail : null)
  // `ログイン画面と商品の一覧`: the first needs no more words; `商品と注文の一覧` shares them
  const full = heads.filter((words) => complete.test(words)).length
  const together = counted !== null || kind.test(tail?.[2] ?? "")
  if (tail !== null && !together && full > 0 && full < heads.length) return null
  const shared = tail !== null && (together || full === 0) ? tail : null
  const items = [
    { start: first.start + size, end: first.end },
    ...others.slice(0, -1),
    { start: last.start, end: shared === null ? last.end : last.start + (shared[1] ?? "").length }
  ]
  const marked = items.map((piece): Piece => {
    const { marker, size: word } = opened(masked.slice(piece.start, piece.end))
    return { ...trim(text, { start: piece.start + word, end: piece.end }), marker }
  })
  if (marked.some(({ end, start }) => end <= start || end - start > 60)) return null
  const following = after === null ? "" : text.slice(after.start, after.end)
  return {
    items: marked,
    prefix: `${context}${oneLine(text.slice(first.start, first.start + size))}`,
    suffix: shared?.[2] === undefined ? following : text.slice(last.start + (shared[1] ?? "").length, last.end)
  }
}

const isWork = ({ masked, text }: Source, items: ReadonlyArray<Span>, suffix: string): boolean => {
  const words = items.map(({ end, start }) => text.slice(start, end).replaceAll(/^[`「]|[`」]$/gu, ""))
  const share = (is: (word: string, i: number) => boolean) => words.filter(is).length / words.length
  if (suffix !== "" && fieldNoun.test(suffix.trim())) return false
  if (suffix === "" && fieldNoun.test(words.at(-1) ?? "")) return false
  if (
    /(?:関連|関係|違い|差|比較|連携|接続|整合性?|間|組み合わせ|対応付け|順|順番|順序)$/u.test(
      suffix || (words.at(-1) ?? "")
    )
  )
    return false
  if (share((word) => fieldWord.test(word) || fieldWords.has(word.toLowerCase())) > 0.5) return false
  if (share((word) => quality.test(word)) >= 0.5) return false
  if (share((word) => product.test(word) || products.has(word.toLowerCase())) > 0.5) return false
  return !items.some(
    ({ end, start }) =>
      /を|。|^(?:それ|これ|その|この|各)/u.test(masked.slice(start, end)) ||
      /^[\p{Script=Hiragana}]{1,2}$/u.test(masked.slice(start, end))
  )
}

const pairs =
  /^(?:ドラッグ ドロップ|コピー ペースト|コピー 貼り付け|読み取り 書き込み|読み込み 書き込み|開始 終了|ユーザー名 パスワード|ID パスワード|入力 出力|検索 置換)$/u

const plausible = ({ masked, text }: Source, items: ReadonlyArray<Span>, suffix: string, verb: Found): boolean => {
  const words = items.map(({ end, start }) => text.slice(start, end))
  const exact = items.every(({ end, start }) => isLiteral(masked.slice(start, end)))
  const files = items.every(({ end, start }) => isFileName(masked.slice(start, end)))
  if (files) return !/^(?:削除|消す)/u.test(verb.word)
  if (pairs.test(words.join(" "))) return false
  const kinds = (suffix !== "" && kind.test(suffix.trim())) || words.some((word) => kind.test(word))
  if (verb.grade === "make") return true
  if (vague.test(verb.word) || verb.grade === "inform") return (exact && items.length > 1) || kinds
  return items.length > 2 || kinds || exact
}

/** `ログイン、ログアウトを含む認証モジュール`. */
const contained = (
  source: Source,
  object: Span,
  listing: RegExpExecArray,
  verb: Found,
  speak: (words: string) => string
): ReadonlyArray<Item> => {
  const { masked, text } = source
  const listEnd = object.start + (listing[1] ?? "").length
  const holder = listing[2] ?? ""
  const bare = holder.replaceAll(/\uE002/gu, "").trim()
  const pieces = split(masked, { start: object.start, end: listEnd })
  const enough = whole.test(bare) ? 3 : smallWhole.test(bare) ? 5 : Number.POSITIVE_INFINITY
  if (verb.grade !== "make" || pieces.length < enough) return []
  const shaped = shape(source, pieces, null)
  if (shaped === null || shaped.items.length < enough || !isWork(source, shaped.items, shaped.suffix)) return []
  const container = oneLine(text.slice(object.end - holder.length, object.end))
  return shaped.items.map(({ end, marker, start }) => ({
    own: { start, end },
    say: speak(`${container}の${shaped.prefix}${oneLine(text.slice(start, end))}${suffixOf(shaped.suffix)}`),
    marker
  }))
}

/** `認証モジュール（ログイン、ログアウト、セッション管理）`; the brackets may also stand at the end of the sentence. */
const bracketed = (
  { masked, text }: Source,
  object: Span,
  end: number,
  speak: (words: string) => string
): ReadonlyArray<Item> => {
  const found = /\uE002+/u.exec(masked.slice(object.start, end))
  if (found === null) return []
  const open = object.start + found.index
  const holder = { start: object.start, end: Math.min(open, object.end) }
  const before = masked.slice(holder.start, holder.end).trim()
  const inside = { start: open + 1, end: open + found[0].length - 1 }
  if (/^(?:例|例えば|たとえば|e\.g)/u.test(text.slice(inside.start, inside.end))) return []
  const several = /(?:以下|次|各|つ|個|種)の?.{0,20}$/u.test(before) && kind.test(before)
  const pieces = split(text, inside)
  if (!(whole.test(before) || several) || pieces.length < (several ? 2 : 3)) return []
  if (!isWork({ text, masked: text }, pieces, "") || pieces.some((piece) => piece.end - piece.start > 60)) return []
  const container = oneLine(text.slice(holder.start, holder.end))
  return pieces.map((piece) => ({
    own: piece,
    say: speak(`${container}の${oneLine(text.slice(piece.start, piece.end))}`),
    marker: null
  }))
}

/** `実装する関数: A, B, C`, `次の関数を実装してください：A、B`. Null: nothing of the kind. */
const listed = (source: Source, own: Span): ReadonlyArray<Clause> | null => {
  const { masked, text } = source
  const shown = masked.slice(own.start, own.end)
  const colon = /[:：]/u.exec(shown.slice(0, 120))
  if (colon === null || shown.slice(colon.index + 1).trim() === "") return null
  const label = shown.slice(0, colon.index)
  const after = trimMarks(text, { start: own.start + colon.index + 1, end: own.end })
  const inner = clausesOf(source, after)
  if (inner.length > 0) return inner
  const request = verbIn(label)
  const sahen = /(\p{Script=Han}{2})する/u.exec(label)
  const verb = request ?? (sahen === null ? null : { at: 0, word: sahen[0], grade: "make" as const })
  const group = label.replace(/[をが].*$/u, "").trim()
  if (verb === null && !kind.test(group)) return null
  const tail = /\uE002+$/u.exec(masked.slice(after.start, after.end))
  const list = trim(text, { start: after.start, end: after.end - (tail?.[0].length ?? 0) })
  const pieces = split(masked, list).map((piece) => ({ ...piece, marker: null }))
  if (pieces.length < 2 || !isWork(source, pieces, "") || fieldNoun.test(group)) return null
  const way = request === null ? "" : (/を(.*)$/u.exec(label.slice(0, request.at))?.[1] ?? "")
  const aside = tail === null ? "" : oneLine(text.slice(list.end, after.end))
  const items = pieces.map(({ end, start }): Item => {
    const words = oneLine(text.slice(start, end))
    const name = /(?:関数|クラス|コマンド|メソッド)$/u.exec(group)?.[0] ?? ""
    return {
      own: { start, end },
      say:
        verb === null
          ? `${oneLine(text.slice(own.start, own.start + colon.index))}: ${words}${aside}`
          : `${name === "" ? "" : `${name} `}${words}${aside}を${oneLine(way)}${verb.word}`,
      marker: null
    }
  })
  return [
    {
      own,
      marker: null,
      verb: verb?.word ?? "",
      grade: "make",
      object: list,
      say: oneLine(text.slice(own.start, own.end)),
      items,
      refers: false,
      whole: true
    }
  ]
}
