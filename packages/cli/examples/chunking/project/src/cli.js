import { addUser, findSession, login, logout, logoutEverywhere } from "./index.js"

const house = { users: new Map(), sessions: new Map() }
const say = (line) => process.stdout.write(`${line}\n`)
const minutes = 60_000
const at = (token, now) => findSession(house.sessions, token, now)?.user ?? "nobody"

addUser(house, "ada", "correct horse")
say(`08:00  wrong password: ${login(house, "ada", "battery staple", 0) === null ? "stays outside" : "is in"}`)

const morning = login(house, "ada", "correct horse", 0)
say(`08:00  right password: ${at(morning, 0)} is in`)
say(`08:29  the session is of ${at(morning, 29 * minutes)}`)
say(`08:30  the session is of ${at(morning, 30 * minutes)}`)

const phone = login(house, "ada", "correct horse", 60 * minutes)
const desk = login(house, "ada", "correct horse", 60 * minutes)
logout(house, phone)
say(`09:00  on the phone ${at(phone, 60 * minutes)}, at the desk ${at(desk, 60 * minutes)}`)
say(`09:01  out everywhere: ${logoutEverywhere(house, "ada")} session ended, at the desk ${at(desk, 61 * minutes)}`)
