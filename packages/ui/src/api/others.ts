/** What only a page needs whose server has several projects. */
import type { ServedProjects } from "@proofline/plugins/frontends/http/api"
import { named } from "../parts/code/visible.ts"
import { decoded, to, whole } from "../route.ts"
import { ask } from "./client.ts"
import { newlyWaiting } from "./newlyWaiting.ts"
import { isNotifying, isUnseen, tell } from "./notify.ts"

/** Tells of what is asked in projects that are not shown, while nobody looks at the page. */
export const notifyOfOthers = (before: ServedProjects | null, now: ServedProjects, base: string): void => {
  if (!isUnseen() || !isNotifying()) return
  for (const { name, path, root, waiting } of newlyWaiting(before, now, base))
    tell(`A run of ${named(name)} waits for you`, {
      body: root,
      address: `${path}${to.approvals}`,
      tag: `${path} ${waiting}`
    })
}

/** Where an address that names no project leads: to the project that has the run, else to the first that can be shown. */
const pathOf = async (address: string, { projects }: ServedProjects, signal: AbortSignal): Promise<string> => {
  const open = projects.filter(({ status }) => status === "open")
  const usual = (open[0] ?? projects[0])?.path ?? ""
  const run = /^\/runs\/([^/?]+)/.exec(address)?.[1]
  if (run === undefined) return usual
  const run_id = decoded(run)
  const holds = async (path: string): Promise<string> => {
    const { runs } = await ask((client) => client.runs.list({ query: { q: run_id, limit: 1_000 } }), signal, path)
    return runs.some((one) => one.run_id === run_id) ? path : Promise.reject(new Error(path))
  }
  return Promise.any(open.map(({ path }) => holds(path))).catch(() => usual)
}

/** Where the page goes on whose address names no project. */
export const chosenAddress = async (served: ServedProjects, signal: AbortSignal): Promise<string> => {
  const address = whole()
  return `${await pathOf(address, served, signal)}${address}`
}
