/** A phase of session runs: before the work is verified, the agent says in a line what changes for users. */
import { definePlugin, plugin, Run, Tasks } from "@proofline/kernel/plugin"
import { phases, SessionRun } from "@proofline/plugins/policies/sessions"

const Changelog = plugin("changelog", { state: null, after: [Run, Tasks, SessionRun] })

const phase = Changelog.offer(phases, "phase", {
  name: "CHANGELOG_ENTRY",
  enters: [{ from: "READY_COMPLETE" }],
  phase: {
    expected_payload: { entry: "str" },
    instruction: 'Say in a line what changes for users. Submit via submit_phase(data={"entry": "..."}).',
    not_empty: ["entry"],
    min_chars: { entry: 10 },
    transitions: [{ to: "POST_IMPL_VERIFY" }]
  },
  failures: {},
  validate: (_, { entry }) =>
    String(entry).includes("\n") ? [{ key: "entry_too_long", message: "One line, please." }] : []
})

export default definePlugin(Changelog, { version: "1", parts: [phase] })
