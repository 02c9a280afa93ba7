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

/** Our environment for a git that looks at the repository of its directory, asks nobody and writes no index. */
export const gitEnvironment = (): NodeJS.ProcessEnv => ({
  ...process.env,
  ...Object.fromEntries(leadingVariables.map((name) => [name, undefined])),
  LC_ALL: "C",
  // the index is the user's: no refresh of it is written
  GIT_OPTIONAL_LOCKS: "0",
  GIT_TERMINAL_PROMPT: "0"
})

/** The same for a git that reads objects: each is what its id says, and what is not there is not fetched. */
export const readingEnvironment = (): NodeJS.ProcessEnv => ({
  ...gitEnvironment(),
  GIT_NO_REPLACE_OBJECTS: "1",
  GIT_NO_LAZY_FETCH: "1",
  GIT_ALLOW_PROTOCOL: "none"
})
