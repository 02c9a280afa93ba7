import type { Preset } from "@proofline/plugins/options"

/** The presets, each named as its program is, for what does not load them: a type says that all are here. */
const known: Readonly<Record<Preset, true>> = { claude: true, codex: true, gemini: true, opencode: true }

export const knownPrograms: ReadonlyArray<string> = Object.keys(known)
