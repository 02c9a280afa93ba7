import { nameOf, ownRefs } from "../../git/runRefs.ts"

export { nameOf } from "../../git/runRefs.ts"

/** Refs of a parent task: start and result of each subtask. */
export const refsOf = (run: string, parent: string) => {
  const folder = `${ownRefs}${nameOf(run)}/${nameOf(parent)}`
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
export const runRefs = (run: string): string => `${ownRefs}${nameOf(run)}/`
