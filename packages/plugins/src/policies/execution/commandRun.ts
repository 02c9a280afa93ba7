import type { CheckRun, LogUnavailable } from "@proofline/kernel"
import { Effect } from "effect"
import type { BlobStore, CommandRequest, CommandRunner } from "../../port/index.ts"

/** The end of a text, at most 2,000 characters, for people and for the next prompt. */
export const tailOf = (bytes: Uint8Array): string => {
  const text = new TextDecoder().decode(bytes).replace(/\r\n/g, "\n")
  return text.slice(-2_000)
}

/** Runs one command of the project; what it printed is kept. */
export const commandRun = Effect.fnUntraced(function* (
  { blobs, commands }: { readonly blobs: BlobStore["Service"]; readonly commands: CommandRunner["Service"] },
  item_index: number | null,
  request: CommandRequest
): Effect.fn.Return<CheckRun, LogUnavailable> {
  const { output, ...result } = yield* commands.run(request)
  return {
    command: request.command,
    item_index,
    ...result,
    output: output.length > 0 ? yield* blobs.put(output) : null,
    output_tail: tailOf(output),
    ablation: null
  }
})
