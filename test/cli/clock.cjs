// The system clock of a process as a file says, in ms ahead of the real one; for `node --require`.
"use strict"

const { readFileSync } = require("node:fs")

const RealDate = Date
const file = process.env.CLOCK_FILE
const ahead = () => {
  try {
    return Number(readFileSync(file, "utf8")) || 0
  } catch {
    return 0
  }
}

class ShiftedDate extends RealDate {
  constructor(...given) {
    if (given.length === 0) super(RealDate.now() + ahead())
    else super(...given)
  }
  static now() {
    return RealDate.now() + ahead()
  }
}

globalThis.Date = ShiftedDate
