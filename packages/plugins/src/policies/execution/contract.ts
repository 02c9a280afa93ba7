export { makeUserCheck } from "./commands/user/activities.ts"
export { isNamed } from "./tests/fileTests.ts"
export { type ReportPlace, reportPlaces } from "./tests/places.ts"
export { type Counted, counted, type Reported, type ReportedTest, reportsIn, type TestStatus } from "./tests/reports.ts"
