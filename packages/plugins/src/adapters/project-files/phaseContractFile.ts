/** What a phase_contract.yml may say. */
import { Schema } from "effect"
import { quoted } from "../../options/words.ts"
import { instructionTexts } from "../../policies/sessions/contract.ts"
import {
  asWritten,
  byName,
  headerFields,
  list,
  listOrOne,
  mapping,
  number,
  oneOf,
  optional,
  orBlank,
  required,
  rule,
  text,
  textLike,
  textOr,
  trueOrFalse,
  wholeNumber
} from "./fileSchema.ts"

export const namePattern = /^\s*\p{L}[\p{L}\p{M}\p{N}_.-]{0,99}\s*$/u
/** As notations name fields; a digit at the start would change the order of the fields. */
export const fieldPattern = /^\s*(?!__proto__)[\p{L}_$][\p{L}\p{M}\p{N}_$.-]{0,99}\??\s*$/u

const nameOf = (what: string) =>
  textLike(what, namePattern, (value, name) => ({
    code: "name_invalid",
    message: `${name} cannot be ${quoted(value.trim())}.`,
    hint: "Begin it with a letter and use letters, digits, `_`, `.` and `-` only, at most 100."
  }))

const phaseName = nameOf("the name of a phase")
const counterName = nameOf("the name of a counter")
const flagName = nameOf("the name of a flag")
const intentName = nameOf("the name of an intent")

const fieldName = textLike("the name of a field", fieldPattern, (value, name) => ({
  code: "field_invalid",
  message: `${name} cannot be ${quoted(value.trim())}.`,
  hint: "Write `name: type`, with a question mark behind the name of a field that may be left out."
}))

const Scalars = Schema.Union([text("a text, a number, true or false"), number(-1e15, 1e15), trueOrFalse])
const counters = listOrOne(counterName, "counters")
const payloadFields = listOrOne(fieldName, "fields of the payload")

const ConditionPart = mapping(
  {
    payload: optional(
      byName(
        fieldName,
        Schema.Union([...Scalars.members, list(Scalars, "the values")]),
        "fields of the payload, each with its value"
      ),
      { title: "Values", description: "By field of the payload: it equals the value, or one of the values." }
    ),
    empty: optional(payloadFields, {
      title: "Empty fields",
      description: "Fields of the payload, each absent, null, or empty."
    }),
    filled: optional(payloadFields, {
      title: "Filled fields",
      description: "Fields of the payload, none of them empty."
    }),
    flags: optional(listOrOne(flagName, "flags"), {
      title: "Flags",
      description: "At least one of these flags is set."
    }),
    intent: optional(listOrOne(intentName, "intents"), {
      title: "Intents",
      description: "The intent of the session is one of these."
    }),
    gate: optional(listOrOne(oneOf(["auto", "full"]), "`auto` or `full`"), {
      title: "Gate levels",
      description: "The gate level of the session is one of these."
    }),
    outcome: optional(oneOf(["passed", "failed"], { pass: "Write `passed`.", fail: "Write `failed`." }), {
      title: "Outcome",
      description: "How the commands of the phase ended."
    }),
    tasks: optional(oneOf(["none", "open", "done"]), {
      title: "Tasks",
      description: "none: no task is registered. open: one is not over. done: there are some and all are over."
    }),
    reached: optional(counters, {
      title: "Counters at their limit",
      description: "At least one of these counters has come to its limit."
    })
  },
  "what must hold, e.g. `outcome: passed`",
  { synonyms: { flags: ["flag"], intent: ["intents"], payload: ["field", "fields"], reached: ["limit", "limits"] } }
).annotate({ identifier: "condition", title: "Condition", description: "Everything named must hold." })

const TransitionPart = textOr(
  phaseName,
  mapping(
    {
      to: required(phaseName, { title: "Next phase", description: "Name of a phase." }),
      when: optional(ConditionPart, { title: "When", description: "It is taken only when this holds." }),
      unless: optional(ConditionPart, { title: "Unless", description: "It is not taken when this holds." }),
      count: optional(counterName, {
        title: "Counter",
        description: "A counter that goes up by one when it is taken."
      }),
      reset: optional(counters, {
        title: "Counters to reset",
        description: "Counters that go back to 0 when it is taken."
      })
    },
    "`to` with the name of a phase",
    { synonyms: { to: ["next", "goto", "target"], when: ["if"], unless: ["except"] } }
  )
).annotate({ identifier: "transition", title: "Transition" })

const notation = {
  title: "Notation",
  description:
    "What is expected: str, int, float, bool, any, dict, list[T], {field, field?: T}, a|b; or a mapping of fields. What an editor reads as another value is read as it is written.",
  not: { type: "string", pattern: "^\\s*$|\\u0000" }
}

/** `next` and `transitions` say the same. */
const oneWayOut = rule<{ readonly next?: unknown; readonly transitions?: unknown }>(
  ({ next, transitions }) =>
    next === undefined || transitions === undefined
      ? undefined
      : {
          code: "key_conflict",
          message: "`next` and `transitions` both say where the phase leads.",
          hint: "Keep `transitions`; `next: X` is short for `transitions: [X]`.",
          at: "next"
        },
  { not: { required: ["next", "transitions"] } }
)

const PhaseFile = mapping(
  {
    kind: optional(
      oneOf(["submit", "plan", "tasks", "complete", "verify", "person", "end", "stop"], {
        implement: "Write `tasks`.",
        task: "Write `tasks`.",
        human: "Write `person`.",
        user: "Write `person`.",
        done: "Write `end`.",
        final: "Write `end`.",
        abort: "Write `stop`.",
        cancelled: "Write `stop`."
      }),
      {
        title: "Kind",
        description:
          "submit: takes a payload. plan: registers its tasks. tasks: takes the report of one task after the other. complete: is refused while a task is open. verify: runs commands. person: waits for a person. end: the end of the run. stop: the run is stopped."
      }
    ),
    expected_payload: optional(
      byName(fieldName, asWritten(notation), "the fields of the payload, each with its notation"),
      {
        title: "Expected payload",
        description: "By field, `?` behind it when it may be left out: its notation."
      }
    ),
    instruction: optional(text("the instruction for the agent"), {
      title: "Instruction",
      description: "What the agent is told to do."
    }),
    not_empty: optional(payloadFields, {
      title: "Not empty",
      description: "Fields of the payload that must not be empty."
    }),
    min_chars: optional(byName(fieldName, wholeNumber(0, 100_000), "fields of the payload, each with a number"), {
      title: "Fewest characters",
      description: "By field: the fewest characters its text must have."
    }),
    writes: optional(trueOrFalse, { title: "Writes", description: "true: files may be written in this phase." }),
    explores: optional(payloadFields, {
      title: "Explored files",
      description: "Fields of the payload that name files which were looked at."
    }),
    also: optional(listOrOne(phaseName, "names of phases"), {
      title: "Other payloads",
      description: "Phases whose payloads are taken here too."
    }),
    checks: optional(listOrOne(text("a shell command"), "shell commands"), {
      title: "Checks",
      description: "Shell commands, all of which must exit 0 before a verify phase has passed."
    }),
    next: optional(phaseName, {
      title: "Next phase",
      description: "Short for one transition without a condition."
    }),
    transitions: optional(listOrOne(TransitionPart, "the ways out of the phase"), {
      title: "Transitions",
      description: "The ways out; the first that holds is taken."
    })
  },
  "what the phase expects and where it leads",
  {
    synonyms: {
      expected_payload: ["payload", "expects"],
      instruction: ["instructions"],
      transitions: ["goto", "to"],
      checks: ["commands", "verifiers"],
      min_chars: ["min_length"]
    }
  }
)
  .check(oneWayOut)
  .annotate({ identifier: "phase", title: "Phase", description: "A phase." })

const sentence = { type: "string", pattern: "^[^\\u0000]*[^\\s\\u0000][^\\u0000]*$" }

/** As editors are told; they are read by `readFailures`. */
const failures = {
  type: ["object", "null"],
  additionalProperties: {
    oneOf: [
      sentence,
      {
        type: "object",
        required: ["message"],
        properties: {
          error: {
            title: "Code",
            description:
              "Code of the refusal, for readers of the file: codes are fixed. payload_mismatch, but phase_mismatch of `phase_mismatch` and `phase_mismatch_complete`, and person_required of `person_required`.",
            ...sentence
          },
          message: {
            title: "Sentence",
            description: "What is wrong and how to repair it; it may hold the placeholders of its key in braces.",
            ...sentence
          },
          instruction: { title: "Instruction", description: "For other readers of the file; not used." },
          requires_user_intervention: {
            title: "A person is needed",
            description: "For other readers of the file; not used."
          }
        }
      }
    ]
  }
}

/** As editors are told; they are read by `readInstructions`. */
const instructions = {
  type: ["object", "null"],
  properties: Object.fromEntries(
    Object.entries(instructionTexts).map(([key, text]) => [
      key,
      {
        description: "What an agent is told; it may hold the placeholders of the default in braces.",
        default: text,
        ...sentence
      }
    ])
  )
}

/** What a phase_contract.yml may say; `bases` are the contracts that it may extend. */
export const contractFile = (bases: ReadonlyArray<string>) =>
  mapping(
    {
      ...headerFields,
      extends: optional(oneOf([...bases, "none"], { null: "Write `none`." }), {
        title: "Extended contract",
        description: "The contract this file changes: default or full. none: this file is a whole contract of its own.",
        default: "default"
      }),
      name: optional(text("the name of the contract"), {
        title: "Name",
        description: "Name of the contract, for people."
      }),
      start: optional(orBlank(listOrOne(TransitionPart, "the name of a phase")), {
        title: "First phase",
        description: "The phase a run begins in; of several transitions the first that holds."
      }),
      phases: optional(
        orBlank(
          byName(phaseName, PhaseFile, "the phases, each under its name", { called: (key) => `phase ${quoted(key)}` })
        ),
        {
          title: "Phases",
          description: "By name. Of a phase of the extended contract, the keys given here replace its own one by one."
        }
      ),
      limits: optional(orBlank(byName(counterName, wholeNumber(0, 1_000_000), "counters, each with its limit")), {
        title: "Limits",
        description:
          "By counter: the count at which `reached` holds. task_failures is the highest count of failed verifications of a task and is kept by Proofline."
      }),
      flags: optional(orBlank(byName(flagName, text("what the flag does"), "flags, each with what it does")), {
        title: "Flags",
        description: "Flags a person may set, each with what it does."
      }),
      intents: optional(orBlank(listOrOne(intentName, "names of intents")), {
        title: "Intents",
        description: "What may be intended; the first is the default. Empty: nobody asks."
      }),
      write_targets: optional(
        orBlank(
          mapping(
            {
              existing: optional(oneOf(["any", "explored"]), {
                title: "Existing files",
                description:
                  "any: every file of the project. explored: only files that were explored or are named in the plan."
              }),
              fresh: optional(oneOf(["any", "explored", "none"]), {
                title: "New files",
                description:
                  "any: anywhere in the project. explored: only in a folder that holds an explored file or one named in the plan. none: nowhere."
              }),
              required: optional(trueOrFalse, {
                title: "Asking is required",
                description: "true: a file that is cited as evidence must have been asked for first."
              })
            },
            "which files may be written",
            { synonyms: { fresh: ["new", "new_files"], existing: ["existing_files"] } }
          )
        ),
        { title: "Write targets", description: "Which paths may be written." }
      ),
      failures: optional(asWritten({ type: ["object", "null"], additionalProperties: failures }), {
        title: "Failures",
        description:
          "By phase, by READY for all phases whose name begins with it, or by common: the project's own sentences by failure key."
      }),
      common_failures: optional(asWritten(failures), {
        title: "Common failures",
        description: "The same as `failures.common`."
      }),
      instructions: optional(asWritten(instructions), {
        title: "Instructions",
        description:
          "By key: the project's own sentences for what an agent is told to do next where its phase does not say it, why calls are refused (the code, and what to do under the same key and `_next`), and warnings."
      })
    },
    "a mapping of sections",
    { owner: () => null, synonyms: { failures: ["failure"] } }
  ).annotate({
    title: "Proofline phase contract",
    description:
      "phase_contract.yml: what an agent must hand in, phase by phase, and what follows from it. Every key is optional. Phases of the extended contract may also stand at the top of the file. Editors read the notation of a payload as YAML, so put one that holds a colon or a bracket in quotes; Proofline itself reads it without.",
    examples: [
      {
        phases: {
          READY_PLAN: {
            expected_payload: { tasks: "list[{id, description, status, checklist: list[{item, status}]}]" },
            instruction: "Create a task list and submit it."
          }
        },
        limits: { task_failures: 5 },
        failures: {
          READY: {
            checklist_reason_required: {
              error: "payload_mismatch",
              message: "Say why '{item}' is skipped, in 10 characters or more."
            }
          }
        }
      },
      {
        extends: "none",
        name: "small",
        start: "FIX",
        phases: {
          FIX: {
            expected_payload: { summary: "str" },
            instruction: "Repair it and say what you did.",
            writes: true,
            not_empty: ["summary"],
            next: "CHECK"
          },
          CHECK: {
            kind: "verify",
            instruction: "Submit to run the checks.",
            checks: ["npm test"],
            transitions: [{ to: "DONE", when: { outcome: "passed" } }, "FIX"]
          },
          DONE: { kind: "end" }
        }
      }
    ]
  })

/** What is published. */
export const ContractFile = contractFile(["default", "full"])
export type ContractFile = typeof ContractFile.Type
export type PhaseFile = typeof PhaseFile.Type
export type TransitionPart = typeof TransitionPart.Type
export type ConditionPart = typeof ConditionPart.Type
