/** The data of server-sent events, one after the other. Names, ids and comments say nothing that is not in the data. */
export const eventData = (text: string): ReadonlyArray<string> =>
  text
    .replaceAll(/\r\n?/g, "\n")
    .split("\n\n")
    .flatMap((event) => {
      const data = event.split("\n").flatMap((line) => /^data:(?: (.*)|(.*))$/.exec(line)?.slice(1, 3) ?? [])
      const lines = data.filter((line) => line !== undefined)
      return lines.length === 0 ? [] : [lines.join("\n")]
    })

/** Some servers forget to say that they stream. */
export const isEvents = (contentType: string, text: string): boolean =>
  contentType.startsWith("text/event-stream") || /^\s*(?:data|event|id|retry)?:/.test(text.slice(0, 200))
