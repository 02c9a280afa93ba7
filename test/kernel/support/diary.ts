/**
 * A plugin whose event was written in three schema versions: how a log of before is lifted is tried with it. It writes by
 * itself when a task begins, or when it is asked to.
 */
import { definePlugin, plugin, Run, started, Tasks } from "@proofline/kernel/plugin"
import { Schema } from "effect"

const Diary = plugin("diary", { state: { notes: [] as ReadonlyArray<string> }, after: [Run, Tasks] })

type Old = Readonly<Record<string, string | number>>

export const Noted = Diary.event("NOTED", {
  schema: Schema.Struct({ text: Schema.String, number: Schema.Int, run: Schema.String }),
  visibility: "summary",
  upcasters: [
    // version 2 numbers the notes
    (content, { diary }) => ({ ...(content as Old), number: diary.notes.length + 1 }),
    // version 3 names the run, and calls the text so
    (content, { run }) => {
      const { note = "", ...rest } = content as Old
      return { ...rest, text: note, run: run.name }
    }
  ],
  evolve: ({ notes }, { number, run, text }) => ({ notes: [...notes, `${number}. ${text} (${run})`] }),
  sentence: ({ number, text }) => `Note ${number}: ${text}`
})

export const Note = Diary.command("diary.Note", {
  schema: Schema.Struct({ text: Schema.String }),
  decide: ({ text }, { diary, run }) => [Noted({ text, number: diary.notes.length + 1, run: run.name })],
  recall: {
    from: [Noted],
    args: (batch) => {
      const { text = "" } = batch.first(Noted) ?? {}
      return { text }
    }
  }
})

const writing = Diary.react([started], ({ task_id }) => [Note({ text: `Began ${task_id}.` })])

export default definePlugin(Diary, { version: "3", events: [Noted], commands: [Note], parts: [writing] })
