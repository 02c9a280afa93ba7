/** The version of this package; the build checks that it is the one in package.json. */
export const version = "1.0.0-rc.1"

/** What `--version` prints. */
export const versionText = `proofline v${version}`
