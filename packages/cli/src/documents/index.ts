import type { Document } from "../base/Document.ts"
import { agentsDocument } from "./agents.ts"
import { attachDocument, commitDocument } from "./attached.ts"
import { auditDocument } from "./audit.ts"
import { backtestDocument } from "./backtest.ts"
import { bisectDocument } from "./bisect.ts"
import { doctorDocument } from "./doctor.ts"
import { drillDocument } from "./drill.ts"
import {
  configDocument,
  historyExportDocument,
  initDocument,
  planDocument,
  schemasDocument,
  validateDocument
} from "./files.ts"
import {
  diffDocument,
  eventsExportDocument,
  eventsImportDocument,
  forkDocument,
  logArchiveDocument,
  logCopyDocument,
  logRestoreDocument
} from "./log.ts"
import {
  callDocument,
  docsDocument,
  mcpInstallDocument,
  pluginsDocument,
  primeDocument,
  serveDocument
} from "./others.ts"
import { replayDocument, reportDocument, showDocument, verifyDocument } from "./proof.ts"
import { eventsRefused, evidenceRefused } from "./refused.ts"
import { requirementsDocument } from "./requirements.ts"
import { runDocument } from "./run.ts"
import { historyDocument, statusDocument } from "./runs.ts"
import { answerDocument, sessionDocument, sessionsDocument } from "./sessions.ts"
import { statsDocument } from "./stats.ts"
import { clusterDocument, clusterRoleDocument, workerDocument, workersDocument } from "./workers.ts"

/** Everything that commands print with `--json`, each with a published schema. */
export const documents: ReadonlyArray<Document> = [
  agentsDocument,
  answerDocument,
  auditDocument,
  bisectDocument,
  backtestDocument,
  callDocument,
  clusterDocument,
  clusterRoleDocument,
  commitDocument,
  diffDocument,
  docsDocument,
  doctorDocument,
  drillDocument,
  eventsExportDocument,
  eventsImportDocument,
  eventsRefused,
  evidenceRefused,
  forkDocument,
  historyDocument,
  historyExportDocument,
  initDocument,
  logArchiveDocument,
  logCopyDocument,
  logRestoreDocument,
  mcpInstallDocument,
  planDocument,
  pluginsDocument,
  primeDocument,
  attachDocument,
  replayDocument,
  reportDocument,
  requirementsDocument,
  runDocument,
  serveDocument,
  sessionDocument,
  sessionsDocument,
  showDocument,
  statsDocument,
  statusDocument,
  configDocument,
  schemasDocument,
  validateDocument,
  verifyDocument,
  workerDocument,
  workersDocument
]
