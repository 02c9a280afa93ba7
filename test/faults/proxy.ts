import { connect, createServer, type Socket } from "node:net"
import { Effect } from "effect"

/** A link to a server that can be cut: nothing goes through it then, and no connection ends. */
export interface Link {
  readonly url: string
  readonly cut: () => void
  readonly mend: () => void
}

/** Ended with the scope. */
export const linkTo = (server: string) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(async () => {
        const target = new URL(server)
        const sockets = new Set<Socket>()
        let isCut = false
        const keep = (socket: Socket) => {
          sockets.add(socket)
          socket.on("error", () => {}).on("close", () => sockets.delete(socket))
          if (isCut) socket.pause()
        }
        const proxy = createServer((near) => {
          const far = connect(Number(target.port), target.hostname)
          for (const [one, other] of [
            [near, far],
            [far, near]
          ] as const) {
            one.on("data", (bytes) => other.write(bytes))
            one.on("close", () => other.destroy())
            keep(one)
          }
        })
        await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve))
        const { port } = proxy.address() as { readonly port: number }
        const url = new URL(server)
        url.port = String(port)
        const link: Link = {
          url: url.href,
          cut: () => {
            isCut = true
            for (const socket of sockets) socket.pause()
          },
          mend: () => {
            isCut = false
            for (const socket of sockets) socket.resume()
          }
        }
        const close = () => {
          for (const socket of sockets) socket.destroy()
          proxy.close()
        }
        return { link, close }
      }),
      ({ close }) => Effect.sync(close)
    ),
    ({ link }) => link
  )
