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
        .slice(0, 32)}.${digestOf(id).slice(0, 32)}`

/** Ids of runs are plain: whoever only asks for those does not load it. */
const digestOf = (id: string): string => process.getBuiltinModule("node:crypto").hash("sha256", id)

/** All refs of Proofline lie below. */
export const ownRefs = "refs/proofline/"

/** The trees of a run, from the newest on. */
export const treesRef = (run: string): string => `${ownRefs}_trees/${nameOf(run)}`

/**
 * The head of a run: a ref of its own; and beside those of its worktrees, for git has no ref where it has a folder. No
 * name of a task begins so and has no dot.
 */
export const headRefs = (run: string): readonly [alone: string, beside: string] => {
  const alone = `${ownRefs}${nameOf(run)}`
  return [alone, besideOf(alone)]
}

export const besideOf = (alone: string): string => `${alone}/_head`

/** Receipts that were attached, one ref a run. No run is called so: their ids have a date. */
export const receiptsRefs = `${ownRefs}receipts/`

export const receiptsRef = (run: string): string => `${receiptsRefs}${nameOf(run)}`

/** Notes of commits: the receipts of the runs that were attached to each. */
export const notesRef = "refs/notes/proofline"
