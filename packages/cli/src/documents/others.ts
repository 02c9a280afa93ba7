/** Plugins, operations and servers. */
import { described, Problem, Text } from "@proofline/kernel"
import { Schema } from "effect"
import { document } from "../base/Document.ts"
import { clientNames } from "../clients/table.ts"

export const pluginsDocument = document({
  name: "plugins",
  kinds: ["plugins"],
  title: "Output of plugins check",
  description: "What `proofline plugins check --json` prints.",
  data: Schema.Struct({
    plugins: Schema.Array(Schema.Struct({ name: Text, version: Text })),
    problems: Schema.Array(Problem)
  }),
  examples: [{ plugins: [{ name: "evidence", version: "1" }], problems: [] }]
})

export const callDocument = document({
  name: "call",
  kinds: ["call"],
  title: "Output of call",
  description: "What `proofline call OPERATION --json` prints.",
  data: Schema.Struct({
    operation: Text,
    /** False: it was refused, and the answer says why. */
    ok: Schema.Boolean,
    answer: Schema.Record(Text, Schema.Unknown)
  }),
  examples: [{ operation: "get_my_task_progress", ok: true, answer: { tasks: [] } }]
})

export const mcpInstallDocument = document({
  name: "mcp-install",
  kinds: ["mcp-install"],
  title: "Output of mcp install",
  description: "What `proofline mcp install CLIENT --json` prints.",
  data: Schema.Struct({
    client: described("Whose files they are.", Schema.Literals(clientNames)),
    remove: described("It was called with `--remove`.", Schema.Boolean),
    action: described(
      "`planned`: nothing was written, for nobody agreed; `unchanged`: nothing is to be done.",
      Schema.Literals(["planned", "written", "unchanged"])
    ),
    files: Schema.Array(
      Schema.Struct({
        path: described("Relative to the project, `/` separated.", Text),
        action: Schema.Literals(["create", "change", "remove", "unchanged"]),
        diff: described("Unified; empty where nothing changes.", Text)
      })
    )
  }),
  examples: [
    {
      client: "codex",
      remove: false,
      action: "planned",
      files: [
        { path: ".codex/config.toml", action: "unchanged", diff: "" },
        {
          path: "AGENTS.md",
          action: "create",
          diff: "--- /dev/null\n+++ b/AGENTS.md\n@@ -0,0 +1,1 @@\n+Work with Proofline.\n"
        }
      ]
    }
  ]
})

const alone = described("Left out where several projects are served: each has its own.", Schema.optionalKey(Text))

export const serveDocument = document({
  name: "serve",
  kinds: ["serve"],
  title: "Output of serve",
  description: "What `proofline serve --json` prints, on one line, once it can be asked.",
  data: Schema.Struct({
    url: described("Without a final `/`.", Text),
    mcp: alone,
    api: alone,
    openapi: alone,
    page: described("It takes the token from the fragment, which is there unless you gave the token.", Text),
    token: described("Whoever has it may do all that you may.", Text),
    projects: described(
      "Those that `--project` and `--recent` name; left out without these.",
      Schema.optionalKey(
        Schema.Array(
          Schema.Struct({
            id: Text,
            name: Text,
            root: Text,
            mcp: Text,
            api: Text,
            openapi: Text,
            problems: described(
              "Why it cannot be served now; left out: it is.",
              Schema.optionalKey(Schema.Array(Problem))
            )
          })
        )
      )
    )
  }),
  examples: [
    {
      url: "http://127.0.0.1:4600",
      mcp: "http://127.0.0.1:4600/mcp",
      api: "http://127.0.0.1:4600/api/v1",
      openapi: "http://127.0.0.1:4600/openapi.json",
      page: "http://127.0.0.1:4600/#token=4f1c",
      token: "4f1c"
    },
    {
      url: "http://127.0.0.1:4600",
      page: "http://127.0.0.1:4600/#token=4f1c",
      token: "4f1c",
      projects: [
        {
          id: "web-5c1d9e02",
          name: "web",
          root: "/home/me/web",
          mcp: "http://127.0.0.1:4600/projects/web-5c1d9e02/mcp",
          api: "http://127.0.0.1:4600/projects/web-5c1d9e02/api/v1",
          openapi: "http://127.0.0.1:4600/projects/web-5c1d9e02/openapi.json"
        }
      ]
    }
  ]
})

export const docsDocument = document({
  name: "docs",
  kinds: ["docs"],
  title: "Output of docs",
  description: "What `proofline docs --json` prints, on one line, once the pages can be read; with a topic its text.",
  data: Schema.Struct({
    url: described("Where the first page is; null with a topic, which is printed and not served.", Schema.NullOr(Text)),
    topics: described(
      "Every page, or the one that was asked for.",
      Schema.Array(Schema.Struct({ name: described("As `proofline docs NAME` takes it.", Text), title: Text }))
    ),
    text: described("Of the topic; null without one.", Schema.NullOr(Text))
  }),
  examples: [
    { url: "http://127.0.0.1:4601/docs/", topics: [{ name: "evidence", title: "Evidence" }], text: null },
    { url: null, topics: [{ name: "evidence", title: "Evidence" }], text: "Evidence\n" }
  ]
})

export const primeDocument = document({
  name: "prime",
  kinds: ["prime"],
  title: "Output of prime",
  description: "What `proofline prime --json` prints.",
  data: Schema.Struct({
    project: described("The directory of the project; null: this is in none.", Schema.NullOr(Text)),
    run: described("The session run that goes on.", Schema.NullOr(Text)),
    text: described("What an agent has to know, and what is open now; empty where there is no project.", Text)
  }),
  examples: [
    {
      project: "/project",
      run: "run_20260101_100000_k3x9q2",
      text: "# Working under Proofline\n\nProofline says what to do next and accepts work only with proof.\n"
    }
  ]
})
