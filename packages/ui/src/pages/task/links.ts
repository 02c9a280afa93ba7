import type { AttemptView } from "@proofline/plugins/frontends/http/api"
import { hrefOf, to } from "../../route.ts"

/** By whom an attempt was carried out, and on which machine where the name does not say it. */
export const workerText = ({ host, worker_id }: Pick<AttemptView, "host" | "worker_id">): string =>
  host === null || worker_id.startsWith(`${host}:`) ? worker_id : `${worker_id} (${host})`

/** The page of a task, where no `Link` makes it; of one of its attempts where that is named. */
export const taskHref = (...named: Parameters<typeof to.task>): string => hrefOf(to.task(...named))
