/** What to do when a command has ended for want of its storage, and that is there again. */
export const goOn =
  "A run that has begun goes on with `proofline resume`; only a command that began none is called again."
