/** The lines of a text with their line ends (LF or CRLF). A final line end does not begin another line. */
export const splitLines = (text: string): ReadonlyArray<string> => text.match(/[^\n]*\n|[^\n]+$/g) ?? []
