import { posix } from "node:path"
import type { Doc } from "./docs.ts"
import { headingsOf, tokensOf } from "./markdown.ts"
import { addressOf, escaped } from "./render.ts"

interface Shown {
  readonly doc: Doc
  readonly docs: ReadonlyArray<Doc>
  /** The HTML of its text. */
  readonly body: string
  readonly version: string
}

const relativeTo = (path: string) => (to: string) => posix.relative(posix.dirname(path), to) || "./"

/** So many headings are listed before a page's text. */
const fewest = 3

/** A whole page. It needs nothing but the style and the script beside it, and can be read without the script. */
export const pageOf = ({ body, doc, docs, version }: Shown): string => {
  const at = relativeTo(addressOf(doc.path))
  const depth = doc.path.split("/").length - 1
  return `<!doctype html>
<html lang="en" data-root="${"../".repeat(depth)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(doc.kind === "" ? "Proofline documentation" : `${doc.title} · Proofline`)}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${at("docs.css")}">
<script src="${at("docs.js")}"></script>
</head>
<body>
<a class="skip" href="#text">Skip to the text</a>
<header>
<a class="name" href="${at("index.html")}">Proofline</a>
<search><input type="search" id="query" placeholder="Search" aria-label="Search the documentation" aria-controls="found" autocomplete="off" spellcheck="false" hidden></search>
<button type="button" id="scheme" hidden>Dark</button>
</header>
<section id="found" aria-label="What was found" aria-live="polite" hidden></section>
<div class="columns">
<nav aria-label="Documentation"><details open><summary>All pages</summary>
${navigation(doc, docs, at)}
</details></nav>
<main id="text">
${onThisPage(doc)}
<article>
${body}</article>
${neighbours(doc, docs, at)}
<footer>Proofline ${escaped(version)}</footer>
</main>
</div>
</body>
</html>
`
}

const navigation = (doc: Doc, docs: ReadonlyArray<Doc>, at: (to: string) => string): string => {
  const kinds = [...new Set(docs.map(({ kind }) => kind))].filter((kind) => kind !== "")
  const links = (kind: string) =>
    docs
      .filter((one) => one.kind === kind)
      .map(
        ({ path, title }) =>
          `<li><a href="${at(addressOf(path))}"${path === doc.path ? ' aria-current="page"' : ""}>${escaped(title)}</a></li>`
      )
      .join("")
  return kinds.map((kind) => `<h2>${escaped(kind)}</h2><ul>${links(kind)}</ul>`).join("\n")
}

const onThisPage = ({ kind, text }: Doc): string => {
  const headings = headingsOf(tokensOf(text)).filter(({ depth }) => depth === 2)
  if (kind === "" || headings.length < fewest) return ""
  const links = headings.map(({ anchor, text: one }) => `<li><a href="#${anchor}">${escaped(one)}</a></li>`)
  return `<details class="contents"><summary>On this page</summary><ul>${links.join("")}</ul></details>`
}

const neighbours = (doc: Doc, docs: ReadonlyArray<Doc>, at: (to: string) => string): string => {
  const index = docs.findIndex(({ path }) => path === doc.path)
  const link = (one: Doc | undefined, rel: "prev" | "next", word: string) =>
    one === undefined
      ? ""
      : `<a rel="${rel}" href="${at(addressOf(one.path))}"><small>${word}</small> ${escaped(one.title)}</a>`
  return `<nav class="neighbours" aria-label="Next and previous page">${link(docs[index - 1], "prev", "Before")}${link(docs[index + 1], "next", "Next")}</nav>`
}
