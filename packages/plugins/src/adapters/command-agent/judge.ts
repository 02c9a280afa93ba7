import type { AgentResult, AttemptError } from "@proofline/kernel"
import type { ProcessResult } from "../node-process/spawn.ts"

/** Exit code by which a command says that it could not tell this time: EX_TEMPFAIL of sysexits. */
const again = 75

/** Exit codes of the shell for a command that cannot be run or is not there: it has judged nothing. */
const neverRan: ReadonlySet<number> = new Set([126, 127])

/** Characters of its output that are handed on as what must be changed. */
const maxTail = 2_000

/**
 * The answer of a reviewer that judges by its exit code: 0 is PASS, 75 is RETRY, any other REJECT, with the end of what
 * it printed as what must be changed.
 */
export const judgedBy = (name: string, command: string, ended: ProcessResult): Omit<AgentResult, "usage"> => {
  const { duration_ms, ended_by, exit_code, signal, stderr, stdout } = ended
  const result = { exit_code, signal, duration_ms, stdout, stderr, steps: new Uint8Array() }
  const failed = (outcome: "ERROR" | "TIMEOUT", error: AttemptError): Omit<AgentResult, "usage"> => ({
    ...result,
    outcome,
    answer: null,
    error
  })
  if (ended_by !== "itself") {
    const message = `The reviewer "${name}" ran out of time.`
    return failed("TIMEOUT", { code: "agent_timeout", message, terminal: false })
  }
  if (exit_code === null) {
    const message = `The reviewer "${name}" was ended by ${signal}.`
    return failed("ERROR", { code: "agent_failed", message, terminal: false })
  }
  if (neverRan.has(exit_code)) {
    const message = `The reviewer "${name}" could not be run: \`${command}\` exited with ${exit_code}.`
    return failed("ERROR", { code: "agent_not_started", message, terminal: true })
  }
  const judgment = exit_code === 0 ? "PASS" : exit_code === again ? "RETRY" : "REJECT"
  const said = [stdout, stderr]
    .map((bytes) => new TextDecoder().decode(bytes).trimEnd())
    .filter((text) => text !== "")
    .join("\n")
    .slice(-maxTail)
  const modification_prompt =
    judgment === "REJECT"
      ? `\`${command}\` exited with ${exit_code}.${said === "" ? "" : ` The end of its output:\n\n${said}`}`
      : null
  return { ...result, outcome: "COMPLETE", answer: JSON.stringify({ judgment, modification_prompt }), error: null }
}
