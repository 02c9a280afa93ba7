/** The version of this package; the build checks that it is the one in package.json. */
export const version = "0.1.0"

/** What `--version` prints. */
export const versionText = `proofline v${version}`
