/**
 * What an item says, without what only sorts it: a box, a number, `docs:`, `fix(api)!:`, `[docs]`, the file that it is about
 * (`src/a.py: …`, `In a.py, …`), the part of a project (`net/http: …`), and the number of an issue behind it. Pure.
 */
export const saidOf = (item: string): string => {
  let text = item
    .normalize("NFKC")
    .trim()
    .slice(0, maxItem)
    .replace(/[ \t]+/g, " ")
  for (;;) {
    const rest = sorting.reduce((left, form) => left.replace(form, ""), text)
    if (rest === text || rest === "") return text.replace(/\s+\(#\d+\)(?=\.?$)/, "")
    text = rest
  }
}

/** Nobody asks for one thing in more characters. */
const maxItem = 4_000

const sorting = [
  /^(?:[-*+•]\s+)?\[[ xX]?\]\s*/,
  /^(?:[-*+•]|\d{1,3}[.)])\s+/,
  /^\[[\w ./-]{1,30}\]:?\s+/,
  /^(?:build|chore|ci|deps|docs?|examples?|feat|fix|perf|refactor|revert|style|tests?|types?)(?:\([^()\n]{1,60}\))?!?:\s+/i,
  /^(?:(?:in|at)\s+`?[\w./@-]*\w\.[a-z]{1,5}`?[,:]|`?[\w./@-]*\w\.[a-z]{1,5}`?:)\s+/i,
  /^(?::[a-z_]{2,40}:|\p{Extended_Pictographic}\ufe0f?)\s*(?=\S)/u,
  /^[a-z][\w./-]{0,40}:\s+(?=[A-Za-z])/,
  /^please\s+/i
]
