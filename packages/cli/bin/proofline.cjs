#!/usr/bin/env node
// Starts Proofline. Nothing before the check may need a new Node: it is what tells people that theirs is too old.
"use strict"

const [major, minor] = process.versions.node.split(".").map(Number)
if (major < 22 || (major === 22 && minor < 19)) {
  const { existsSync } = require("node:fs")
  const { join } = require("node:path")
  const hasSources = existsSync(join(__dirname, "..", "src"))
  const checkout = hasSources ? join(__dirname, "..", "..", "..") : "<checkout>"
  process.stderr.write(
    `Proofline needs Node 22.19 or newer, and this is Node ${process.versions.node}: install a newer one, or start it from anywhere with \`${/\s/.test(checkout) ? `'${checkout}/proofline'` : `${checkout}/proofline`}\`: a checkout brings its own.\n`
  )
  // of a hook 2 would mean that the agent must go on
  process.exit(process.argv[2] === "hook" ? 1 : 2)
}

// Node 22 says of its SQLite, each time, that it is new: nothing that a user could act on
if (major < 24) {
  const emit = process.emitWarning
  process.emitWarning = (warning, ...rest) => {
    if (!String(warning).startsWith("SQLite is an experimental feature")) emit.call(process, warning, ...rest)
  }
}

const { existsSync, readdirSync, statSync } = require("node:fs")
const { join } = require("node:path")

const bundle = join(__dirname, "..", "dist", "proofline.cjs")
const packages = join(__dirname, "..", "..")

// in a checkout the sources run as they are, unless the bundle is newer, which takes a while to find out: the tests have
// done so once for all that they start, and the file `proofline` of a checkout for this one; an installed package has only
// the bundle
const isSeen = process.env.PROOFLINE_BUNDLE_SEEN === "newest"
delete process.env.PROOFLINE_BUNDLE_SEEN
const isNewest = () => isSeen || process.env.PROOFLINE_BUNDLE === "newest" || !hasNewerSource(statSync(bundle).mtimeMs)
if (existsSync(bundle) && isNewest()) {
  require(bundle)
} else {
  require("node:module").registerHooks({
    resolve: (specifier, context, next) => {
      // what an earlier call asked for may still be among them
      const conditions = context.conditions.filter((condition) => condition !== "@proofline/source")
      try {
        return next(specifier, { ...context, conditions: [...conditions, "@proofline/source"] })
      } catch {
        // a project's plugin imports the packages that the project has installed, and those have no sources
        return next(specifier, { ...context, conditions })
      }
    }
  })
  import("../src/main.ts")
}

function hasNewerSource(builtAt) {
  return ["cli", "kernel", "plugins"].some((name) => {
    const source = join(packages, name, "src")
    return existsSync(source) && isNewer(source, builtAt)
  })
}

function isNewer(directory, time) {
  return readdirSync(directory, { withFileTypes: true }).some((entry) => {
    const path = join(directory, entry.name)
    return entry.isDirectory() ? isNewer(path, time) : statSync(path).mtimeMs > time
  })
}
