/** What to do when a command has ended for want of its storage, and that is there again. */
export const goOn =
  "A run that has begun goes on with `proofline resume`; only a command that began none is called again."

/** The same of a storage that workers share, who wait for it. */
export const goOnShared =
  "A run that has begun goes on by itself as long as a worker takes its work, and with `proofline resume` where none does; a command that began none is called again."
