import * as Path from "node:path"
import { DatabaseSync } from "node:sqlite"
import { describe, expect, it } from "vitest"
import { documentOf, project, proofline } from "./proofline.ts"

describe("given the log of the session run that goes on, which somebody has changed", () => {
  it("`proofline call` says so where it is looked at, and does not go on with it", async () => {
    const dir = project({ "src/a.py": "x = 1\n" })
    const { token } = documentOf(await proofline(["session", "open", "--agent", "ci", "--json"], dir)).data
    const db = new DatabaseSync(Path.join(dir, ".proofline", "state", "proofline.db"))
    db.exec(
      `update event set content = replace(content, '"agent":"ci"', '"agent":"me"') where event_type = 'SESSION_OPENED'`
    )
    db.close()
    const { answer } = documentOf(await proofline(["call", "verify_run"], dir)).data
    expect(answer).toMatchObject({ whole: false, chain: { ok: false } })
    const listed = await proofline(["call", "list_runs"], dir)
    expect([listed.code, documentOf(listed).data.answer.runs.length]).toEqual([0, 1])
    const next = await proofline(["call", "get_next_action"], dir, { PROOFLINE_TOKEN: token })
    expect(next.code).not.toBe(0)
    expect(documentOf(next).data.problems).toMatchObject([{ code: "log_changed" }])
    expect(next.stderr).toBe("")
  })
})
