import { chmod, lstat, readdir, rm } from "node:fs/promises"
import * as Path from "node:path"

/** Removes a directory. Links are not followed. Somebody may have left folders that not even their owner may write. */
export const removeTree = async (path: string): Promise<void> => {
  const remove = () => rm(path, { recursive: true, force: true, maxRetries: 3 })
  await remove()
    .catch(async () => {
      await openUp(path)
      await remove()
    })
    // what stays is taken up again when this process has ended
    .catch(() => {})
}

const openUp = async (directory: string): Promise<void> => {
  const found = await lstat(directory).catch(() => null)
  if (found?.isDirectory() !== true) return
  await chmod(directory, 0o700).catch(() => {})
  for (const entry of await readdir(directory).catch(() => [])) await openUp(Path.join(directory, entry))
}
