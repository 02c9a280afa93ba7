// What the pages of the docs do beside being read: light and dark, and a search in an index that is loaded once. It works
// from a server and from files, and asks nobody else.
const root = document.documentElement.dataset.root ?? ""
const dark = matchMedia("(prefers-color-scheme: dark)")

const kept = (value) => {
  try {
    if (value === undefined) return localStorage.getItem("scheme")
    localStorage.setItem("scheme", value)
  } catch {
    // where nothing may be kept, it holds for this page
  }
  return null
}

const chosen = kept()
if (chosen !== null) document.documentElement.dataset.scheme = chosen

const isDark = () => {
  const { scheme } = document.documentElement.dataset
  return scheme === undefined ? dark.matches : scheme === "dark"
}

const tellScheme = (button) => {
  button.textContent = isDark() ? "Light" : "Dark"
}

/** The index, loaded once: sections by word. */
let loading = null
const index = () => {
  loading ??= new Promise((resolve, reject) => {
    const script = document.createElement("script")
    script.src = `${root}search.js`
    script.onload = () => resolve(unpacked(globalThis.prooflineDocs))
    script.onerror = () => {
      loading = null
      reject(new Error("The index cannot be loaded."))
    }
    document.head.append(script)
  })
  return loading
}

const unpacked = ({ pages, sections, words }) => ({
  pages,
  sections,
  words: words.split("\n").map((line) => {
    const [word, steps] = line.split(" ")
    let at = 0
    return [
      word,
      steps.split(",").map((step) => {
        at += Number.parseInt(step, 36)
        return at
      })
    ]
  })
})

const most = 20

/** Sections that have all of the words, or words that begin so; those with them in a heading or title first. */
const search = ({ pages, sections, words }, query) => {
  const asked = query.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? []
  if (asked.length === 0) return []
  const scores = asked.map((wanted) => {
    const found = new Map()
    for (const [word, at] of words) {
      if (!word.startsWith(wanted)) continue
      const worth = word === wanted ? 4 : 1
      for (const number of at) found.set(number, Math.max(found.get(number) ?? 0, worth))
    }
    return found
  })
  const [first, ...others] = scores
  return [...first.keys()]
    .filter((number) => others.every((found) => found.has(number)))
    .map((number) => {
      const [page, , heading] = sections[number]
      const above = heading.toLowerCase()
      const title = pages[page][1].toLowerCase()
      const inWords = scores.reduce((sum, found) => sum + found.get(number), 0)
      const inHeadings = asked.reduce(
        (sum, word) => sum + (above.includes(word) ? 6 : 0) + (title.includes(word) ? (heading === "" ? 7 : 3) : 0),
        0
      )
      return { number, score: inWords + inHeadings }
    })
    .sort((a, b) => b.score - a.score || a.number - b.number)
    .slice(0, most)
    .map(({ number }) => {
      const [page, anchor, heading, beginning] = sections[number]
      const [address, title] = pages[page]
      return { address: `${root}${address}${anchor === "" ? "" : `#${anchor}`}`, title, heading, beginning }
    })
}

const element = (name, properties, ...inner) => {
  const made = Object.assign(document.createElement(name), properties)
  made.append(...inner)
  return made
}

const show = (found, results, query) => {
  found.hidden = query.trim() === ""
  if (found.hidden) return found.replaceChildren()
  const told =
    results.length === 0
      ? "Nothing has all of these words."
      : `${results.length}${results.length === most ? " or more" : ""} found`
  found.replaceChildren(
    element("p", { textContent: told }),
    element(
      "ol",
      {},
      ...results.map(({ address, beginning, heading, title }) =>
        element(
          "li",
          {},
          element("a", { href: address, textContent: heading === "" ? title : `${title}: ${heading}` }),
          element("p", { textContent: beginning })
        )
      )
    )
  )
}

document.addEventListener("DOMContentLoaded", () => {
  const button = document.getElementById("scheme")
  button.hidden = false
  tellScheme(button)
  dark.addEventListener("change", () => tellScheme(button))
  button.addEventListener("click", () => {
    const scheme = isDark() ? "light" : "dark"
    document.documentElement.dataset.scheme = scheme
    kept(scheme)
    tellScheme(button)
  })

  // on a narrow screen the list of pages stands above the text, and is folded
  if (matchMedia("(max-width: 60rem)").matches) document.querySelector("nav details").open = false

  const query = document.getElementById("query")
  const found = document.getElementById("found")
  query.hidden = false
  const look = async () => {
    try {
      const loaded = await index()
      show(found, search(loaded, query.value), query.value)
    } catch (error) {
      found.hidden = false
      found.replaceChildren(element("p", { textContent: error.message }))
    }
  }
  query.addEventListener("focus", () => index().catch(() => {}), { once: true })
  query.addEventListener("input", look)
  query.addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      query.value = ""
      look()
    } else if (event.key === "Enter") found.querySelector("a")?.click()
    else if (event.key === "ArrowDown") {
      event.preventDefault()
      found.querySelector("a")?.focus()
    }
  })
  found.addEventListener("keydown", (event) => {
    if (event.key === "Escape") query.focus()
    if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return
    event.preventDefault()
    const links = [...found.querySelectorAll("a")]
    const next = links[links.indexOf(document.activeElement) + (event.key === "ArrowDown" ? 1 : -1)]
    ;(next ?? query).focus()
  })
  // a result on the page that is open leaves it open
  found.addEventListener("click", (event) => {
    if (event.target.closest("a") === null) return
    found.hidden = true
  })
  document.addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.target.closest("input, textarea") !== null) return
    event.preventDefault()
    query.focus()
  })
})
