// users: who may come in
export { addUser, hashPassword } from "./users.js"

// sessions: who is in, and until when

// login: a password becomes a session

// logout: sessions end
