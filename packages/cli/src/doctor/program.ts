import { readFileSync, realpathSync } from "node:fs"
import { pathOf, versionOf } from "@proofline/plugins/adapters/command-agent"
import { Effect } from "effect"
import { asset } from "../assets.ts"
import { answersWithinMs } from "../base/answersWithin.ts"
import { checkoutHere } from "../process/output.ts"
import type { Finding } from "./Finding.ts"

/** The oldest Node that runs Proofline, as its package says: `22.19`. */
const oldestNode = (): string => {
  const { engines } = JSON.parse(readFileSync(asset("package.json"), "utf8"))
  return String(engines.node).replace(/^>=/, "")
}

/** Whether a version comes before another, by its numbers. */
export const isOlder = (version: string, than: string): boolean => {
  const [own, other] = [version, than].map((text) => text.split(".").map((part) => Number.parseInt(part, 10) || 0))
  const at = (other ?? []).findIndex((part, i) => part !== (own?.[i] ?? 0))
  return at !== -1 && (own?.[at] ?? 0) < (other?.[at] ?? 0)
}

/** Whether the Node that runs this, and the one that clients and hooks will start, are new enough. */
export const lookAtProgram = (root: string): Effect.Effect<ReadonlyArray<Finding>> =>
  Effect.gen(function* () {
    const needed = oldestNode()
    const running = process.versions.node
    if (isOlder(running, needed)) return [nodeOld(`This is Node ${running}`, process.execPath, needed)]
    const found = pathOf("node", root)
    // a checkout is started with the Node that it brings
    if (checkoutHere() !== null || found === null || realpathSync(found) === process.execPath) return []
    const version = yield* versionOf("node", answersWithinMs)
    return version === null || !isOlder(version, needed)
      ? []
      : [
          nodeOld(
            `This is Node ${running}, and the one on PATH, with which clients and hooks start Proofline, ${version}`,
            found,
            needed
          )
        ]
  })

const nodeOld = (what: string, place: string, needed: string): Finding => ({
  code: "node_old",
  severity: "error",
  message: `${what}; Proofline needs ${needed} or newer.`,
  place,
  fix: `Install Node ${needed} or newer, and let PATH lead to it first.`
})
