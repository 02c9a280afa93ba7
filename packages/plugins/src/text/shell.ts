/** A word of a shell command, or what stands between commands. */
export interface ShellToken {
  /** Without its quotes. */
  readonly text: string
  readonly kind: "word" | "quoted" | "operator"
  /** Where it stands in the command, with its quotes; UTF-16 units, the end excluded. */
  readonly start: number
  readonly end: number
}

const tokens = /"((?:[^"\\]|\\.)*)"|'([^']*)'|((?:[^\s;&|()<>`"']|\\.)+)|([;&|()`\n]+)/g

/** The words of a command in order. What is quoted is one word, also a command for another shell. */
export const shellTokens = (command: string): ReadonlyArray<ShellToken> =>
  [...command.matchAll(tokens)].map(({ 0: whole, 1: double, 2: single, 3: plain, 4: operator, index }) => ({
    text: double ?? single ?? plain ?? operator ?? "",
    kind: operator !== undefined ? "operator" : plain !== undefined ? "word" : "quoted",
    start: index,
    end: index + whole.length
  }))

/** Words of a command; those of a quoted command, such as that of `sh -c`, too. Operators are words of their own. */
export const shellWords = (command: string): ReadonlyArray<string> =>
  shellTokens(command).flatMap(({ kind, text }) =>
    kind === "quoted" && /\s/.test(text) ? [text, ...shellWords(text)] : [text]
  )

/** Whether a word stands between commands. */
export const isOperator = (word: string): boolean => /^[;&|()`\n]+$/.test(word)
