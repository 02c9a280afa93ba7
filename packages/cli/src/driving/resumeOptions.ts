import type { Where } from "../base/paths.ts"
import type { ChunkFlags, LoopFlags, RetryFlags, RunFlags } from "../project/settings.ts"
import type { UiFlags } from "./ui.ts"
import type { ClusterFlags } from "./whoWorks.ts"

/** How a run is gone on with, on the command line. */
export interface ResumeOptions
  extends RetryFlags,
    RunFlags,
    Pick<ChunkFlags, "conflict_resolution">,
    LoopFlags,
    UiFlags,
    ClusterFlags,
    Where {
  readonly run?: string | undefined
  readonly json: boolean
}
