import type { Agents, Digest } from "@proofline/kernel"
import type { Baseline } from "./Baseline.ts"
import type { BlobStore } from "./BlobStore.ts"
import type { CommandRunner } from "./CommandRunner.ts"
import type { EscrowedChecks } from "./EscrowedChecks.ts"
import type { OutputFiles } from "./OutputFiles.ts"
import type { ProjectFiles } from "./ProjectFiles.ts"
import type { ScratchCheckouts, ScratchProjects } from "./ScratchCheckouts.ts"
import type { Syntax } from "./Syntax.ts"
import type { TestReports } from "./TestReports.ts"
import type { Workspaces } from "./Workspaces.ts"

/** The ports that a plugin may need: `Effect<Plugin, never, PluginPorts>` is what a project's module may export. */
export type PluginPorts =
  | Agents
  | Baseline
  | BlobStore
  | CommandRunner
  | Digest
  | EscrowedChecks
  | OutputFiles
  | Syntax
  | TestReports
  | Workspaces
  | ProjectFiles
  | ScratchCheckouts
  | ScratchProjects
