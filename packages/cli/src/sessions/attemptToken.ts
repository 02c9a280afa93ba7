/** The token of the attempt in which this process was started; null: it was started by a person or their client. */
export const attemptToken = (): string | null => {
  const token = process.env["PROOFLINE_TOKEN"]
  return token?.startsWith("att_") === true ? token : null
}
