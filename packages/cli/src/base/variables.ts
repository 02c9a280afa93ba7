/** What every variable of ours begins with. */
export const prefix = "PROOFLINE_"

interface Variable {
  readonly name: `PROOFLINE_${string}`
  /** Who sets it: `itself` is between processes of Proofline. */
  readonly by: "you" | "Proofline" | "itself"
  /** For the reference of the documentation; links are from there. */
  readonly about: string
}

/** Every variable of ours that is read or set. */
export const variables: ReadonlyArray<Variable> = [
  {
    name: "PROOFLINE_DATABASE_URL",
    by: "you",
    about: "The Postgres that holds the log, or `file:PATH` of a file that holds its URL ([workers](../workers.md))"
  },
  { name: "PROOFLINE_BLOBS", by: "you", about: "Where outputs and other large data are kept ([blobs](../blobs.md))" },
  {
    name: "PROOFLINE_TOKEN",
    by: "you",
    about:
      "The operator's token of `serve`, 32 characters or more; for `call` that of a session ([MCP over HTTP](../mcp.md#over-http))"
  },
  {
    name: "PROOFLINE_CHECKS_FROM",
    by: "you",
    about: "The directory of [escrowed checks](../evidence.md#escrowed-checks)"
  },
  {
    name: "PROOFLINE_SIGNING_KEY",
    by: "you",
    about: "The key that signs receipts: its file, or the key itself ([export](../receipts.md#export))"
  },
  {
    name: "PROOFLINE_PUBLIC_KEY",
    by: "you",
    about:
      "The public keys that are believed: their file, or the keys themselves ([whose receipts](../ci.md#whose-receipts))"
  },
  {
    name: "PROOFLINE_NO_RECENT",
    by: "you",
    about:
      "Any text: it is not noted which projects are used, for `serve --recent` ([several projects](../http.md#several-projects))"
  },
  { name: "PROOFLINE_DEBUG", by: "you", about: "Any text: an internal error tells where it happened" },
  { name: "PROOFLINE_RUN_ID", by: "Proofline", about: "The run; commands of yours have it too" },
  { name: "PROOFLINE_TASK_ID", by: "Proofline", about: "The task; commands of yours have it too" },
  { name: "PROOFLINE_ATTEMPT", by: "Proofline", about: "Number of the attempt; commands of yours have it too" },
  { name: "PROOFLINE_ROLE", by: "Proofline", about: "`work`, `review`, `analyze`, `generate` or `verify`" },
  { name: "PROOFLINE_PROMPT", by: "Proofline", about: "The prompt, where the command of the agent has `{prompt}`" },
  { name: "PROOFLINE_PROMPT_FILE", by: "Proofline", about: "A file with the prompt" },
  { name: "PROOFLINE_REPORT_FILE", by: "Proofline", about: "Where the answer is expected" },
  { name: "PROOFLINE_USAGE_FILE", by: "Proofline", about: "Where the agent may say what it used" },
  { name: "PROOFLINE_ROOT", by: "Proofline", about: "The project, or the worktree of the subtask" },
  { name: "PROOFLINE_STATE", by: "Proofline", about: "The state directory of the run" },
  {
    name: "PROOFLINE_DATABASE_FILE",
    by: "Proofline",
    about: "Where workers share the log: the file in which its URL is"
  },
  {
    name: "PROOFLINE_COMMAND",
    by: "Proofline",
    about: "Another one at each start, by which what the agent has started is found"
  },
  {
    name: "PROOFLINE_CHECKS",
    by: "Proofline",
    about: "For escrowed checks alone: the private copy of their directory"
  },
  { name: "PROOFLINE_PHASE", by: "Proofline", about: "For the commands of a phase: which one" },
  { name: "PROOFLINE_BUNDLE", by: "itself", about: "What is built is known to be the newest" },
  { name: "PROOFLINE_BUNDLE_SEEN", by: "itself", about: "The same, of this command alone" }
]
