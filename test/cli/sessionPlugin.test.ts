import { rmSync, writeFileSync } from "node:fs"
import * as Path from "node:path"
import { describe, expect, it } from "vitest"
import { connect } from "./mcpClient.ts"
import { documentOf, project, proofline, withSources } from "./proofline.ts"
import { expectReplay, newestLog, newestRun, planOf, refused, reportOf, submit, taken, write } from "./sessionStage.ts"

const source = "src/auth.py"

/** A phase between the work and its verification, which is entered only where tasks were done. */
const plugin = (least: number) =>
  withSources(`import { definePlugin, plugin, Run, Tasks } from "@proofline/kernel"
import { phases, SessionRun } from "@proofline/plugins/policies/sessions"
const Threats = plugin("threats", { state: null, after: [Run, Tasks, SessionRun] })
export default definePlugin(Threats, {
  version: "1.0.0",
  parts: [Threats.offer(phases, "phase", {
    name: "THREATS",
    phase: {
      kind: "submit",
      expected_payload: { threats: "list[{threat: str, answer: str}]" },
      instruction: "Name what can go wrong, and what was done about it.",
      not_empty: ["threats"], min_chars: {}, writes: false, explores: [], also: [], checks: [],
      transitions: [{ to: "POST_IMPL_VERIFY" }]
    },
    enters: [{ from: "READY_COMPLETE", when: { tasks: "done" } }],
    failures: { threat_answer_short: { error: "payload_mismatch", message: "The answer to '{threat}' says too little." } },
    validate: (state, { threats }) => [
      ...threats.filter(({ answer }) => answer.trim().length < ${least})
        .map(({ threat }) => ({ key: "threat_answer_short", fields: { threat }, message: "short", item: threat })),
      ...(threats.some(({ threat }) => threat === state.run.name) ? [{ key: "threat_is_us", message: "The project is no threat." }] : [])
    ]
  })]
})
`)
const files = { [source]: "SALT = 'x'\n", "proofline.yaml": "plugins: [./threats.mjs]\n", "threats.mjs": plugin(10) }

/** From the beginning to the phase of the plugin and out of it. */
const through = async () => {
  const dir = project(files)
  const agent = await connect(dir)
  await submit(agent, { explored_files: [source], findings: ["nothing"] }, "READY_PLAN")
  await submit(agent, planOf("auth", source, "login"), "READY_IMPL")
  write(dir, source, "login")
  taken(await agent.call("complete_task", { task_id: "auth", data: reportOf(dir, source, "login") }), "READY_COMPLETE")
  expect(await submit(agent, { summary: "Login" }, "THREATS")).toMatchObject({
    instruction: "Name what can go wrong, and what was done about it.",
    expected_payload: { threats: "list[{threat: str, answer: str}]" }
  })
  return { dir, agent }
}
const threat = { threat: "guessed passwords", answer: "Three tries a minute" }

describe("a phase of a plugin", () => {
  it("is entered, judges what is handed in in its own words, is left, and is decided the same again", {
    timeout: 120_000
  }, async () => {
    const { agent, dir } = await through()
    const empty = refused(await agent.call("submit_phase", { data: { threats: [] } }), "payload_mismatch")
    expect(empty.failures).toMatchObject([{ key: "field_empty", fields: { field: "threats" } }])
    const missing = refused(
      await agent.call("submit_phase", { data: { threats: [{ threat: "x" }] } }),
      "payload_mismatch"
    )
    expect(missing.failures).toMatchObject([{ key: "field_missing" }])
    const threats = [
      { ...threat, answer: "none" },
      { ...threat, threat: Path.basename(dir) }
    ]
    const short = refused(await agent.call("submit_phase", { data: { threats } }), "payload_mismatch")
    expect(short.failures).toMatchObject([
      {
        key: "threat_answer_short",
        item: "guessed passwords",
        message: "The answer to 'guessed passwords' says too little."
      },
      { key: "threat_is_us", message: "The project is no threat." }
    ])
    // what was refused is told whoever asks next, in a new server too
    await agent.kill()
    const again = await connect(dir)
    expect((await again.call("get_next_action")).body).toMatchObject({
      phase: "THREATS",
      last_refusal: { failures: [{ key: "threat_answer_short" }, { key: "threat_is_us" }] }
    })
    await submit(again, { threats: [threat] }, "POST_IMPL_VERIFY")
    await submit(again, {}, "DONE")
    taken(await again.call("report_completed", { result: "success" }), "DONE")
    await again.close()
    expect(await newestRun(dir)).toMatchObject({ status: "completed" })
    const [started, adopted] = await newestLog(dir)
    expect(started.content.plugins).toContainEqual({ name: "threats", version: "1.0.0" })
    expect(adopted.content.contract.phases.READY_COMPLETE.transitions[0]).toMatchObject({ to: "THREATS" })
    await expectReplay(dir)
  })

  it("given that the plugin is gone, nothing goes on and nothing is replayed without it, and both say so", {
    timeout: 120_000
  }, async () => {
    const { agent, dir } = await through()
    await agent.close()
    writeFileSync(Path.join(dir, "proofline.yaml"), "agent: none\n".replace("agent: none\n", ""))
    for (const args of [["replay"], ["mcp"], ["session", "open", "--agent", "ann"]]) {
      const finished = await proofline(args, dir)
      expect(finished, args.join(" ")).toMatchObject({ code: 2, stdout: "" })
      expect(finished.stderr).toMatch(/threats.*\[plugin_missing\]/)
      expect(finished.stderr).not.toMatch(/\n\s+at /)
    }
    rmSync(Path.join(dir, "threats.mjs"))
    writeFileSync(Path.join(dir, "proofline.yaml"), files["proofline.yaml"])
    const lost = await proofline(["replay"], dir)
    expect(lost).toMatchObject({ code: 2, stdout: "" })
    expect(lost.stderr).toContain("[plugin_unusable]")
  })

  it("given that the plugin judges otherwise today, replay names the decision that it would not make", {
    timeout: 120_000
  }, async () => {
    const { agent, dir } = await through()
    await submit(agent, { threats: [threat] }, "POST_IMPL_VERIFY")
    await agent.close()
    writeFileSync(Path.join(dir, "threats.mjs"), plugin(40))
    const replayed = await proofline(["replay", "--json"], dir)
    expect(replayed.code).toBe(1)
    const { divergence } = documentOf(replayed).data
    const taken = (await newestLog(dir)).findLast(({ event_type }) => event_type === "PHASE_SUBMITTED")
    expect(divergence).toMatchObject({ version: taken.version })
    expect(divergence.recorded).toMatchObject({ type: "PHASE_SUBMITTED" })
    expect(divergence.expected).toMatchObject({ type: "PHASE_REJECTED" })
  })
})
