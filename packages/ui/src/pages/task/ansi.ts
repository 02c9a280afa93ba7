/** Escape sequences of terminals: CSI, OSC, other strings, and those of a few characters, also one that is cut off. */
const sequences =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*(?:[@-~]|$)|(?:\u001b\]|\u009d)[^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c|$)|(?:\u001b[PX^_]|[\u0090\u0098\u009e\u009f])[^\u001b\u009c]*(?:\u001b\\|\u009c|$)|\u001b(?:[ -/]*[0-~]|$)/g

/**
 * What a terminal would leave on its screen, as plain text: no colours, no cursor movements, of a line that was written
 * over by carriage returns the last writing.
 */
export const plainText = (text: string): string =>
  text
    .replace(sequences, "")
    .replaceAll("\r\n", "\n")
    .split("\n")
    .map((line) => line.slice(line.replace(/\r+$/, "").lastIndexOf("\r") + 1).replaceAll("\r", ""))
    .join("\n")
    .replaceAll("\u0007", "")
