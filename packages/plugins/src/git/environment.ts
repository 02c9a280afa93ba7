/**
 * Variables that lead git to another repository than that of its directory. Hooks of git have them set for what they
 * run, Proofline among it.
 */
export const leadingVariables: ReadonlyArray<string> = [
  "GIT_ALTERNATE_OBJECT_DIRECTORIES",
  "GIT_COMMON_DIR",
  "GIT_DIR",
  "GIT_INDEX_FILE",
  "GIT_NAMESPACE",
  "GIT_OBJECT_DIRECTORY",
  "GIT_PREFIX",
  "GIT_WORK_TREE"
]

/** Settings of somebody else's command, and what git would run or read beside the repository. */
const strangeVariables: ReadonlyArray<string> = [
  "GIT_CONFIG_PARAMETERS",
  "GIT_EXTERNAL_DIFF",
  "GIT_GRAFT_FILE",
  "GIT_QUARANTINE_PATH",
  "GIT_REPLACE_REF_BASE",
  "GIT_SHALLOW_FILE",
  // none of them goes together with literal paths
  "GIT_GLOB_PATHSPECS",
  "GIT_ICASE_PATHSPECS",
  "GIT_NOGLOB_PATHSPECS"
]

/**
 * Our environment for a git that looks at the repository of its directory, asks nobody, takes every path as it is
 * written and every object as what its id says, and writes no index that is not ours.
 */
export const gitEnvironment = (): NodeJS.ProcessEnv => ({
  ...process.env,
  ...Object.fromEntries([...leadingVariables, ...strangeVariables].map((name) => [name, undefined])),
  ...trusted(process.env),
  ...identity,
  LC_ALL: "C",
  // the index is the user's: no refresh of it is written
  GIT_OPTIONAL_LOCKS: "0",
  GIT_LITERAL_PATHSPECS: "1",
  GIT_NO_REPLACE_OBJECTS: "1",
  GIT_TERMINAL_PROMPT: "0",
  GIT_ASKPASS: "",
  GIT_EDITOR: ":",
  GIT_PAGER: "cat"
})

/** Commits are Proofline's, not the user's. */
const identity = {
  GIT_AUTHOR_NAME: "Proofline",
  GIT_AUTHOR_EMAIL: "proofline@localhost",
  GIT_COMMITTER_NAME: "Proofline",
  GIT_COMMITTER_EMAIL: "proofline@localhost"
}

/** As the user's own commits are told whose they are: by variables of theirs, else by the configuration. */
export const ofUser = (): Readonly<Record<string, string | undefined>> =>
  Object.fromEntries(Object.keys(identity).map((name) => [name, process.env[name]]))

/** What is not in the repository is not fetched. */
export const withoutNetwork = { GIT_NO_LAZY_FETCH: "1", GIT_ALLOW_PROTOCOL: "none" }

/** Of the settings in the environment those that only say whom the user trusts. */
const trusted = (environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv => {
  const count = Number(environment["GIT_CONFIG_COUNT"] ?? 0)
  const directories = Array.from({ length: count }, (_, i) =>
    environment[`GIT_CONFIG_KEY_${i}`]?.toLowerCase() === "safe.directory" ? environment[`GIT_CONFIG_VALUE_${i}`] : null
  ).filter((directory) => typeof directory === "string")
  return {
    GIT_CONFIG_COUNT: directories.length === 0 ? undefined : String(directories.length),
    ...Object.fromEntries(
      directories.flatMap((directory, i) => [
        [`GIT_CONFIG_KEY_${i}`, "safe.directory"],
        [`GIT_CONFIG_VALUE_${i}`, directory]
      ])
    )
  }
}
