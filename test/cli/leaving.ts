// Set up before each file of these tests: what it leaves is undone when it has ended.
import { afterAll } from "vitest"
import { leaveFile } from "./proofline.ts"

afterAll(leaveFile)
