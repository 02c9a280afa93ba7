/** The release whose golden logs may be written anew, until it is published; the folders of all others are closed. */
export const release = "1.0.0-rc.1"

/** UPDATE_GOLDEN=1 writes the folders of that release, and nothing else ever does. */
export const isUpdating = process.env["UPDATE_GOLDEN"] === "1"
