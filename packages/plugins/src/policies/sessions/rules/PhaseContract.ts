import { Schema } from "effect"

/**
 * A phase contract as data: what an agent must hand in, phase by phase, and what follows from it. One machine runs every
 * contract; it is recorded with the run, so that a replay needs no file.
 */

const Scalar = Schema.Union([Schema.String, Schema.Finite, Schema.Boolean])
export type Scalar = typeof Scalar.Type

/** When a transition is taken. Everything it names must hold; one that names nothing always holds. */
export const Condition = Schema.Struct({
  /** By field of the payload: it equals the value, or one of the values. */
  payload: Schema.optionalKey(Schema.Record(Schema.String, Schema.Union([Scalar, Schema.Array(Scalar)]))),
  /** Fields of the payload, each absent, null, or an empty list, mapping or text. */
  empty: Schema.optionalKey(Schema.Array(Schema.String)),
  /** Fields of the payload, none of them empty in this sense. */
  filled: Schema.optionalKey(Schema.Array(Schema.String)),
  /** At least one of these flags is set. */
  flags: Schema.optionalKey(Schema.Array(Schema.String)),
  /** The intent of the session is one of these. */
  intent: Schema.optionalKey(Schema.Array(Schema.String)),
  /** The gate level of the session is one of these. */
  gate: Schema.optionalKey(Schema.Array(Schema.String)),
  /** How the commands of the phase ended. */
  outcome: Schema.optionalKey(Schema.Literals(["passed", "failed"])),
  /** `none`: no task is registered; `open`: one is not over; `done`: there are some and all are over. */
  tasks: Schema.optionalKey(Schema.Literals(["none", "open", "done"])),
  /** At least one of these counters has come to its limit. */
  reached: Schema.optionalKey(Schema.Array(Schema.String))
})
export type Condition = typeof Condition.Type

/** The first transition of a phase whose `when` holds and whose `unless` does not is taken. */
export const Transition = Schema.Struct({
  to: Schema.String,
  when: Schema.optionalKey(Condition),
  unless: Schema.optionalKey(Condition),
  /** A counter that goes up by one when it is taken. */
  count: Schema.optionalKey(Schema.String),
  /** Counters that go back to 0 when it is taken. */
  reset: Schema.optionalKey(Schema.Array(Schema.String))
})
export type Transition = typeof Transition.Type

/**
 * What a phase does beside taking a payload:
 * - `submit`: nothing more
 * - `plan`: registers the tasks of its payload
 * - `tasks`: takes the report of one task after the other, and is left when none is open
 * - `complete`: is refused while no task is registered or one is open
 * - `verify`: runs its own `checks`, or the project's verifiers where it has none, before it is left
 * - `person`: waits for the answer of a person; an agent cannot submit it
 * - `end`: the end of the run
 * - `stop`: the end of a run that is given up: it is not completed, whatever was shown
 */
export const PhaseKind = Schema.Literals(["submit", "plan", "tasks", "complete", "verify", "person", "end", "stop"])
export type PhaseKind = typeof PhaseKind.Type

export const Phase = Schema.Struct({
  kind: PhaseKind,
  /** By field name, `?` behind it when it may be left out: its notation, e.g. `list[{item, status, evidence?}]`. */
  expected_payload: Schema.Record(Schema.String, Schema.String),
  instruction: Schema.String,
  /** Fields of the payload that must not be empty. */
  not_empty: Schema.Array(Schema.String),
  /** By field: the fewest characters its text must have, blanks at the ends not counted. */
  min_chars: Schema.Record(Schema.String, Schema.Int),
  /** Files may be written in this phase. */
  writes: Schema.Boolean,
  /** Fields of the payload that name files which were looked at. */
  explores: Schema.Array(Schema.String),
  /** Phases whose payloads are taken here too, told apart by their fields; they are handled as if it were them. */
  also: Schema.Array(Schema.String),
  /** Shell commands, all of which must exit 0 before a `verify` phase has passed; none: the project's verifiers. */
  checks: Schema.Array(Schema.String),
  transitions: Schema.Array(Transition)
})
export type Phase = typeof Phase.Type

/** What a phase is where nothing is said of it. */
export const emptyPhase: Phase = {
  kind: "submit",
  expected_payload: {},
  instruction: "",
  not_empty: [],
  min_chars: {},
  writes: false,
  explores: [],
  also: [],
  checks: [],
  transitions: []
}

/** A refusal as the project words it. */
export const FailureText = Schema.Struct({ error: Schema.String, message: Schema.String })

export const PhaseContract = Schema.Struct({
  name: Schema.String,
  /** The phase a run begins in: the first transition that holds. */
  start: Schema.Array(Transition),
  phases: Schema.Record(Schema.String, Phase),
  /** By counter: the count at which `reached` holds. `task_failures` is the highest count of failed verifications of a task. */
  limits: Schema.Record(Schema.String, Schema.Int),
  /** Flags a person may set, each with what it does. */
  flags: Schema.Record(Schema.String, Schema.String),
  /** What may be intended; the first is the default. Empty: nobody asks. */
  intents: Schema.Array(Schema.String),
  /** Which paths may be written. */
  write_targets: Schema.Struct({
    /** Existing files: `any` inside the project, or only those `explored` or named in the plan. */
    existing: Schema.Literals(["any", "explored"]),
    /** New files: `any`; those named in the plan or in a folder that holds an `explored` file; or `none`. */
    fresh: Schema.Literals(["any", "explored", "none"]),
    /** A file that is cited as evidence must have been asked for first. */
    required: Schema.Boolean
  }),
  /** By phase, or by `READY` for all phases that begin with it, or by `common`: the project's own sentences by failure key. */
  failures: Schema.Record(Schema.String, Schema.Record(Schema.String, FailureText)),
  /** By key of `instructionTexts`: the project's own sentences for what to do next. */
  instructions: Schema.optionalKey(Schema.Record(Schema.String, Schema.String))
})
export type PhaseContract = typeof PhaseContract.Type

/** How a session run is set up by a person; recorded with it. */
export const SessionRunSetup = Schema.Struct({
  contract: PhaseContract,
  intent: Schema.String,
  gate: Schema.Literals(["auto", "full"]),
  flags: Schema.Array(Schema.String),
  /** Shell commands that verify the whole of the work, all of which must exit 0. */
  verifiers: Schema.Array(Schema.String),
  /** Names of checks that agents do not see: they verify the whole too, whatever a phase names itself. Left out: none. */
  escrowed: Schema.optionalKey(Schema.Array(Schema.String)),
  /** The first 2,000 characters of task_planning.md; empty: there is none. */
  planning_guide: Schema.String
})
export type SessionRunSetup = typeof SessionRunSetup.Type
