import { documents } from "./index.ts"

/** Commands whose document has the name of another. */
const named: Readonly<Record<string, string>> = {
  cancel: "run",
  ci: "commit",
  demo: "run",
  "schema-list": "schemas",
  "session-list": "sessions",
  watch: "status"
}

/** Of the document that a command prints: `mcp-install` of its own words, `config` of those before. */
export const kindOf = ([, command = "proofline", ...below]: ReadonlyArray<string>): string => {
  const own = [command, ...below].join("-")
  return named[own] ?? (documents.some(({ kinds }) => kinds.includes(own)) ? own : command)
}
