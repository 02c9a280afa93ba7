import { subscribe } from "node:diagnostics_channel"
import type { ClientRequest } from "node:http"

/**
 * Loaded into the process of the suite, which knows no tokens and asks nobody but the server under test: whatever it
 * sends shows the token of PROOFLINE_SUITE_TOKEN, and is otherwise sent as it is, Host and Origin included.
 */

const bearer = `Bearer ${process.env["PROOFLINE_SUITE_TOKEN"]}`

// fetch, and the client beneath it
subscribe("undici:request:create", (message) => {
  const { request } = message as { readonly request: { readonly addHeader: (name: string, value: string) => void } }
  request.addHeader("authorization", bearer)
})

subscribe("http.client.request.created", (message) => {
  const { request } = message as { readonly request: ClientRequest }
  request.setHeader("authorization", bearer)
})
