import { assert, it } from "@effect/vitest"
import {
  type Activity,
  type Command,
  composePlugins,
  type Dispatch,
  definePlugin,
  type Intent,
  type KernelEvent,
  type Plugin,
  type PluginCommand,
  type PluginEvent,
  reject,
  type State,
  type TaskState,
  taskOf
} from "@proofline/kernel"
import { Context, Effect, Result, Schema } from "effect"

/** What authors of plugins may write: it compiles, and it composes. */
interface Remind extends PluginCommand {
  readonly _tag: "reminders.Remind"
  readonly text: string
}

const Reminded = Schema.Struct({ text: Schema.String })

interface Slice {
  readonly texts: ReadonlyArray<string>
}

const isRemind = (command: Command | PluginCommand): command is Remind => command._tag === "reminders.Remind"

const look: Activity = ({ dispatch, item, state }) =>
  Effect.gen(function* () {
    const task: TaskState | undefined = item.task_id === null ? undefined : taskOf(state, item.task_id)
    if (task === undefined) return null
    const after: State = yield* dispatch({ _tag: "FinishRun" })
    if (after.status === "failed") {
      return yield* Effect.fail({ _tag: "ActivityFailure", code: "reminders_late", message: "Too late." } as const)
    }
    const remind: Remind = { _tag: "reminders.Remind", text: task.spec.title }
    return remind
  })

const reminders = definePlugin<Slice>({
  name: "reminders",
  version: "1",
  initial: { texts: [] },
  commands: ["reminders.Remind"],
  events: [{ type: "REMINDED", visibility: "summary", content: Reminded, upcasters: [(content) => content] }],
  decide: (command, state, slice) =>
    !isRemind(command)
      ? Result.fail(reject("command_unowned", "Not mine.", "Ask another."))
      : slice.texts.includes(command.text) || state.status !== "running"
        ? Result.succeed([])
        : Result.succeed([{ type: "REMINDED", content: { text: command.text } }]),
  evolve: (slice, event) =>
    event.type === "REMINDED" ? { texts: [...slice.texts, (event.content as typeof Reminded.Type).text] } : slice,
  guard: (command, _, slice) =>
    command._tag === "StartAttempt" && slice.texts.length > 9
      ? Result.fail(reject("too_many", "Stop.", "Rest."))
      : Result.void,
  react: (event) => (event.type === "TASK_FAILED" ? [{ _tag: "Dispatch", command: { _tag: "FinishRun" } }] : []),
  recall: {
    REMINDED: ([{ content }]): Remind => ({ _tag: "reminders.Remind", text: (content as typeof Reminded.Type).text })
  },
  activities: { "reminders.look": look }
})

/** And what they may not: every line below must be an error of the compiler, or this file does not compile. */
const refused = () => {
  // @ts-expect-error a plugin has a name
  definePlugin({ version: "1", initial: null })

  // @ts-expect-error a plugin has a version
  definePlugin({ name: "a", initial: null })

  // @ts-expect-error a command of a plugin has the plugin's name and a dot in its tag
  const nameless: PluginCommand = { _tag: "Remind" }

  // @ts-expect-error only kernel event types can be claimed
  definePlugin({ name: "a", version: "1", initial: null, writes: ["REMINDED"] })

  // @ts-expect-error a decision is a Result, never a promise
  definePlugin({ name: "a", version: "1", initial: null, decide: async () => Result.succeed([]) })

  // @ts-expect-error a decision is a Result, never an effect
  definePlugin({ name: "a", version: "1", initial: null, decide: () => Effect.succeed([]) })

  // @ts-expect-error a refusal is a Rejection with a code and a hint, never a text
  definePlugin({ name: "a", version: "1", initial: null, guard: () => Result.fail("no") })

  // @ts-expect-error a slice keeps its type
  definePlugin<Slice>({ name: "a", version: "1", initial: { texts: [] }, evolve: () => ({ texts: "none" }) })

  // @ts-expect-error a slice begins somewhere
  definePlugin<Slice>({ name: "a", version: "1", initial: null })

  // @ts-expect-error an activity answers with a command or with null
  const chatty: Activity = () => Effect.succeed("done")

  // @ts-expect-error an activity fails with what can be recorded
  const failing: Activity = () => Effect.fail(new Error("boom"))

  // @ts-expect-error an activity needs no services of its own: whoever makes it has given it everything
  const needy: Activity = () => Effect.as(Effect.service(Needed), null)

  // @ts-expect-error an intent is one of Start, Cancel and Dispatch
  const wish: Intent = { _tag: "Wish", text: "please" }

  // @ts-expect-error a command has its facts
  const bare: Dispatch = { _tag: "Dispatch", command: { _tag: "StartAttempt", task_id: "a" } }

  // @ts-expect-error an event of the kernel has its content
  const hollow: KernelEvent = { type: "TASK_SKIPPED", content: { task_id: "a" } }

  // @ts-expect-error an event holds JSON, no dates
  const dated: PluginEvent = { type: "REMINDED", content: { at: new Date(0) } }

  const looking: Plugin<Slice> = {
    name: "a",
    version: "1",
    initial: { texts: [] },
    evolve: (slice) => {
      // @ts-expect-error what is true is never changed in place
      slice.texts.push("more")
      return slice
    },
    guard: (_, state) => {
      // @ts-expect-error nor is the run's state
      state.status = "completed"
      return Result.void
    }
  }
  return [nameless, chatty, failing, needy, wish, bare, hollow, dated, looking]
}

class Needed extends Context.Service<Needed, { readonly ask: () => string }>()("test/Needed") {}

it("what is refused here is refused by the compiler", () => {
  assert.isFunction(refused)
})

it("a plugin with everything in it composes", () => {
  const composition = composePlugins([reminders])
  assert.strictEqual(composition.ownerOf.get("reminders.Remind"), 0)
  assert.strictEqual(composition.writerOf.get("REMINDED"), 0)
  assert.isTrue(composition.activities.has("reminders.look"))
})
