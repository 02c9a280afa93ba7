/** What an agent cannot do: a person is asked, and says how it goes on. */
import { Schema } from "effect"
import { reject, rejectConflict, rejectUnknown } from "../../core/Rejection.ts"
import { counted } from "../../core/words.ts"
import { AttemptRef } from "./events.ts"
import { AskedItem, PersonAnswer } from "./schemas.ts"
import { askedOf, cannot, reset, Tasks, taskOf, withItem, withTask } from "./state.ts"

/** The agent says that it cannot do it: neither done nor failed. */
export const ItemCannot = Tasks.event("CHECKLIST_ITEM_CANNOT", {
  schema: Schema.Struct({ ...AttemptRef, ...AskedItem.fields }),
  visibility: "summary",
  evolve: (own, { evidence, index, reason, task_id }) =>
    withItem(own, task_id, index, (item) => ({ ...reset(item), status: "cannot", evidence, reason })),
  sentence: ({ item, reason, task_id }) => `${task_id}: "${item}" cannot be done: ${reason}`
})

/** Nothing is left of a task but items that its agent cannot do: it rests until a person has said how it goes on. */
export const PersonAsked = Tasks.event("PERSON_ASKED", {
  schema: Schema.Struct({
    ...AttemptRef,
    items: Schema.Array(AskedItem),
    /** Files that its attempts changed. */
    files: Schema.Array(Schema.String)
  }),
  visibility: "summary",
  evolve: (own, { items, task_id }) =>
    withTask(own, task_id, (task) => ({
      ...task,
      status: "blocked",
      reason: cannot,
      message: `A person is asked: ${items.map(({ item, reason }) => `"${item}" cannot be done: ${reason}`).join("; ")}`
    })),
  sentence: ({ items, task_id }) =>
    `Task ${task_id} waits for a person: ${counted(items.length, "item")} cannot be done.`
})

export const PersonAnswered = Tasks.event("PERSON_ANSWERED", {
  schema: Schema.Struct({
    task_id: Schema.String,
    index: Schema.Int,
    item: Schema.String,
    answer: PersonAnswer,
    /** What the person said beside it; empty: nothing. */
    text: Schema.String,
    /** ISO 8601, UTC, ms. */
    at: Schema.String
  }),
  visibility: "summary",
  evolve: (own, { answer, at, index, task_id, text }) =>
    withItem(own, task_id, index, (item) => ({
      ...item,
      ...(answer === "waive" ? { status: "skipped", verdict: "waived", evidence: null } : {}),
      ...(answer === "continue" ? { guidance: [...(item.guidance ?? []), text] } : {}),
      answer: { answer, text, at }
    })),
  sentence: ({ answer, item, task_id, text }) =>
    `${task_id}: a person answered of "${item}": ${answer}${text === "" ? "" : `: ${text}`}`
})

export const askingEvents = [ItemCannot, PersonAsked, PersonAnswered]

/** A person says how it goes on with what an agent cannot do. */
export const AnswerPerson = Tasks.command("AnswerPerson", {
  schema: Schema.Struct({
    task_id: Schema.String,
    /** Of the item; null: all of them that are asked about. */
    index: Schema.NullOr(Schema.Int),
    answer: PersonAnswer,
    text: Schema.String,
    /** ISO 8601, UTC, ms. */
    at: Schema.String
  }),
  decide: ({ answer, at, index, task_id, text }, state) => {
    const task = taskOf(state, task_id)
    if (task === undefined)
      return rejectUnknown("task_unknown", `There is no task ${task_id}.`, "Name a registered task.")
    const asked = askedOf(task)
    const meant = asked.filter((one) => index === null || one.index === index)
    if (meant.length === 0 || state.run.status === "cancelled" || state.run.status === "completed") {
      return rejectConflict(
        "no_question",
        asked.length === 0
          ? `Task ${task_id} asks nobody anything.`
          : `Nobody is asked about item ${(index ?? 0) + 1} of task ${task_id}.`,
        asked.length === 0
          ? "See `proofline status` for what waits for a person."
          : `Name one of the items it asks about: ${asked.map((one) => one.index + 1).join(", ")}.`
      )
    }
    if (answer === "continue" && text.trim() === "") {
      return reject(
        "guidance_required",
        "The answer `continue` says how the item can be done, and nothing was said.",
        "Say it in the comment: it is what the next attempt is told. `waive` and `give_up` need none."
      )
    }
    return meant.map(({ index: at_index, item }) =>
      PersonAnswered({ task_id, index: at_index, item, answer, text: text.trim(), at })
    )
  },
  recall: {
    from: [PersonAnswered],
    args: (batch) => {
      const [first, ...more] = batch.all(PersonAnswered)
      return first && { ...first, index: more.length === 0 ? first.index : null }
    }
  }
})
