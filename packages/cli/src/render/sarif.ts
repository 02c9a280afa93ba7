import { createHash } from "node:crypto"
import { version } from "../base/version.ts"

/** A kind of finding. */
export interface SarifRule {
  /** Its code, such as `path_missing`; never changed once it is published. */
  readonly id: string
  /** In a few words. */
  readonly name: string
  /** What it means, in whole sentences. */
  readonly description: string
  readonly helpUri?: string | undefined
}

export interface SarifResult {
  /** One of the rules. */
  readonly ruleId: string
  readonly level: "error" | "warning" | "note"
  readonly message: string
  /** From the root of the repository, `/` separated. */
  readonly file: string
  /** From 1; left out: it speaks of the whole file. */
  readonly line?: number | undefined
  readonly endLine?: number | undefined
  /** What tells it from others of the same rule and file, whatever line it stands on; the message when left out. */
  readonly fingerprint?: string | undefined
}

/** Findings as one log of SARIF 2.1.0, as code scanning and editors read it. */
export const sarif = ({
  results,
  rules
}: {
  readonly rules: ReadonlyArray<SarifRule>
  readonly results: ReadonlyArray<SarifResult>
}): object => {
  const indexes = new Map(rules.map(({ id }, index) => [id, index]))
  const fingerprint = fingerprints()
  return {
    $schema: "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
    version: "2.1.0",
    runs: [
      {
        tool: { driver: { name: "Proofline", version, semanticVersion: version, rules: rules.map(ruleOf) } },
        columnKind: "utf16CodeUnits",
        results: results.map((result) => ({
          ruleId: result.ruleId,
          ruleIndex: indexes.get(result.ruleId) ?? -1,
          level: result.level,
          message: { text: result.message },
          locations: [{ physicalLocation: locationOf(result) }],
          partialFingerprints: { "proofline/v1": fingerprint(result) }
        }))
      }
    ]
  }
}

const ruleOf = ({ description, helpUri, id, name }: SarifRule) => ({
  id,
  name,
  shortDescription: { text: `${name}.` },
  fullDescription: { text: description },
  help: { text: description },
  ...(helpUri === undefined ? {} : { helpUri })
})

const locationOf = ({ endLine, file, line }: SarifResult) => ({
  artifactLocation: { uri: uriOf(file), uriBaseId: "%SRCROOT%" },
  ...(line === undefined
    ? {}
    : { region: { startLine: line, ...(endLine === undefined || endLine <= line ? {} : { endLine }) } })
})

/** A relative path as a relative URI: blanks, colons and letters outside of ASCII are %-encoded. */
const uriOf = (path: string): string => path.toWellFormed().split("/").map(encodeURIComponent).join("/")

/** Lines are no part of it, so it stays the same when something is added above; of equal ones each has its number. */
const fingerprints = (): ((result: SarifResult) => string) => {
  const seen = new Map<string, number>()
  return ({ file, fingerprint, message, ruleId }) => {
    const hash = createHash("sha256")
      .update(JSON.stringify([ruleId, file, fingerprint ?? message]))
      .digest("hex")
    const number = (seen.get(hash) ?? 0) + 1
    seen.set(hash, number)
    return `${hash.slice(0, 32)}:${number}`
  }
}
