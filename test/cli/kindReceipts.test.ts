import { readFileSync, rmSync, writeFileSync } from "node:fs"
import * as Path from "node:path"
import { describe, expect, it } from "vitest"
import { done, scriptedAgent, withAgent } from "./agent.ts"
import { documentOf, project, proofline, withSources } from "./proofline.ts"

/** `note:<path>` holds while the file says that it is done. */
const notes = withSources(`import { definePlugin, plugin } from "@proofline/kernel"
import { Evidence, evidenceKind, evidenceKinds } from "@proofline/plugins/policies/evidence"
import { existsSync, readFileSync } from "node:fs"
import { Effect, Schema } from ${JSON.stringify(import.meta.resolve("effect"))}
const note = evidenceKind({
  scheme: "note",
  cites: "the path of a note that says that it is done",
  schema: Schema.Struct({ text: Schema.String }),
  look: (path) => Effect.sync(() => {
    if (existsSync("broken")) throw new Error("no ink")
    return { text: readFileSync(path, "utf8") }
  }),
  judge: ({ text }) => (text.startsWith("done") ? { holds: true } : { holds: false, message: "It says nothing." })
})
const Notes = plugin("notes", { state: null, after: [Evidence] })
export default definePlugin(Notes, { version: "1", parts: [Notes.offer(evidenceKinds, "kind", note)] })
`)
const files = {
  "proofline.yaml": "plugins: [./notes.mjs]\n",
  "notes.mjs": notes,
  "tasks.yaml":
    "tasks:\n  - id: a\n    name: A\n    instruction: Do it.\n    checks: ['true']\n    checklist: [Leave a note]\n",
  ...scriptedAgent({
    a: [{ files: { "note.txt": "done\n" }, report: done({ "Leave a note": "note:note.txt" }) }]
  })
}

/** A run whose only item was proven by a note. */
const proven = async (): Promise<string> => {
  const dir = project(files)
  const finished = await proofline(["run", "tasks.yaml", ...withAgent, "--json"], dir)
  expect(finished.code, finished.stderr + finished.stdout).toBe(0)
  return dir
}

const verified = async (dir: string) => {
  const finished = await proofline(["verify", "--json"], dir)
  const [receipt] = documentOf(finished).data.receipts
  return { code: finished.code, stderr: finished.stderr, ...receipt }
}
const reported = async (dir: string) => {
  const finished = await proofline(["report", "--json"], dir)
  return { code: finished.code, text: finished.stdout, stderr: finished.stderr }
}

const told = "`note:<reference>`, the path of a note that says that it is done"
const own = ["`file:<path>`, a new or changed file", "`absent:<path>`, a removed file"]

describe("receipts of a kind that a plugin declares", () => {
  it("given its plugin looks, breaks, sees a change or is gone, when verified and reported, then that is said", {
    timeout: 60_000
  }, async () => {
    const dir = await proven()
    const [call] = readFileSync(Path.join(dir, "calls.ndjson"), "utf8").split("\n")
    expect(JSON.parse(call ?? "").prompt).toContain(`It may be of another kind instead: ${[...own, told].join("; ")}.`)
    expect(await verified(dir)).toMatchObject({ code: 0, status: "proven", now: "note:note.txt", reason: "" })
    expect((await reported(dir)).code).toBe(0)

    writeFileSync(Path.join(dir, "broken"), "")
    const broken = "It could not be looked at again. Plugin notes, look of note: no ink"
    expect(await verified(dir)).toMatchObject({ code: 1, status: "stale", reason: broken })
    expect(await reported(dir)).toMatchObject({ code: 1, text: expect.stringContaining(broken) })
    rmSync(Path.join(dir, "broken"))

    writeFileSync(Path.join(dir, "note.txt"), "gone\n")
    const changed = "What note:note.txt names is not what it was."
    expect(await verified(dir)).toMatchObject({ code: 1, status: "stale", reason: changed })
    expect(await reported(dir)).toMatchObject({ code: 1, text: expect.stringContaining("is not what it was") })

    rmSync(Path.join(dir, "notes.mjs"))
    const lost = await verified(dir)
    const reason = "No plugin of this project declares evidence of the kind note, to look at it again."
    expect(lost).toMatchObject({ code: 1, status: "stale", reason })
    expect(lost.stderr).toMatch(
      /warning: proofline.yaml:1:11: The plugin ".\/notes.mjs" is not used: .*\[plugin_unusable\]/
    )
    writeFileSync(Path.join(dir, "proofline.yaml"), "plugns: []\n")
    expect(await verified(dir)).toMatchObject({ code: 1, status: "stale", reason })
  })
})
