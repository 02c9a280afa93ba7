/** The token in the fragment `#token=…`; null: it holds none. `to` is where the page goes on. */
export const tokenInHash = (hash: string): { readonly token: string; readonly to: string } | null => {
  const fields = new URLSearchParams(hash.replace(/^#/, ""))
  const token = fields.get("token")?.trim() ?? ""
  if (!hash.startsWith("#token=") || token === "") return null
  const to = fields.get("to") ?? "/"
  return { token, to: to.startsWith("/") ? to : "/" }
}

/** A token, or the whole address with one; null: neither. */
export const typedToken = (typed: string): string | null => {
  const text = typed.trim()
  const at = text.indexOf("#token=")
  const token = at < 0 ? text : (tokenInHash(text.slice(at))?.token ?? "")
  return token === "" || /\s/.test(token) ? null : token
}
