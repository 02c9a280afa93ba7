import { namedCode } from "./namedCode.ts"
import { mentionedFiles } from "./namedFiles.ts"
import { asksForRemoval } from "./removals.ts"
import { saidOf } from "./said.ts"

/** Names of code that an item wants gone, and not under another name. */
export interface GoneNames {
  readonly names: ReadonlyArray<string>
  /** From everywhere: it speaks of no place. What it wants gone is nowhere else either. */
  readonly isEverywhere: boolean
}

/**
 * What an item wants gone by name: `Remove login()`, `Delete the class Legacy`, `login() no longer exists`, `loginを削除する`. A plain word
 * counts behind `function`, `class` or the like. Pure.
 */
export const goneNames = (item: string): GoneNames => {
  const text = saidOf(item)
  const removed = asksForRemoval(item)
    ? [...namedCode(item).unwanted, ...namesIn([plainly, plainlyInJapanese], text)]
    : []
  const said = removed.length > 0 ? [] : namesIn(statements, text)
  return {
    names: [...new Set([...removed, ...said])],
    isEverywhere: mentionedFiles(text).length === 0 && !ofPlace.test(text.replace(everywhere, ""))
  }
}

const namesIn = (forms: ReadonlyArray<RegExp>, text: string): ReadonlyArray<string> =>
  forms
    .flatMap(
      (form) =>
        form
          .exec(text)
          ?.slice(1)
          .find((one) => one !== undefined) ?? []
    )
    .filter((name) => !partOf.test(name) || text.includes(`${name}(`) || text.includes(`\`${name}\``))

/** What something of that kind has, or does: `the type check`, `the function call`. */
const partOf =
  /^(?:alias|annotation|argument|attribute|body|call|cast|check|constraint|declaration|definition|export|field|guard|header|hint|import|member|method|function|name|parameter|property|registration|signature|test|value)(?:e?s)?$/i

const kinds =
  "function|method|class|interface|type|enum|struct|trait|protocol|component|hook|helper|macro|module|constant"
const kindsInJapanese = "関数|メソッド|クラス|型|構造体|定数|コンポーネント|フック|マクロ"
const owners = String.raw`(?:[\w$]+(?:\.|::|#))*`
const plain = String.raw`\x60?${owners}([A-Za-z_$][\w$]*)\x60?(?:\([^()]{0,100}\))?\x60?`
/** Behind a word for what it is, as code, or of several words. */
const named = String.raw`(?:(?:the\s+)?(?:\w+\s+)?(?:${kinds})\s+${plain}|(?:the\s+)?\x60${owners}([A-Za-z_$][\w$]*)(?:\([^()]{0,100}\))?\x60|(?:the\s+)?${owners}([A-Za-z_$][\w$]*)\([^()]{0,100}\)|(?:the\s+)?([A-Za-z]+(?:_[A-Za-z\d]+)+))`
const behind = String.raw`(?:\s+(?:${kinds}))?\s*`
const ends = String.raw`(?:\s+(?:any ?more|entirely|completely|altogether|from the (?:code ?base|code|project|repo\w*)))*\s*\.?$`

const plainly = new RegExp(
  String.raw`^\w+\s+(?:(?:the|now|old|unused|dead|deprecated|legacy|obsolete)\s+)*${named}${behind}(?=${ends}|(?:entirely|completely|altogether|since|because|as|which)\b|[,(;]|(?:from|in)\s+\x60?[\w./@-]+\.\w{1,5}\x60?\.?$)`,
  "i"
)
const plainlyInJapanese = new RegExp(
  String.raw`(?<![\w$.])([A-Za-z_$][\w$]*)\s*(?:という)?(?:${kindsInJapanese})を(?:すべて|全て|完全に)?\s*(?:削除|除去|取り除|消)`
)
const statements = [
  new RegExp(
    String.raw`^${named}${behind}(?:is|was|are|has been|have been)\s+(?:gone|removed|deleted|dropped|eliminated)${ends}`,
    "i"
  ),
  new RegExp(
    `^${named}${behind}(?:no longer exists?|does(?: not|n't) exist|must(?: not|n't) exist|should(?: not|n't) exist)${ends}`,
    "i"
  ),
  new RegExp(`^there (?:is|are) no (?:more )?${named}${ends}`, "i"),
  new RegExp(
    String.raw`^\x60?${owners}([A-Za-z_$][\w$]*)\x60?(?:\([^()]{0,100}\))?\x60?\s*(?:${kindsInJapanese})?(?:が|は)(?:もう)?(?:存在しない|削除されている|削除済み|なくなっている|残っていない|無い|ない)`
  )
]

const everywhere = /\bfrom the (?:code ?base|code|project|repo\w*|source tree)\b|コードから|プロジェクトから/gi
const ofPlace = /\b(?:from|in|out of|inside|within)\b|から|内の/i
