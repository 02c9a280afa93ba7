import { namedCode } from "./namedCode.ts"
import { saidOf } from "./said.ts"

/**
 * Text for people that is cited where code is asked for: "The login function is implemented." in NOTES.md. What is asked is
 * known by words alone, so a doubt is always in favour of the text: honest documentation must never be refused.
 */

/** What the words of a task say of all its items. */
export interface TaskWords {
  /** They ask for code. */
  readonly code: boolean
  /** They speak of documents, or of work that ends in one. */
  readonly documents: boolean
  /** They speak of moving or renaming something. */
  readonly moves: boolean
  readonly language: Language
}

/** Whether the words above can be looked for at all. */
interface Language {
  readonly unknown: boolean
  readonly han: boolean
  readonly kana: boolean
}

/** `asked`: what the task is called and what it says. `around`: the same of the task that it is a part of. */
export const taskWords = (asked: ReadonlyArray<string>, around: ReadonlyArray<string> = []): TaskWords => {
  const all = spoken([...asked, ...around].join("\n"))
  return {
    code: asksForCode(asked.join("\n")),
    documents: documents.test(all),
    moves: moves.test(all),
    language: languageOf(all)
  }
}

const moves =
  /\b(?:mov(?:e|es|ed|ing)|renam\w*|extract\w*|relocat\w*|split\w*|consolidat\w*|merg\w*|reorgani[sz]\w*|migrat\w*|refactor\w*|restructur\w*|inlin\w*|replac\w*|copy|copie[sd])\b|移動|移す|移し|改名|リネーム|分割|統合|切り出|置き換/

/**
 * The file is text for people, or a copy, a patch or data that no program is made of, the item asks for code, and nothing
 * speaks of documents. `text`: what the file holds. Pure.
 */
export const isProse = (path: string, item: string, task: TaskWords = taskWords([]), text = ""): boolean => {
  if (isNoSource(path, item, text)) return true
  if (!isDocument(path) || task.documents) return false
  const name = baseOf(path)
  const words = spoken(item)
  if (item.includes(name) || documents.test(words) || perhapsDocuments.test(words)) return false
  if (!isKnown(languageOf(words), task.language)) return false
  return asksForCode(item) || task.code
}

const ending = "md|markdown|rst|adoc|asciidoc|org|textile"

/** By its name. Some of these are also data, or programs: `.txt`, `.mdx`, `.ipynb`, `.tex`. */
const isDocument = (path: string): boolean => {
  const name = baseOf(path)
  return documentName.test(name) || bareName.test(name) || /^(?:readme|changelog)$/i.test(name)
}

/** A document, or a text that may be one. */
export const isText = (path: string): boolean => isDocument(path) || /\.(?:mdx|txt)$/i.test(path)

const baseOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1)

const documentName = new RegExp(String.raw`.\.(?:${ending})$`, "i")
/** What editors, version control and programs leave beside sources. */
const leftover = /.(?:~|\.(?:bak|backup|orig|rej|old|save|sw[op]|te?mp|log|patch|diff))$/i
const noCode = /\.(?:mdx|txt|html?|json|csv|tsv|svg|snap|lock)$/i
/** What runs in a page, or makes one. */
const programInPage = /<script|<\?|<%|\{[%{]|\son\w+=/i
/** In MDX code stands outside of fences. */
const programInText = /^(?:export|import)\b/m

/** A function is asked for by its name, and nothing says that it is to stand in such a file. */
const isNoSource = (path: string, item: string, text: string): boolean => {
  const name = baseOf(path)
  if (!(leftover.test(name) || (noCode.test(name) && !/^(?:CMakeLists|requirements)\b/.test(name)))) return false
  if (item.includes(name) || ofSuchFiles.test(item)) return false
  if (!/^\W*(?:re-?)?implements?\b|を?実装/i.test(saidOf(item))) return false
  if (!namedCode(item).wanted.some(({ isCalled }) => isCalled)) return false
  return leftover.test(name) || !(/\.html?$/i.test(name) ? programInPage : programInText).test(text)
}

const ofSuchFiles =
  /\b(?:backups?|csv|data|diffs?|html|json|logs?|lock\s?files?|macros?|mdx|old|pages?|patch(?:es)?|snapshots?|svg|templates?|te?mp|txt|views?)\b/i

/** In capitals: `bin/report` is a program. */
const bareName =
  /^(?:README|NOTES|CHANGELOG|CHANGES|HISTORY|NEWS|TODO|AUTHORS|CONTRIBUTORS|CONTRIBUTING|LICENSE|LICENCE|COPYING|NOTICE|THANKS|CREDITS|ROADMAP|SUMMARY|REPORT|STATUS|PROGRESS)$/

// --- words --------------------------------------------------------------------------------------------------------

/** A text as words are looked for in it. */
const plain = (text: string): string => text.normalize("NFKC").toLowerCase().replace(/[-_]/g, " ")

/** The same, and with the names of a program taken apart: `UserGuide`. */
const spoken = (text: string): string =>
  `${plain(text)}\n${plain(text.replace(/(?<=[a-z\d])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g, " "))}`

const japanese = (words: string): string => words.trim().split(/\s+/).join("|")
const english = (words: string): string => String.raw`\b(?:${words.trim().split(/\s+/).join("|")})\b`

const asksForCode = (text: string): boolean => code.test(plain(text))

const code = new RegExp(
  [
    english(`
      implement(?:s|ed|ing|ations?)? functions? methods? (?:sub)?class(?:es)? constructors? endpoints? handlers?
      refactor(?:s|ed|ing|ings)? parsers? lexers? compiles returns throws raises bug\\s?fix(?:es)?`),
    String.raw`\bfix(?:es|ed|ing)?\b.{0,40}\bbugs?\b`,
    String.raw`\b(?:unit|integration|regression|e2e|end to end|smoke) tests?\b`,
    String.raw`\b(?:add|write|create)s?\b[^.;\n]{0,40}\btests?\b(?! (?:cases?|results?|matrix|strategy|protocol|scenarios?))`,
    japanese(`
      実装 関数 メソッド クラス テスト エンドポイント リファクタ ハンドラ コンストラクタ パーサ コンパイル
      バグ修正 バグを修正 バグを直 を返す 例外を投げ`)
  ].join("|")
)

/** What is written for people, and work that ends in it. */
const documents = new RegExp(
  [
    String.raw`\.(?:${ending})\b`,
    english(`
      document\\w* docs? docstrings? readmes? change\\s?logs? contributing guid(?:es?|elines?|ance) manual\\w* tutorials?
      descri(?:be[sd]?|bing|ptions?) explain\\w* explanations? notes? noted specs? specif(?:y|ies|ied|ying|ications?)
      report\\w* summar\\w* plan(?:s|ned|ning)? design\\w* research\\w* analy\\w+ review\\w* write\\s?ups? lists? listed listings?
      texts? textual pages? comment\\w* translat\\w* articles? blogs? markdown prompts? skills? polic(?:y|ies)
      essays? papers? thesis chapters? stor(?:y|ies) news\\w* memos? agendas? meetings? presentations? slides? wikis? prose
      rfcs? adrs? proposals? propos\\w+ recommend\\w* decisions? decid\\w+ choos\\w+ choices? investigat\\w+ evaluat\\w+ assess\\w* compar\\w+
      audit\\w* survey\\w* stud(?:y|ies|ied) brainstorm\\w* estimat\\w+ post\\s?mortems? outlines? outlined drafts? drafted overviews?
      roadmaps? runbooks? playbooks? handbooks? procedures? checklists? faqs? glossar\\w+ lessons? curricul\\w+ syllabus how\\s?tos? walkthroughs?
      usage instructions? licen[cs]\\w+ conduct agents? subagents? personas? slash\\s?commands? claude cursor copilot codex gemini
      dokument\\w* beschreib\\w* anleitung\\w* bericht\\w* rapport\\w*`),
    String.raw`\bhow to\b|(?:^|\s)/[a-z][\w.:]* commands?\b`,
    japanese(`
      ドキュメント 文書 文章 説明 資料 記述 記載 仕様 手順 設計 調査 分析 要約 まとめ 報告 一覧 翻訳 解説 ガイド マニュアル チュートリアル
      リードミー 変更履歴 メモ ノート 備考 計画 レポート レビュー 議事録 記録 検討 比較 評価 方針 ポリシー 規約 草案 下書き 記事 ブログ
      ページ コメント テキスト リスト 使い方 使用方法 利用方法 概要 目次 用語 マークダウン プロンプト スキル エージェント ライセンス 提案 書き方`)
  ].join("|")
)

/** What only an item speaks of documents with: in a task these words say nothing of them. */
const perhapsDocuments = new RegExp(
  [
    english(`
      versions? releas\\w+ bump\\w* announc\\w+ mention\\w* tells? says? knows? aware helps? examples? samples? snippets? recipes? tips? resources? use\\s?cases? fixtures? goldens?
      snapshots? templates? entr(?:y|ies) links? tables? figures? diagrams? records? recorded sections? paragraphs? sentences? headings? headlines?
      wordings? words? worded typos? miss?prints? spell\\w* acknowledg\\w+ attribut\\w+ terms? disclaimers? contents?
      identif\\w+ measur\\w+ benchmark\\w* find\\s?out why rules? warn(?:s|ing)?\\s?users?`),
    japanese(`
      告知 周知 明記 追記 文言 誤字 脱字 見出し サンプル テンプレート ヘルプ 案内 リンク 触れ 伝え 知らせ リリース バージョン 書式`)
  ].join("|")
)

// --- languages ----------------------------------------------------------------------------------------------------

const languageOf = (words: string): Language => ({
  unknown: otherLetters.test(words) || otherLanguages.test(words),
  han: /\p{sc=Han}/u.test(words),
  kana: /[\p{sc=Hira}\p{sc=Kana}]/u.test(words)
})

const otherLetters = /[^\P{L}a-z\p{sc=Hira}\p{sc=Kana}\p{sc=Han}ー々]/iu

/** Words without which hardly a sentence of them does, and that are none of English. */
const otherLanguages = new RegExp(
  english(`
    der das und ein eine einen einer dem fur zu von ist nicht le les une pour dans avec et el los las una para del por il della dello degli
    che het een voor uma não och att`)
)

/** Chinese has no kana. */
const isKnown = (...languages: ReadonlyArray<Language>): boolean =>
  languages.every(({ unknown }) => !unknown) &&
  (languages.every(({ han }) => !han) || languages.some(({ kana }) => kana))
