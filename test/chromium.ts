// Finds a Chromium for the tests of the page, or installs one where that can be done: `npm run --silent chromium`.
import { spawnSync } from "node:child_process"
import { existsSync } from "node:fs"
import { delimiter, join } from "node:path"
import { fileURLToPath } from "node:url"

const names = ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome", "microsoft-edge"]
const places = [
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
  "/usr/bin/chromium"
]

/** The path of a Chromium on this machine; `PROOFLINE_CHROMIUM` wins. Null: there is none. */
export const chromiumPath = (): string | null => {
  const named = process.env["PROOFLINE_CHROMIUM"]
  if (named !== undefined && named !== "") return existsSync(named) ? named : null
  const onPath = (process.env["PATH"] ?? "").split(delimiter).flatMap((dir) => names.map((name) => join(dir, name)))
  return [...onPath, ...places].find((file) => existsSync(file)) ?? null
}

const say = (text: string) => process.stderr.write(`${text}\n`)

const install = (): void => {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return
  const apt = (...args: ReadonlyArray<string>) =>
    spawnSync("apt-get", ["-q", ...args], {
      stdio: ["ignore", "ignore", "inherit"],
      env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" }
    }).status === 0
  say("No Chromium is here: installing the one of the distribution, for the tests of the page.")
  const packages = ["install", "-y", "--no-install-recommends", "chromium"]
  // the lists of a fresh machine are old or missing
  if (!(apt("update") && apt(...packages))) say("apt-get could not install it.")
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (chromiumPath() === null) install()
  if (chromiumPath() === null) {
    say(
      "The tests of the page need a Chromium or Chrome. Install one (Debian, Ubuntu: apt-get install chromium), or name it in PROOFLINE_CHROMIUM; then run the tests again."
    )
    process.exitCode = 1
  }
}
