/** A page of the docs as HTML. Nothing of a page is taken over as markup but what Markdown says. */
import { posix } from "node:path"
import { Marked, type Tokens } from "marked"
import { isForeign, plainText, slugger } from "./markdown.ts"

export interface RenderOptions {
  /** Of the page, from `docs/`. */
  readonly path: string
  /** Whether a file is a page of the site, by its path from `docs/`. */
  readonly isPage: (path: string) => boolean
  /** Whether a picture lies in the site. */
  readonly hasPicture: (path: string) => boolean
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;"
}

export const escaped = (text: string): string => text.replace(/[&<>"']/g, (sign) => entities[sign] ?? sign)

/** Where a page of the docs is in the site. */
export const addressOf = (path: string): string =>
  path.replace(/(^|\/)README\.md$/, "$1index.md").replace(/\.md$/, ".html")

/** Where a link leads in the site; null: to a file of the repository that is none of its pages. */
const linkIn = (target: string, { isPage, path }: Pick<RenderOptions, "path" | "isPage">): string | null => {
  if (isForeign(target)) return target
  const [file = "", ...anchor] = target.split("#")
  const hash = anchor.length === 0 ? "" : `#${anchor.join("#")}`
  if (file === "") return hash
  const to = posix.normalize(posix.join(posix.dirname(path), file))
  if (!isPage(to)) return null
  const relative = posix.relative(posix.dirname(path), addressOf(to))
  return `${relative}${hash}`
}

/** The HTML of a page's text. */
export const render = (text: string, options: RenderOptions): string => {
  const slug = slugger()
  const marked = new Marked({
    renderer: {
      heading({ depth, tokens }: Tokens.Heading) {
        const anchor = slug(plainText(tokens))
        const inner = this.parser.parseInline(tokens)
        if (depth === 1) return `<h1 id="${anchor}">${inner}</h1>\n`
        return `<h${depth} id="${anchor}"><a class="anchor" href="#${anchor}">${inner}</a></h${depth}>\n`
      },
      link({ href, tokens }: Tokens.Link) {
        // a link in a heading would stand in another one
        const inner = this.parser.parseInline(tokens)
        const to = linkIn(href, options)
        if (to === null) return `<span class="file" title="${escaped(`In the repository: ${href}`)}">${inner}</span>`
        return `<a href="${escaped(to)}"${isForeign(to) ? ' rel="noreferrer"' : ""}>${inner}</a>`
      },
      image({ href, text: alt }: Tokens.Image) {
        const at = posix.normalize(posix.join(posix.dirname(options.path), href))
        return options.hasPicture(at)
          ? `<img src="${escaped(href)}" alt="${escaped(alt)}" loading="lazy">`
          : `<span class="picture">Picture, in the repository at <code>docs/${escaped(at)}</code>: ${escaped(alt)}</span>`
      },
      html: () => "",
      code({ lang = "", text: code }: Tokens.Code) {
        const [language = "", file = ""] = lang.split(" ")
        const name = file === "" ? "" : `<figcaption>${escaped(file)}</figcaption>`
        const block = `<pre tabindex="0" data-language="${escaped(language)}"><code>${escaped(code)}</code></pre>`
        return name === "" ? `${block}\n` : `<figure>${name}${block}</figure>\n`
      },
      table({ header, rows }: Tokens.Table) {
        const cells = (row: ReadonlyArray<Tokens.TableCell>, tag: "th" | "td") =>
          row
            .map(({ tokens }) => {
              const inner = this.parser.parseInline(tokens)
              // an empty head is none to who hears the table
              return tag === "th" && inner === "" ? "<td></td>" : `<${tag}>${inner}</${tag}>`
            })
            .join("")
        const body = rows.map((row) => `<tr>${cells(row, "td")}</tr>`).join("")
        const head = header.every(({ text: one }) => one === "") ? "" : `<thead><tr>${cells(header, "th")}</tr></thead>`
        return `<div class="table" tabindex="0"><table>${head}<tbody>${body}</tbody></table></div>\n`
      }
    }
  })
  return marked.parse(text, { async: false })
}
