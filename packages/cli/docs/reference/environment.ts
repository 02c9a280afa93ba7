import { variables } from "../../src/base/variables.ts"
import type { Source } from "./eventTypes.ts"
import { code, type Page, page, table } from "./markdown.ts"

type Row = readonly [name: string, about: string]

const ours = (by: (typeof variables)[number]["by"]): ReadonlyArray<Row> =>
  variables.filter((one) => one.by === by).map(({ about, name }) => [name, about])

/** What is read from the environment, by what it is for. */
const groups: ReadonlyArray<readonly [title: string, intro: string, rows: ReadonlyArray<Row>]> = [
  [
    "What you may set",
    "",
    [
      ...ours("you"),
      ["DATABASE_URL", "The same for `cluster up`, where `PROOFLINE_DATABASE_URL` is not set"],
      [
        "XDG_CACHE_HOME",
        "Where Node keeps the compiled code of Proofline, in `proofline`; `~/.cache` when unset. `NODE_DISABLE_COMPILE_CACHE=1` does without"
      ],
      ["XDG_CONFIG_HOME", "Where `proofline/trusted.keys` is; `~/.config` when unset"],
      [
        "XDG_STATE_HOME",
        "Where the place of escrowed checks is kept for `resume`, and which projects were used, in `proofline`; `~/.local/state` when unset"
      ],
      ["NO_COLOR", "Any text: no colours"],
      ["TERM", "`dumb`: no colours, and nothing is drawn anew in place"],
      ["CI", "Any text: nothing is drawn anew in place, and no browser is waited for"],
      ["PATH", "Where agents, git and Postgres are looked for"]
    ]
  ],
  [
    "Stores and telemetry",
    "The standard names of others.",
    [
      ["AWS_ACCESS_KEY_ID", "Keys of [blobs in S3](../blobs.md#s3)"],
      ["AWS_SECRET_ACCESS_KEY", "likewise"],
      ["AWS_SESSION_TOKEN", "likewise"],
      ["AWS_REGION", "Region of the bucket, where its address names none"],
      ["AWS_DEFAULT_REGION", "likewise"],
      ["AWS_ENDPOINT_URL_S3", "A store that speaks like S3"],
      ["AWS_ENDPOINT_URL", "likewise"],
      [
        "OTEL_SDK_DISABLED",
        "`true`: nothing is sent. All other variables of OpenTelemetry that are read are listed in [traces and metrics](../telemetry.md)"
      ],
      ["OTEL_EXPORTER_OTLP_ENDPOINT", "Where traces and metrics go"],
      ["OTEL_EXPORTER_OTLP_PROTOCOL", "`http/protobuf` or `http/json`"],
      ["TRACEPARENT", "The span of whoever started the command"]
    ]
  ],
  [
    "What agents and commands are given",
    "[The contract with agents](../agents.md#any-command-is-an-agent) says more.",
    ours("Proofline")
  ],
  [
    "Of others",
    "What Proofline reads because a client or a CI sets it.",
    [
      ["CLAUDE_PROJECT_DIR", "The project, for the [Stop hook](../mcp.md#claude-codes-stop-hook)"],
      [
        "GEMINI_CLI_HOME",
        "Where Gemini CLI keeps its settings; [a copy of them](../agents/gemini-cli.md#its-server) names our server"
      ],
      ["GEMINI_CLI_SYSTEM_SETTINGS_PATH", "likewise"],
      ["GEMINI_CLI_SYSTEM_DEFAULTS_PATH", "likewise"],
      ["GEMINI_SANDBOX", "Whether Gemini CLI works in a sandbox"],
      ["SANDBOX", "likewise"],
      ["GITHUB_ACTIONS", "`ci` annotates lines"],
      ["GITHUB_STEP_SUMMARY", "Where `ci` writes its summary"],
      ["GITHUB_EVENT_PATH", "[What is looked at](../ci.md#what-is-looked-at) by `ci`"],
      ["GITHUB_BASE_REF", "likewise"],
      ["GITHUB_SHA", "likewise"],
      ["CI_MERGE_REQUEST_DIFF_BASE_SHA", "likewise, in GitLab"],
      ["CI_MERGE_REQUEST_SOURCE_BRANCH_SHA", "likewise, in GitLab"],
      ["CI_COMMIT_BEFORE_SHA", "likewise, in GitLab"],
      ["CI_COMMIT_SHA", "likewise, in GitLab"]
    ]
  ]
]

export const knownVariables: ReadonlyArray<string> = groups.flatMap(([, , rows]) => rows.map(([name]) => name))

/** Names of the environment that the sources read, or give to what they start. */
export const variablesIn = (sources: ReadonlyArray<Source>): ReadonlyArray<string> => [
  ...new Set(
    sources.flatMap(({ text }) => [
      ...[...text.matchAll(/\benv(?:\(\))?\??\.?\[?"?\b([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*)\b/g)].map(
        ([, name = ""]) => name
      ),
      ...[...text.matchAll(/\b(PROOFLINE_[A-Z_]+[A-Z])\b/g)].map(([, name = ""]) => name)
    ])
  )
]

/** Every variable of the environment, from the list above, which a test holds against the code. */
export const environmentPage = (): Page =>
  page("environment", "Environment variables", [
    "A flag wins over a variable. Agents are started with the environment of Proofline, less what is not theirs: the operator's token, the URL of the database, and where escrowed checks are.",
    ...groups.flatMap(([title, intro, rows]) => [
      `## ${title}`,
      intro,
      table(
        ["variable", ""],
        rows.map(([name, about]) => [code(name), about])
      )
    ])
  ])
