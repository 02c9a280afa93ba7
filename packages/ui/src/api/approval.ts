import type { Approval } from "@proofline/plugins/frontends/http/api"

/** Names what waits. */
export const keyOf = ({ kind, phase, question, question_id, run_id, task_id }: Approval): string =>
  JSON.stringify([run_id, kind, task_id ?? phase, question_id ?? question])
