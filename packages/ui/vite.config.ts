import { readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { brotliCompressSync } from "node:zlib"
import react from "@vitejs/plugin-react"
import { defaultClientConditions, defineConfig, type Plugin } from "vite"

/** Compressed once and as small as it gets, scripts and styles cost the server nothing, and the package little. */
const compressed: Plugin = {
  name: "compressed",
  apply: "build",
  writeBundle: ({ dir = "" }, files) => {
    for (const name of Object.keys(files).filter((name) => /\.(?:css|js)$/.test(name))) {
      const file = join(dir, name)
      writeFileSync(`${file}.br`, brotliCompressSync(readFileSync(file)))
      rmSync(file)
    }
  }
}

// The page is plain files that lie beside the bundle of the CLI: nothing of it is fetched from elsewhere.
export default defineConfig({
  plugins: [react(), compressed],
  base: "./",
  resolve: { conditions: ["@proofline/source", ...defaultClientConditions] },
  worker: {
    format: "es",
    // the rules of policies stand in the worker, and what their activities read files with does not
    rolldownOptions: {
      treeshake: { moduleSideEffects: [{ test: /node_modules.(?:saxes|xmlchars)\b/, sideEffects: false }] }
    }
  },
  build: {
    outDir: "../cli/dist/ui",
    emptyOutDir: true,
    // what is in it of others stays under their licences
    license: { fileName: "licenses.md" },
    target: "es2023",
    // a page with `script-src 'self'` runs nothing that stands inline
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 2_000,
    rolldownOptions: {
      output: {
        // what the first view needs comes at once, and is compressed as one
        codeSplitting: { groups: [{ name: "first", tags: ["$initial"] }] }
      }
    }
  }
})
