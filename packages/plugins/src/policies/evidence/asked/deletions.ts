import { type MentionedFile, mentionedFiles } from "./namedFiles.ts"
import { saidOf } from "./said.ts"

/**
 * The files that an item asks to delete, all of them and whatever else it asks for: `Delete a.go, b.go and c.go`. None
 * where something of them is to be removed, where they come back, or where it depends. Pure.
 */
export const filesToDelete = (item: string): ReadonlyArray<string> => {
  const text = saidOf(item)
  const mentions = deletingWord.test(text) ? mentionedFiles(text) : []
  const [first] = mentions
  if (first === undefined || comesBack.test(text)) return []
  const listed: Array<MentionedFile> = []
  for (const mention of mentions) {
    const last = listed.at(-1)
    if (last !== undefined && !listing.test(text.slice(last.end, mention.start))) break
    listed.push(mention)
  }
  const before = text.slice(0, first.start)
  const after = text.slice(listed.at(-1)?.end).replace(thingsBehind, "").replace(folderBehind, "")
  const isAsked = (deleting.test(before) && !ofThem.test(after)) || (isBegin.test(before) && deletingBehind.test(after))
  return isAsked ? listed.map(({ name }) => name) : []
}

/** Most items delete nothing, and are not searched for files. */
const deletingWord = /\b(?:remove|delete|drop|get rid of)\b|削除|除去|消/i
const deleting =
  /^\W*(?:\d+[.)]\s*)?(?:please\s+)?(?:removes?|deletes?|drops?|get rid of)\s+(?:(?:the|both|all|of|these|those|this|file|files|script|scripts|module|modules|document|documents|test|tests|following|two|three|four|old|unused|obsolete|dead|empty|stale|orphaned|deprecated|legacy|redundant|leftover):?\s+){0,5}[\x60"'“(:]*\s*$/i
const isBegin = /^[^\p{L}\p{N}]*$/u
const deletingBehind =
  /^[\x60"'」』)\s]*(?:の?(?:\d+|[二三四両])?(?:つの)?ファイル)?(?:の(?:両方|すべて|全て))?を(?:すべて|全て|完全に|両方)?\s*(?:削除|除去|消)/
const listing =
  /^[\x60"')”\s]*(?:,\s*(?:and\s+)?|\s(?:and|&|plus|as well as)\s+(?:also\s+)?|\s*[、と]\s*)(?:(?:the|file|old|unused)\s+)*[\x60"'(“「]*$/i

const thingsBehind = /^[\x60"')”]*\s+(?:source\s+)?(?:files?|scripts?|modules?|documents?)\b/i
/** `from src/old/`, `in the docs folder` */
const folderBehind =
  /^[\x60"')”]*\s+(?:from|in|under)\s+(?:the\s+)?[\x60"']?(?:[\w.-]+(?:\/[\w.-]+)*\/[\x60"']?(?:\s+(?:folder|directory))?|[\w./-]+[\x60"']?\s+(?:folder|directory))(?=\s*(?:$|[.,;:(]|and\b))/i

/** What follows files of which something is meant, or of which not all are: `imports`, `from the index`, `or …`. */
const ofThem =
  /^[\x60"')”]*(?!\s*$|\s*[.;!]|\s*,?\s*(?:and|then|but|too|entirely|completely|altogether|as|since|because|so|which|they|both)\b|\s*[(:–—]|\s+-\s|,\s)/i

/** What is deleted is there again, or need not be. */
const comesBack =
  /\b(?:replac\w*|re-?creat\w*|re-?generat\w*|re-?writ\w*|restor\w*|renam\w*|mov(?:e|es|ed|ing)\b|re-?add\w*|again|from scratch|if|unless|when|where|or|either|except|instead of deleting)\b|置き換|作り直|再作成|移動|リネーム|改名|場合/i

/**
 * Where the files that an item asks to delete are, one of which is cited as gone: names without a folder stand beside
 * it. Empty: nobody knows which are meant. Pure.
 */
export const placesToDelete = (item: string, gone: string): ReadonlyArray<string> => {
  const names = filesToDelete(item)
  if (names.includes(gone)) return names
  const cited = names.find((name) => gone.endsWith(`/${name}`))
  const folder = cited === undefined ? "" : gone.slice(0, -cited.length)
  return cited === undefined ? [] : names.map((name) => `${folder}${name}`)
}
