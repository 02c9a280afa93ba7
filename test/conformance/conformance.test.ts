import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { piped } from "../cli/mcpPipe.ts"
import { project } from "../cli/proofline.ts"
import { serving } from "../cli/serveClient.ts"
import { daily } from "../often.ts"
import { overStdio, speaking } from "./bridge.ts"
import { complaintsAbout, excuses, excusesOf, type Run } from "./excuses.ts"
import { pipingFixture, servingFixture } from "./serving.ts"
import { conform, type Served, scenariosOf, versionOf } from "./suite.ts"

const isFull = process.env["PROOFLINE_TEST"] === "full"

const combinations: ReadonlyArray<Pick<Run, "suite" | "revision">> = [
  { suite: "newest", revision: "2026-07-28" },
  { suite: "newest", revision: "2025-11-25" },
  { suite: "newest", revision: "2025-06-18" },
  { suite: "newest", revision: "2025-03-26" },
  { suite: "stable", revision: "2025-11-25" },
  { suite: "stable", revision: "2025-06-18" },
  { suite: "stable", revision: "2025-03-26" }
]

const runs: ReadonlyArray<Run> = combinations.flatMap((one) =>
  (["HTTP", "stdio"] as const).flatMap((transport) =>
    (["fixture", "own"] as const).map((server) => ({ ...one, transport, server }))
  )
)

/** What `npm test` runs of it: over HTTP one of the servers in one of the two newest revisions a day, over stdio one server. */
const [ofDay] = daily(
  ["2026-07-28", "2025-11-25"].flatMap((revision) => ["fixture", "own"].map((server) => `${server} ${revision}`)),
  4
)
const isUsual = ({ revision, server, suite, transport }: Run): boolean =>
  suite === "newest" &&
  (transport === "HTTP" ? `${server} ${revision}` === ofDay : revision === "2025-11-25" && server === "fixture")

const served = async ({ revision, server, transport }: Run): Promise<Served> => {
  const dir = project({})
  const isFixture = server === "fixture"
  return transport === "stdio"
    ? overStdio(isFixture ? pipingFixture(dir) : piped(dir), revision)
    : speaking(isFixture ? await servingFixture(dir) : await serving(dir), revision)
}

/** What docs/mcp.md says of a run. */
const documented = ({ revision, server, suite, transport }: Run): string | undefined => {
  const head = `| ${versionOf(suite)} | ${revision} | `
  const row = docs.split("\n").find((line) => line.startsWith(head))
  const column = (transport === "HTTP" ? 0 : 1) + (server === "fixture" ? 0 : 2)
  return row?.slice(head.length).split(" | ")[column]?.replace(/ \|$/, "")
}

const docs = readFileSync(new URL("../../docs/mcp.md", import.meta.url), "utf8")

describe("given an official suite and a server", () => {
  it.each(runs.filter((run) => isFull || isUsual(run)))(
    "when the $suite suite asks in $revision over $transport ($server), then all passes but what is excused",
    async (run) => {
      const scenarios = await conform(await served(run), run.suite, run.revision)
      expect(scenarios.map(({ name }) => name).sort()).toEqual([...(await scenariosOf(run.suite, run.revision))].sort())
      const complaints = scenarios.map((one) => [one.name, complaintsAbout(run, one)] as const)
      expect(Object.fromEntries(complaints.filter(([, found]) => found.length > 0))).toEqual({})
      const passed = scenarios.filter(({ isPassed }) => isPassed)
      expect(documented(run)).toBe(`${passed.length} of ${scenarios.length}`)
    }
  )
})

describe.runIf(isFull)("given all runs", () => {
  it("then every excuse is of a scenario that is run", async () => {
    const asked = await Promise.all(
      runs.map(async (run) =>
        (await scenariosOf(run.suite, run.revision)).flatMap((name) =>
          excusesOf(run, name).map(({ reason }) => `${name}: ${reason}`)
        )
      )
    )
    const all = excuses.flatMap(({ reason, scenarios }) => scenarios.map((name) => `${name}: ${reason}`))
    expect(all.filter((one) => !asked.flat().includes(one))).toEqual([])
  })

  it("then none is missing: the stable suite knows nothing of 2026-07-28", async () => {
    expect(await scenariosOf("stable", "2026-07-28")).toEqual([])
  })
})
