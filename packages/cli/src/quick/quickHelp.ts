import { readFileSync } from "node:fs"
import { versionText } from "../base/version.ts"
import { type HelpPage, helpFor } from "../render/help.ts"

/** Beside the bundle; not there where the sources run. */
export const helpFile = "help.json.br"

/**
 * What `--help` and `--version` print, without the command line: its declaration was asked when it was built. null: it is
 * to be asked now.
 */
export const quickHelp = (args: ReadonlyArray<string>): string | null => {
  const words = args.slice(0, -1)
  const asked = args.at(-1) ?? "--help"
  if (words.length === 0 && ["--version", "-v"].includes(asked)) return `${versionText}\n`
  if (!["--help", "-h"].includes(asked) || !words.every((word) => /^[a-z-]+$/.test(word))) return null
  try {
    // loaded here, as no other answer needs it
    const { brotliDecompressSync } = process.getBuiltinModule("node:zlib")
    const pages: Readonly<Record<string, HelpPage>> = JSON.parse(
      brotliDecompressSync(readFileSync(new URL(helpFile, import.meta.url))).toString()
    )
    const name = words.join(" ")
    const page = Object.hasOwn(pages, name) ? pages[name] : undefined
    return page === undefined ? null : `${helpFor(page, process.stdout)}\n`
  } catch {
    return null
  }
}
