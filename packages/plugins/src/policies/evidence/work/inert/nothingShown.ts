import { type InertRule, type NewRows, rowAt, shown } from "./newRows.ts"

const isPage = (path: string): boolean =>
  /\.(?:html?|vue|svelte|astro|jsx|tsx|erb|ejs|hbs|twig|njk|php|cshtml)$/i.test(path)
const textOf = (code: NewRows): string => code.fresh.map((row) => rowAt(code, row)).join("\n")
const first = (code: NewRows, form: RegExp): number | undefined => code.rows.find((row) => form.test(rowAt(code, row)))

/** A link that leads nowhere: `<a href="#">`, `[guide]()`. */
export const linkToNothing: InertRule = (code) => {
  if (
    !/\blink(?:s|ed)?\b/i.test(code.item) ||
    /\b(?:anchors?|broken|button|dead|placeholder|remove|top)\b/i.test(code.item)
  )
    return null
  const isMarkdown = /\.(?:md|mdx|markdown)$/i.test(code.path)
  if (!isMarkdown && !isPage(code.path)) return null
  const text = textOf(code)
  const links = isMarkdown
    ? [...text.matchAll(/(?<!!)\[[^\]\n]+\]\(([^)\n]*)\)/g)]
    : [...text.matchAll(/<a\b([^>]*)>/gi)]
  const isNowhere = ([, said = ""]: ReadonlyArray<string | undefined>): boolean =>
    isMarkdown
      ? /^\s*#?\s*$/.test(said)
      : /\bhref=(["'])(?:#|javascript:(?:void\(0\))?;?|)\1/.test(said) && !used.test(said)
  const at = first(code, isMarkdown ? /\]\(\s*#?\s*\)/ : /<a\b/i)
  if (at === undefined || links.length === 0 || !links.every(isNowhere) || /\]\[[^\]]*\]|\]:\s/.test(text)) return null
  return `The link leads nowhere: ${shown(rowAt(code, at))}. Let it lead to what the item asks for.`
}

/** A script may find it by these. */
const used = /\b(?:id|class|className|role|on\w+|data-[\w-]+|aria-[\w-]+)\s*=|[@:#*(]\w+|\{/

/** Something that is to be seen, and is not: `hidden`, `v-show="false"`, a list of nothing. */
export const neverSeen: InertRule = (code) => {
  if (
    !isPage(code.path) ||
    !/^(?:add|display|show|list|link|put|render|place|insert)\b/i.test(code.item) ||
    ofHiding.test(code.item)
  )
    return null
  const rows = code.rows.filter(code.isNew)
  const at = rows.find((row) => unseen.some((form) => form.test(rowAt(code, row))))
  const isShown = rows.some((row) => row !== at && /<[\w-]+|\w+\(/.test(rowAt(code, row)))
  return at === undefined || isShown
    ? null
    : `Nobody sees what is new there: ${shown(rowAt(code, at))}. Let it be seen.`
}
const ofHiding =
  /\b(?:click\w*|collaps\w*|dialogs?|dropdowns?|expand\w*|hidden|hid(?:e|es|ing)|honeypot|hover|menus? button|modals?|open\w*|popup|screen reader|skeleton|skip|tabs?|templates?|toggl\w*|tooltips?|when|if)\b/i
const unseen = [
  /^<(?!input)\w[\w-]*\b(?![^>]*\b(?:id|class|className|ref|v-\w+|x-\w+|data-[\w-]+)=)[^>]*\s(?:hidden(?=[\s>])|style=(?:"[^"]*display:\s*none|\{\{[^}]*display:\s*["']none))/,
  /<\w[\w-]*\b(?![^>]*\b(?:id|class|className|ref)=)[^>]*\sstyle=\{\{\s*display:\s*["']none["']\s*\}\}/,
  /^<template><.*<\/template>$/,
  /\bv-(?:show|if)="(?:false|!1|0)"|\bv-for="[^"]*\bin (?:0|\[\s*\])"/,
  /\{\s*(?:null|undefined|false)\s*&&|\{\s*\[\s*\]\.map\(/
]

/** A text that is asked for and is empty: `alt=""`, `<meta name="description" content="">`. */
export const emptyText: InertRule = (code) => {
  const asked = texts.find(({ asked, set }) => asked.test(code.item) && textOf(code).search(set) !== -1)
  if (!isPage(code.path) || asked === undefined || /\b(?:blank|decorative|empty|remove|without)\b/i.test(code.item))
    return null
  const found = [...textOf(code).matchAll(asked.set)]
  const at = first(code, new RegExp(asked.set.source, "i"))
  return at !== undefined && found.length > 0 && found.every(([, , said = ""]) => said.trim() === "")
    ? `The text that is asked for is empty there: ${shown(rowAt(code, at))}. Write it.`
    : null
}
const texts: ReadonlyArray<{ readonly asked: RegExp; readonly set: RegExp }> = [
  { asked: /\balt(?:ernative)?\b/i, set: /\balt=(["'])(.*?)\1/gi },
  { asked: /\bdescriptions?\b|\bmeta\b/i, set: /\bcontent=(["'])(.*?)\1/gi },
  { asked: /\blabels?\b/i, set: /(<label\b[^>]*>)(.*?)<\/label>/gi },
  { asked: /\b(?:aria|labels?|accessib\w*)\b/i, set: /\baria-label=(["'])(.*?)\1/gi }
]

/** Of a sheet, that it may use others. */
export const onlyUses: InertRule = (code) => {
  const [at] = code.rows
  return at !== undefined &&
    /\.s[ac]ss$/i.test(code.path) &&
    !/\b(?:add\w* the|clean\w*|deprecat\w*|extract\w*|forward\w*|import\w*|includ\w*|load\w*|migrat\w*|mov\w*|modul\w*|namespac\w*|organi[sz]\w*|partials?|refactor\w*|replac\w*|shar\w*|split\w*|use\w*|using)\b/i.test(
      code.item
    ) &&
    code.rows.every((row) => /^@(?:use|forward)\b/.test(rowAt(code, row))) &&
    !code.fresh.some((row) => !code.rows.includes(row) && /[:{]/.test(rowAt(code, row)))
    ? `Nothing there is used yet: ${shown(rowAt(code, at))}. Cite the styles that do what the item asks for.`
    : null
}

/** Rules of a sheet that fit nothing. */
export const fitsNothing: InertRule = (code) => {
  if (!/\.(?:css|scss|less)$/i.test(code.path)) return null
  const rows = code.rows.filter((row) => /\w/.test(rowAt(code, row)))
  const at = rows.find((row) =>
    /@media\s+not\s+all\b|@media[^{]*\(\s*max-(?:width|height):\s*0(?:px|r?em)?\s*\)|:not\(\s*\*\s*\)/.test(
      rowAt(code, row)
    )
  )
  if (at === undefined) return null
  const end = endOf(code, at)
  return rows.every((row) => row >= at && row <= end)
    ? `No page fits what is new there: ${shown(rowAt(code, at))}. Let it apply.`
    : null
}

const endOf = ({ texts }: NewRows, from: number): number => {
  let depth = 0
  for (let at = from; at < texts.length; at++) {
    for (const char of texts[at] ?? "") depth += char === "{" ? 1 : char === "}" ? -1 : 0
    if (depth <= 0 && (texts[at] ?? "").includes("}")) return at
  }
  return texts.length
}

/** A translation that says what the original says. */
export const notTranslated: InertRule = (code) => {
  if (!/\b(?:locali[sz]\w*|translat\w*)\b|翻訳/i.test(code.item)) return null
  if (/\.(?:strings|arb|json)$/i.test(code.path)) {
    const pairs = code.rows.flatMap((row) => {
      const [, key, said] = /^"((?:[^"\\]|\\.)+)"\s*[:=]\s*"((?:[^"\\]|\\.)+)"\s*[,;]?$/.exec(rowAt(code, row)) ?? []
      return key === undefined ? [] : [{ row, isSame: key === said && /\p{L}[\s.]\p{L}/u.test(key) && !isBrand(key) }]
    })
    const [same] = pairs
    return same !== undefined && pairs.every(({ isSame }) => isSame) ? isOriginal(rowAt(code, same.row)) : null
  }
  if (!/\.(?:pot?|xlf|xliff)$/i.test(code.path)) return null
  const found = code.rows.flatMap((row) => {
    const said = ofTranslation
      .exec(rowAt(code, row))
      ?.slice(1)
      .find((one) => one !== undefined)
    const original = code.texts.slice(0, row).findLast((text) => ofOriginal.test(text)) ?? ""
    const was = ofOriginal
      .exec(original)
      ?.slice(1)
      .find((one) => one !== undefined)
    return said === undefined
      ? []
      : [{ row, isSame: said === was && /\p{L}{2,}\s+\p{L}{2,}/u.test(said) && !isBrand(said) }]
  })
  const [one] = found
  return one !== undefined && found.every(({ isSame }) => isSame) ? isOriginal(rowAt(code, one.row)) : null
}
/** Words with capitals of their own are called the same in every language: `GitHub Actions`. */
const isBrand = (text: string): boolean =>
  /^\P{Ll}/u.test(text) &&
  text.split(/\s+/).every((word) => /^\P{Ll}/u.test(word)) &&
  /\p{Ll}\p{Lu}|\p{Lu}{2}/u.test(text)

const isOriginal = (row: string): string => `It says what the original says: ${shown(row)}. Translate it.`
const ofTranslation = /^msgstr(?:\[\d\])?\s+"(.+)"$|<target[^>]*>([^<]+)<\/target>/
const ofOriginal = /msgid\s+"(.+)"|<source[^>]*>([^<]+)<\/source>/
