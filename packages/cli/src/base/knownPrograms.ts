/** Agents that are known by the name of their program: the presets, for what does not load them. */
export const knownPrograms: ReadonlyArray<string> = ["claude", "codex", "gemini", "opencode"]
