/** How a run is shown. */
export const showFormats = ["text", "markdown", "html", "json"] as const
export const auditFormats = ["text", "json", "sarif", "markdown"] as const
export const ciFormats = ["text", "json", "sarif"] as const
export const reportFormats = ["terminal", "markdown", "json", "html"] as const
/** What must be there of the receipts of a change. */
export const ciRequirements = ["receipts", "files"] as const
/** Whether receipts that no trusted key signed are refused. */
export const signatureChoices = ["required", "optional"] as const
export type SignatureChoice = (typeof signatureChoices)[number]
/** The files there are samples of. */
export const sampleKinds = ["requirements", "tasks"] as const
