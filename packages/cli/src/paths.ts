import * as Path from "node:path"

export interface ProjectPaths {
  /** Project directory. */
  readonly root: string
  /** Event log, blobs and temporary files. */
  readonly state: string
  readonly database: string
  readonly blobs: string
  /** Heads of ended runs where there is no repository: beside the state, so that whoever clears it leaves them. */
  readonly heads: string
}

/** Where things are; `--state` names another state directory than the project's own. */
export const projectPaths = (cwd: string, state?: string): ProjectPaths => {
  const root = Path.resolve(cwd)
  const own = Path.join(root, ".proofline", "state")
  const dir = state === undefined ? own : Path.resolve(state)
  return {
    root,
    state: dir,
    database: Path.join(dir, "proofline.db"),
    blobs: Path.join(dir, "blobs"),
    heads: dir === own ? Path.join(root, ".proofline", "heads") : `${dir}-heads`
  }
}
