import { hrefOf, to } from "../../route.ts"

/** The page of a task; of one of its attempts where that is named. */
export const taskHref = (run: string, task: string, attempt?: number): string =>
  hrefOf(`${to.task(run, task)}${attempt === undefined ? "" : `?attempt=${attempt}`}`)
