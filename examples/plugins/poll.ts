/** A kind of run: a poll that is completed when three people voted. `StartRun` with `kind: "poll", question: "…"`. */
import { definePlugin, FinishRun, kinds, plugin, Run, reject } from "@proofline/kernel/plugin"
import { Schema } from "effect"

const Poll = plugin("poll", { state: { question: "", votes: 0 }, after: [Run] })
const wanted = 3

const Opened = Poll.event("POLL_OPENED", {
  schema: Schema.Struct({ question: Schema.String }),
  visibility: "summary",
  evolve: (_, { question }) => ({ question, votes: 0 }),
  sentence: ({ question }) => `Asked: ${question}`
})
const Voted = Poll.event("VOTED", {
  schema: Schema.Struct({ person: Schema.String }),
  visibility: "summary",
  evolve: (own) => ({ ...own, votes: own.votes + 1 }),
  sentence: ({ person }) => `${person} voted.`
})
const Vote = Poll.command("poll.Vote", {
  schema: Schema.Struct({ person: Schema.String }),
  decide: (args, { run }) =>
    run.kind === "poll" && run.status === "running"
      ? [Voted(args)]
      : reject("no_poll", "This run is no poll that is open.", "Start one."),
  recall: { from: [Voted], args: (batch) => batch.first(Voted) }
})
const counts = (votes: number) => ({ total: wanted, completed: Math.min(votes, wanted), failed: 0, skipped: 0 })
const kind = Poll.offer(kinds, "kind", {
  name: "poll",
  hasBudget: false,
  begin: (_, { question }) => Poll.tell([Opened({ question: String(question) })]),
  recall: (_, batch) => ({ ...batch.first(Opened) }),
  counts: ({ poll }) => counts(poll.votes),
  ends: ({ poll: { votes } }) =>
    votes < wanted ? null : { outcome: "completed", counts: counts(votes), proven: votes, waived: 0 },
  progress: ({ poll }) => poll
})
const end = Poll.react([Voted], () => [FinishRun({})])
export default definePlugin(Poll, { version: "1", events: [Opened, Voted], commands: [Vote], parts: [kind, end] })
