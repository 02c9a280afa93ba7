/** Files that are read, made and written, and the plan of a task. */
import {
  Count,
  Created,
  described,
  ExecutionMode,
  Problem,
  RunRow,
  SplitFinding,
  Text,
  WorkspaceKind
} from "@proofline/kernel"
import { Schema, Struct } from "effect"
import { aProblem, document } from "../base/Document.ts"

export const initDocument = document({
  name: "init",
  kinds: ["init"],
  title: "Output of init",
  description: "What `proofline init --json` prints.",
  data: Schema.Struct({
    files: Schema.Array(
      Schema.Struct({
        path: described("Relative to the project, `/` separated.", Text),
        action: described("`kept`: it was there already and was not touched.", Schema.Literals(["created", "kept"]))
      })
    ),
    agent_files: described(
      "Files in which agents look, with lines that Proofline writes into them where that is agreed to.",
      Schema.Array(
        Schema.Struct({
          path: described("Relative to the project, `/` separated.", Text),
          action: described("What is to be done.", Schema.Literals(["create", "change", "remove", "unchanged"])),
          written: described("Whether it was done: with --yes, or by a yes.", Schema.Boolean)
        })
      )
    ),
    found: described(
      "What was found out of the project and this machine; a proofline.yaml that is created names it.",
      Schema.Struct({
        agents: described(
          "Known agents whose program is on PATH, the first of which `agent: auto` takes.",
          Schema.Array(Text)
        ),
        tests: described(
          "Commands that run the tests of the project.",
          Schema.Array(
            Schema.Struct({
              command: Text,
              from: described("The file that says so, relative to the project, `/` separated.", Text)
            })
          )
        )
      })
    )
  }),
  examples: [
    {
      files: [
        { path: "proofline.yaml", action: "created" },
        { path: "tasks.yaml", action: "kept" }
      ],
      agent_files: [{ path: "AGENTS.md", action: "create", written: true }],
      found: { agents: ["claude"], tests: [{ command: "npm test", from: "package.json" }] }
    }
  ]
})

export const schemasDocument = document({
  name: "schemas",
  kinds: ["schemas"],
  title: "Output of schema list",
  description: "What `proofline schema list --json` prints.",
  data: Schema.Struct({
    schemas: Schema.Array(
      Schema.Struct({
        name: described("What `schema print` takes.", Text),
        file: described("Where it lies in the installed package, as an absolute path.", Text),
        description: Text
      })
    )
  }),
  examples: [
    {
      schemas: [
        {
          name: "tasks",
          file: "/project/node_modules/proofline/schema/tasks.schema.json",
          description: "Tasks for coding agents."
        }
      ]
    }
  ]
})

export const configDocument = document({
  name: "config",
  kinds: ["config"],
  title: "Output of config show",
  description: "What `proofline config show --json` prints.",
  data: Schema.Struct({
    settings: Schema.Array(
      Schema.Struct({
        key: described(
          "As proofline.yaml has it, its parts with `.` between them, or `state`, `database_url`, `blobs`.",
          Text
        ),
        value: Schema.Unknown,
        origin: described(
          "Where it is said.",
          Schema.Struct({
            kind: Schema.Literals(["default", "file", "environment", "flag"]),
            file: described("Relative to the project; null: it stands in no file.", Schema.NullOr(Text)),
            line: described("From 1; null: it stands in no file.", Schema.NullOr(Count))
          })
        )
      })
    )
  }),
  examples: [
    { settings: [{ key: "workers", value: 3, origin: { kind: "default", file: null, line: null } }] },
    { settings: [{ key: "agent", value: "claude", origin: { kind: "file", file: "proofline.yaml", line: 4 } }] }
  ]
})

export const validateDocument = document({
  name: "validate",
  kinds: ["validate"],
  title: "Output of validate",
  description: "What `proofline validate FILE --json` prints.",
  data: Schema.Struct({
    file: Text,
    tasks: described("How many tasks the file holds; 0 when there are problems.", Count),
    requirements: described("How many requirements the file holds; 0 when there are problems.", Count),
    problems: Schema.Array(Problem),
    warnings: Schema.Array(Problem)
  }),
  examples: [
    { file: "tasks.yaml", tasks: 2, requirements: 0, problems: [], warnings: [] },
    {
      file: "tasks.yaml",
      tasks: 0,
      requirements: 0,
      problems: [aProblem],
      warnings: []
    }
  ]
})

export const historyExportDocument = document({
  name: "history-export",
  kinds: ["history-export"],
  title: "Output of history export",
  description: "What `proofline history export --json` prints.",
  data: Schema.Struct({
    dir: described("Absolute path of the directory.", Text),
    files: described(
      "Oldest run first.",
      Schema.Array(
        Schema.Struct({
          history_id: described("Name of the file without its extension.", Text),
          run_id: Text,
          kind: RunRow.fields.kind,
          path: described("In the directory, `/` separated.", Text)
        })
      )
    ),
    left_out: described(
      "Runs that could not be read, and of which no file was written.",
      Schema.Array(Schema.Struct({ run_id: Text, code: Text, message: Text }))
    )
  }),
  examples: [
    {
      dir: "/project/.task-orchestrator-history",
      files: [
        {
          history_id: "login-requirements_20260101_110000",
          run_id: "run_02",
          kind: "requirements",
          path: "loopb/login-requirements_20260101_110000.json"
        }
      ],
      left_out: []
    }
  ]
})

const PlannedSubtask = Schema.Struct({
  ...Created.mapFields(
    Struct.pick([
      "subtask_id",
      "title",
      "prompt",
      "dependencies",
      "execution_order",
      "acceptance_criteria",
      "checklist",
      "paths"
    ])
  ).fields,
  dependencies: described("Ids of the subtasks that it builds on.", Created.fields.dependencies),
  acceptance_criteria: described("Each can be checked by itself.", Created.fields.acceptance_criteria),
  checklist: described(
    "What it must show by evidence: its part of the task's checklist, first of all.",
    Created.fields.checklist
  ),
  paths: described("Files named for it.", Created.fields.paths)
}).annotate({ identifier: "PlannedSubtask" })
export type PlannedSubtask = typeof PlannedSubtask.Type

export const planDocument = document({
  name: "chunk",
  kinds: ["chunk"],
  title: "Output of chunk --plan",
  description:
    "What `proofline chunk PROMPT --plan --json` prints: how the task would be split. Without `--plan` it prints what `run` does.",
  data: Schema.Struct({
    decomposable: described("False: it would be run in one piece.", Schema.Boolean),
    reason: described("Why it would be split, or why not.", Text),
    chunking_skipped: Schema.optionalKey(Schema.Literal(true)),
    skipped_because: Schema.optionalKey(
      described(
        "Why not, as a code: `not_decomposable`, `too_few_subtasks`, `too_many_subtasks`, `plan_invalid`, `analysis_failed`, `analysis_invalid`, `disabled`, `auto_detect_off`, or one of a plugin's.",
        Text
      )
    ),
    analyzer: described("Who planned it; null: nobody came to a plan.", Schema.NullOr(Text)),
    execution_mode: Schema.NullOr(ExecutionMode),
    workspace: described(
      "Where the parts would work: all in the project, or each in a git worktree of its own; null: it is not split.",
      Schema.NullOr(WorkspaceKind)
    ),
    criteria: described("What speaks for splitting it.", Schema.Array(SplitFinding)),
    warnings: Schema.optionalKey(described("Why the agent could not plan, and the rules did.", Schema.Array(Text))),
    subtasks: Schema.Array(PlannedSubtask)
  }),
  examples: [
    {
      decomposable: true,
      reason: "The task names 2 parts: explicit enumeration.",
      analyzer: "heuristic",
      execution_mode: "parallel",
      workspace: "worktree",
      criteria: [{ criterion: "explicit_enumeration", met: true, words: ["login", "logout"] }],
      subtasks: [
        {
          subtask_id: "task-001-sub-1",
          title: "Create login",
          prompt: "Create login",
          dependencies: [],
          execution_order: 1,
          acceptance_criteria: ["Done: Create login"],
          checklist: [],
          paths: []
        }
      ]
    },
    {
      decomposable: false,
      reason: "Nothing in the task names parts.",
      chunking_skipped: true,
      skipped_because: "not_decomposable",
      analyzer: "heuristic",
      execution_mode: null,
      workspace: null,
      criteria: [],
      subtasks: []
    }
  ]
})
