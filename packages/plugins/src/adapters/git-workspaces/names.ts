import { createHash } from "node:crypto"

/** Names that we give to other things beside those of tasks. */
const reserved: ReadonlySet<string> = new Set(["base", "project"])

/**
 * An id as the name of a file and of a part of a ref: the id itself where it is plain, otherwise its letters and a
 * digest. Two ids never give the same name, also where upper and lower case are not told apart.
 */
export const nameOf = (id: string): string =>
  /^[a-z0-9][a-z0-9_-]{0,63}$/.test(id) && !reserved.has(id)
    ? id
    : `${id
        .toLowerCase()
        .replaceAll(/[^a-z0-9_-]/g, "_")
        .slice(0, 32)}.${createHash("sha256").update(id).digest("hex").slice(0, 32)}`

/** Refs of a parent task: start and result of each subtask. */
export const refsOf = (run: string, parent: string) => {
  const folder = `refs/proofline/${nameOf(run)}/${nameOf(parent)}`
  return {
    folder,
    /** The project as it was when the first subtask was opened. */
    base: `${folder}/base`,
    start: (task: string) => `${folder}/${nameOf(task)}.start`,
    kept: (task: string) => `${folder}/${nameOf(task)}`,
    /** How a person brought a subtask together with those before it. */
    decided: (task: string) => `${folder}/${nameOf(task)}.decided`,
    /** What the project is to become: its tree; its parents: what the project was, and what the subtasks came to. */
    project: `${folder}/project`
  }
}

export type Refs = ReturnType<typeof refsOf>

/** Where git keeps what belongs to a run. */
export const runRefs = (run: string): string => `refs/proofline/${nameOf(run)}/`
