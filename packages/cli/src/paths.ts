import * as Path from "node:path"

export interface ProjectPaths {
  /** Project directory. */
  readonly root: string
  /** Event log, blobs and temporary files. */
  readonly state: string
  readonly database: string
  readonly blobs: string
}

/** Where things are; `--state` names another state directory than the project's own. */
export const projectPaths = (cwd: string, state?: string): ProjectPaths => {
  const root = Path.resolve(cwd)
  const dir = state === undefined ? Path.join(root, ".proofline", "state") : Path.resolve(state)
  return { root, state: dir, database: Path.join(dir, "proofline.db"), blobs: Path.join(dir, "blobs") }
}
