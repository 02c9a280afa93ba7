import { isTestFile } from "@proofline/plugins/policies/evidence"

/** Not written by those who work here, or made to be broken. */
const foreign =
  /(?:^|\/)(?:node_modules|vendor|third[_-]?party|dist|build|generated|fixtures?|testdata|__fixtures__|__snapshots__|examples?|templates?|\.[^/]+)\/|\.min\.\w+$|\.d\.ts$|[._-]generated\./i

export const isSource = (path: string): boolean => !foreign.test(path) && !isTestFile(path)
export const isTest = (path: string): boolean => !foreign.test(path) && isTestFile(path)
