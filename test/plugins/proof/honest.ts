import { fixturesIn, type Part } from "../fixtures.ts"
import type { Files, Reported, Session } from "./sessions.ts"

const filesOf = (parts: ReadonlyArray<Part>, when: "before" | "after"): Files =>
  Object.fromEntries(
    parts.flatMap(({ head, text }): ReadonlyArray<readonly [string, Files[string]]> => {
      const [word = "", path = "", of] = head.split(" ")
      if (word === "removed" && when === "after") return [[path, null]]
      if (word !== when) return []
      return [[path, of === undefined ? text : Uint8Array.from(text.trim().split(" "), Number)]]
    })
  )

const itemOf = (line: string): readonly [item: string, shown: Reported] => {
  const [item, path, from, to] = JSON.parse(line) as readonly [string, string, string?, string?]
  return [item, from === undefined ? path : { path, from, ...(to === undefined ? {} : { to }) }]
}

/**
 * Real work with honest evidence: at least one commit of each language, and what has no grammar. A file says what stood
 * there before, what the agent leaves behind, and a line for each item: evidence, or a path with the lines from and to.
 */
export const honest: ReadonlyArray<Session> = fixturesIn(new URL("fixtures/honest/", import.meta.url)).map(
  ([, parts]) => ({
    name: parts.find(({ head }) => head.startsWith("session "))?.head.replace("session ", "") ?? "",
    before: filesOf(parts, "before"),
    after: filesOf(parts, "after"),
    items: parts
      .filter(({ head }) => head === "items")
      .flatMap(({ text }) => text.trim().split("\n"))
      .map(itemOf)
  })
)
