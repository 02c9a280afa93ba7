/** A time for people, in their own zone; the exact one belongs into `title`. */
export const timeText = (iso: string | null): string =>
  iso === null ? "" : new Date(iso).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "medium" })

/** The time of the day alone, where the day is known. */
export const clockText = (iso: string): string => new Date(iso).toLocaleTimeString(undefined, { timeStyle: "medium" })

/** `840 ms`, `12.4 s`, `3 min 05 s`, `2 h 10 min`, `3 d 04 h`. Where the clocks of two machines differ, it is never below 0. */
export const durationText = (ms: number | null): string => {
  if (ms === null || Number.isNaN(ms)) return ""
  if (ms < 999.5) return `${Math.max(0, Math.round(ms))} ms`
  if (ms < 59_950) return `${(ms / 1_000).toFixed(1)} s`
  const minutes = Math.floor(Math.max(60_000, ms) / 60_000)
  const pad = (n: number) => String(n).padStart(2, "0")
  if (minutes < 60) return `${minutes} min ${pad(Math.floor((Math.max(60_000, ms) % 60_000) / 1_000))} s`
  const hours = Math.floor(minutes / 60)
  return hours < 48 ? `${hours} h ${pad(minutes % 60)} min` : `${Math.floor(hours / 24)} d ${pad(hours % 24)} h`
}

/** Between two times; to now where there is no end. */
export const between = (from: string | null, to: string | null, now: number): number | null =>
  from === null ? null : (to === null ? now : Date.parse(to)) - Date.parse(from)

/** How long ago, in one unit: `just now`, `5 min ago`, `3 h ago`, `2 d ago`. */
export const agoText = (iso: string | null, now: number): string => {
  const minutes = iso === null ? Number.NaN : Math.floor((now - Date.parse(iso)) / 60_000)
  if (Number.isNaN(minutes)) return ""
  if (minutes < 1) return "just now"
  if (minutes < 60) return `${minutes} min ago`
  return minutes < 2_880 ? `${Math.floor(minutes / 60)} h ago` : `${Math.floor(minutes / 1_440)} d ago`
}

/** A time in a list: of today the time alone, of this year without the year. */
export const shortTimeText = (iso: string, now: number): string => {
  const at = new Date(iso)
  const today = new Date(now)
  if (at.toDateString() === today.toDateString()) return at.toLocaleTimeString(undefined, { timeStyle: "short" })
  return at.getFullYear() === today.getFullYear()
    ? at.toLocaleString(undefined, { month: "short", day: "numeric", hour: "numeric", minute: "2-digit" })
    : at.toLocaleDateString(undefined, { dateStyle: "medium" })
}
