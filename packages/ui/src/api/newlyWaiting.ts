import type { ServedProject, ServedProjects } from "@proofline/plugins/frontends/http/api"
import { otherLogs } from "./served.ts"

/** Those others in which more waits than before; at first nothing is new. */
export const newlyWaiting = (
  before: ServedProjects | null,
  now: ServedProjects,
  base: string
): ReadonlyArray<ServedProject> =>
  before === null
    ? []
    : otherLogs(now, base).filter(({ id, waiting }) => {
        const known = before.projects.find((one) => one.id === id)?.waiting ?? null
        return known !== null && waiting !== null && waiting > known
      })
