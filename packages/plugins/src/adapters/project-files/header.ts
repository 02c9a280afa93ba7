import { number, optional, refined, text } from "./shape.ts"

const knownVersion = 1

/** Keys that every file of ours may have: the version of its format, and where an editor finds its schema. */
export const headerFields = {
  $schema: optional(text("the address of a JSON Schema")),
  schema_version: optional(
    refined(number({ whole: true, min: 1, max: 1_000_000 }), (version) =>
      version === knownVersion
        ? undefined
        : {
            code: "schema_version_unknown",
            message: `the file is written for version ${version} of its format, which is not known here.`,
            hint: `Write ${knownVersion}, or install a newer Proofline.`
          }
    )
  )
}
