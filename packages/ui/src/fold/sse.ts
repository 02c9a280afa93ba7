/** What a stream of server-sent events holds, as far as it is used here. */
export type Message =
  | { readonly type: "event"; readonly id: string; readonly data: string }
  /** Without the blanks around it. */
  | { readonly type: "comment"; readonly text: string }

/** The stream holds something that is no event of a log. */
export class StreamBroken extends Error {
  override readonly name = "StreamBroken"
}

/** Characters of one message. An event is far smaller; more would fill the memory of the page. */
const longest = 64 * 1024 * 1024

/**
 * Reads server-sent events from bytes that may be cut anywhere, also within a character. `event` and `retry` are not
 * looked at: the events say for themselves what they are. Throws {@link StreamBroken} on a message without an end.
 */
export const makeReader = (): ((bytes: Uint8Array) => ReadonlyArray<Message>) => {
  const decoder = new TextDecoder()
  /** What came after the last end of a line. */
  let rest = ""
  let endedWithReturn = false
  let id = ""
  let data: Array<string> = []
  let size = 0

  const take = (line: string, out: Array<Message>): void => {
    if (line === "") {
      if (data.length > 0)
        out.push({ type: "event", id, data: data.length === 1 ? (data[0] as string) : data.join("\n") })
      data = []
      size = 0
    } else if (line.startsWith("data:")) {
      data.push(line.slice(line[5] === " " ? 6 : 5))
      size += line.length
    } else if (line.startsWith("id:")) {
      id = line.slice(3).trim()
    } else if (line.startsWith(":")) {
      out.push({ type: "comment", text: line.slice(1).trim() })
    }
  }

  return (bytes) => {
    let text = decoder.decode(bytes, { stream: true })
    if (text === "") return []
    // a line feed that belongs to the return before it is no empty line
    if (endedWithReturn && text.startsWith("\n")) text = text.slice(1)
    endedWithReturn = text === "" ? false : text.endsWith("\r")
    if (text.includes("\r")) text = text.replace(/\r\n?/g, "\n")
    const out: Array<Message> = []
    let from = 0
    for (let to = text.indexOf("\n"); to >= 0; to = text.indexOf("\n", from)) {
      take(rest + text.slice(from, to), out)
      rest = ""
      from = to + 1
    }
    rest += text.slice(from)
    if (rest.length + size > longest) throw new StreamBroken("The server sent an event that has no end.")
    return out
  }
}
