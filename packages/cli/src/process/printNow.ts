import { writeSync } from "node:fs"
import { onLostReader } from "./onLostReader.ts"

const descriptors = { stdout: 1, stderr: 2 } as const

/**
 * Writes without the streams of Node, which take a tenth of its start to load. They take over what cannot be written at
 * once, and whatever goes wrong.
 */
export const printNow = (stream: keyof typeof descriptors, text: string): void => {
  const bytes = Buffer.from(text)
  let written = 0
  try {
    while (written < bytes.length) written += writeSync(descriptors[stream], bytes, written)
  } catch {
    onLostReader()
    process[stream].write(bytes.subarray(written))
  }
}
