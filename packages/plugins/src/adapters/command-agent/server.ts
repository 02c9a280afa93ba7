/** A program and its arguments, which speaks MCP on its standard input and output. */
export interface McpCommand {
  readonly command: string
  readonly args: ReadonlyArray<string>
}

/** What the server is called in the clients: their names for its tools begin with it. */
export const SERVER = "proofline"

/** A call for which a client is to be offered a server by files. */
export interface Offering {
  readonly mcp: McpCommand
  readonly user: NodeJS.ProcessEnv
  /** Where it works. */
  readonly directory: string
  /** A directory of this call, which nobody else may read and which goes away with it. */
  readonly files: string
}

/** Changes to the environment, and what it calls by a name of this call only; or why it is offered none. */
export type Offered =
  | { readonly env: Readonly<Record<string, string>>; readonly named?: Renamed }
  | { readonly refused: string }

/** What its output says, and what is meant. */
export interface Renamed {
  readonly said: string
  readonly meant: string
}
