/** What a page of the docs loads once to be searched: which words stand in which sections. */

export interface DocPage {
  /** From the first page of the site. */
  readonly address: string
  readonly title: string
  /** The HTML of its text. */
  readonly body: string
}

export interface SearchIndex {
  readonly pages: ReadonlyArray<readonly [address: string, title: string]>
  /** Number of the page, anchor, heading, and how its text begins. */
  readonly sections: ReadonlyArray<readonly [page: number, anchor: string, heading: string, beginning: string]>
  /** A word a line, with the numbers of its sections, as differences, in base 36. */
  readonly words: string
}

/** So many characters of a section are shown with it. */
const beginning = 140

/** Words of fewer or more characters are not looked for. */
const [shortest, longest] = [2, 40]

const signs: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" }

/** The text of HTML that we have made ourselves; blocks stand apart. */
export const plainTextOf = (html: string): string =>
  html
    .replace(/<\/?(?:p|li|td|th|tr|pre|h\d|figcaption|br)\b[^>]*>/g, " ")
    .replace(/<[^>]*>/g, "")
    .replace(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => signs[name] ?? "")
    .replace(/\s+/g, " ")
    .trim()

/** Those with `_` are whole and in their parts. */
const wordsIn = (text: string): ReadonlyArray<string> =>
  (text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? []).flatMap((word) => {
    const parts = word.split("_").filter((part) => part !== "")
    return parts.length > 1 ? [word, ...parts] : parts
  })

interface Section {
  readonly page: number
  readonly anchor: string
  readonly heading: string
  readonly text: string
}

const sectionsOf = ({ body }: DocPage, page: number): ReadonlyArray<Section> =>
  body.split(/(?=<h[1-6] id=")/).flatMap((part) => {
    const [head = "", depth, anchor = ""] = /^<h([1-6]) id="([^"]*)">.*?<\/h\1>/s.exec(part) ?? []
    if (head === "") return []
    const isTitle = depth === "1"
    const text = plainTextOf(part.slice(head.length))
    return [{ page, text, anchor: isTitle ? "" : anchor, heading: isTitle ? "" : plainTextOf(head) }]
  })

const shortened = (text: string): string =>
  text.length <= beginning ? text : `${text.slice(0, Math.max(text.lastIndexOf(" ", beginning), 1))} …`

const searchIndexOf = (pages: ReadonlyArray<DocPage>): SearchIndex => {
  const sections = pages.flatMap(sectionsOf)
  const found = new Map<string, Array<number>>()
  for (const [number, { heading, page, text }] of sections.entries()) {
    for (const word of new Set(wordsIn(`${pages[page]?.title} ${heading} ${text}`))) {
      if (word.length < shortest || word.length > longest) continue
      const at = found.get(word)
      if (at === undefined) found.set(word, [number])
      else at.push(number)
    }
  }
  const words = [...found]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([word, at]) => `${word} ${at.map((number, i) => (number - (at[i - 1] ?? 0)).toString(36)).join(",")}`)
  return {
    pages: pages.map(({ address, title }) => [address, title]),
    sections: sections.map(({ anchor, heading, page, text }) => [page, anchor, heading, shortened(text)]),
    words: words.join("\n")
  }
}

/** A script and no data: a page that was opened as a file may load nothing else. */
export const searchScript = (pages: ReadonlyArray<DocPage>): string =>
  `globalThis.prooflineDocs=${JSON.stringify(searchIndexOf(pages))}\n`
