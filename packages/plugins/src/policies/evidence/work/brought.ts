/** Why what differs shows nothing: it came with a commit that was there before the run. */
export const cameWith = (commit: string): string =>
  `What differs here came with the commit ${commit.slice(0, 12)}, which was there before the run began: what another branch had already is no work of this run. Cite what was written for this item.`
