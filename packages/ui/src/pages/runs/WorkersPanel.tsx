import { lazy, Suspense } from "react"
import { useRevision, useServer } from "../../api/live.ts"
import { useApi } from "../../api/useApi.ts"
import { useNow } from "../../parts/now.ts"

const Workers = lazy(async () => ({ default: (await import("./Workers.tsx")).Workers }))

/** How often it is asked whether there are any, ms: they come and go without an event. */
const everyMs = 15_000

/** The machines that take work of a log which they share, with their workers; nothing where nobody does. */
export const WorkersPanel = () => {
  const revision = useRevision()
  const server = useServer()
  const turn = Math.floor(useNow(true, everyMs) / everyMs)
  const again = `${revision}:${server.state === "live"}`
  const { data } = useApi((client) => client.workers(), [], { again: `${again}:${turn}`, keep: true })
  return (data?.workers.length ?? 0) === 0 ? null : (
    <Suspense fallback={null}>
      <Workers again={again} />
    </Suspense>
  )
}
