import { describe, expect, it } from "vitest"
import { version } from "../../packages/cli/src/base/version.ts"
import { type SarifResult, sarif } from "../../packages/cli/src/render/sarif.ts"

const rules = [
  { id: "path_missing", name: "Missing path", description: "What it names is not there." },
  { id: "stub", name: "Stub", description: "Nothing is done there.", helpUri: "https://example.org/stub" }
]

const stub: SarifResult = { ruleId: "stub", level: "error", message: "login is empty.", file: "src/a.ts", line: 3 }

const runOf = (...results: ReadonlyArray<SarifResult>) => {
  // as it is written to a file
  const log = JSON.parse(JSON.stringify(sarif({ rules, results })))
  expect(log.version).toBe("2.1.0")
  return log.runs[0]
}

const fingerprintsOf = (...results: ReadonlyArray<SarifResult>): ReadonlyArray<string> =>
  runOf(...results).results.map((result: { partialFingerprints: Record<string, string> }) =>
    Object.values(result.partialFingerprints).join()
  )

describe("given findings, when they are written as SARIF", () => {
  it("then each names its rule, its place and the tool", () => {
    const { results, tool } = runOf({ ...stub, endLine: 5 })
    expect(tool.driver).toMatchObject({ name: "Proofline", version })
    expect(tool.driver.rules[results[0].ruleIndex]).toMatchObject({ id: "stub", helpUri: "https://example.org/stub" })
    expect(results[0]).toMatchObject({
      ruleId: "stub",
      level: "error",
      message: { text: "login is empty." },
      locations: [
        {
          physicalLocation: {
            artifactLocation: { uri: "src/a.ts", uriBaseId: "%SRCROOT%" },
            region: { startLine: 3, endLine: 5 }
          }
        }
      ]
    })
  })

  it("then paths are URIs, whatever they hold", () => {
    const { results } = runOf({ ...stub, file: "c:d/tâches 100%.md" }, { ...stub, file: "a\ud800.md", line: undefined })
    const places = results.map((one: { locations: ReadonlyArray<{ physicalLocation: object }> }) => one.locations[0])
    expect(places[0].physicalLocation.artifactLocation.uri).toBe("c%3Ad/t%C3%A2ches%20100%25.md")
    expect(places[1].physicalLocation).toEqual({
      artifactLocation: { uri: "a%EF%BF%BD.md", uriBaseId: "%SRCROOT%" }
    })
  })

  it("then fingerprints stay when lines move, and tell findings from each other", () => {
    const before = fingerprintsOf(stub, { ...stub, line: 9 }, { ...stub, ruleId: "path_missing" })
    expect(new Set(before).size).toBe(3)
    expect(fingerprintsOf({ ...stub, line: 30 }, { ...stub, line: 90 })).toEqual(before.slice(0, 2))
    const named = { ...stub, fingerprint: "T001" }
    expect(fingerprintsOf(named)).toEqual(fingerprintsOf({ ...named, message: "said in other words" }))
    expect(fingerprintsOf(named)).not.toEqual(fingerprintsOf({ ...named, fingerprint: "T002" }))
  })
})
