/** Quoted for `sh`: one word, nothing in it has a meaning. */
export const shellQuote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/** Placeholders of a command agent and the variable each stands for. */
const placeholders = [
  ["{prompt_file}", "PROOFLINE_PROMPT_FILE"],
  ["{prompt}", "PROOFLINE_PROMPT"]
] as const

export interface FilledCommand {
  readonly command: string
  /** Whether the prompt has to be in the environment too, as `PROOFLINE_PROMPT`. */
  readonly needs_prompt: boolean
}

type Quote = "" | "'" | '"'

/** A reference that yields exactly the value as part of one word, whatever quotes stand around it. */
const reference = (variable: string, quote: Quote): string => {
  switch (quote) {
    case "":
      return `"\${${variable}}"`
    case '"':
      return `\${${variable}}`
    case "'":
      return `'"\${${variable}}"'`
  }
}

/**
 * Where in a program we are: the quote that is open, and those that wait around the substitutions we are inside of.
 * Of the shell's grammar this is all that is known, which is enough: a wrong guess splits the prompt into words, and
 * still runs none of them.
 */
interface ShellContext {
  readonly quote: Quote
  readonly around: ReadonlyArray<Quote>
}

const after = ({ quote, around }: ShellContext, piece: string): ShellContext => {
  if (piece === "$(" && quote !== "'") return { quote: "", around: [...around, quote] }
  if (quote !== "") return { quote: piece === quote ? "" : quote, around }
  if (piece === "(") return { quote, around: [...around, quote] }
  if (piece === ")") return { quote: around.at(-1) ?? "", around: around.slice(0, -1) }
  return { quote: piece === "'" || piece === '"' ? piece : "", around }
}

/** The next thing that means something by itself: an escaped character, the start of a substitution, a character. */
const pieceAt = (template: string, at: number, { quote }: ShellContext): string => {
  const isPair = quote !== "'" && (template[at] === "\\" || template.startsWith("$(", at))
  return template.slice(at, at + (isPair ? 2 : 1))
}

/**
 * `{prompt}` becomes the text of the prompt and `{prompt_file}` the path of the file that holds it, each as one word,
 * inside quotes or outside. The shell reads them from variables and never as part of the program, so nothing that a
 * prompt contains can be run.
 */
export const fillCommand = (template: string): FilledCommand => {
  let command = ""
  let context: ShellContext = { quote: "", around: [] }
  let needs_prompt = false
  for (let at = 0; at < template.length; ) {
    const placeholder = placeholders.find(([name]) => template.startsWith(name, at))
    if (placeholder !== undefined) {
      const [name, variable] = placeholder
      command += reference(variable, context.quote)
      needs_prompt ||= variable === "PROOFLINE_PROMPT"
      at += name.length
    } else {
      const piece = pieceAt(template, at, context)
      command += piece
      context = after(context, piece)
      at += piece.length
    }
  }
  return { command, needs_prompt }
}
