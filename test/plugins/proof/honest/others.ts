import type { Session } from "../sessions.ts"
import { edited } from "./edited.ts"

const compose = `services:
  web:
    image: shop:1.0
    ports:
      - "8080:8080"
`

const guide = `# Guide

## Install

Run \`make install\`.

## Use

Open the page.
`

/** Files without a grammar. */
export const data: Session = {
  name: "Configuration, data and text",
  before: {
    "docker-compose.yml": compose,
    "docs/guide.md": guide,
    "schema.sql": "create table users (\n  id integer primary key,\n  name text\n);\n",
    "tsconfig.json": `{\n  "compilerOptions": {\n    "target": "es2020"\n  }\n}\n`,
    ".env.example": "PORT=8080\n",
    "page.html": "<main>\n  <h1>Shop</h1>\n  <p>Welcome.</p>\n</main>\n",
    Dockerfile: 'FROM node:18\nCOPY . .\nCMD ["node", "server.js"]\n',
    "locales/en.json": `{\n  "hello": "Hello"\n}\n`,
    "main.tf": `resource "aws_s3_bucket" "files" {\n  bucket = "files"\n}\n`,
    "img/old.png": new Uint8Array([137, 80, 78, 71, 0, 1]),
    Makefile: "build:\n\tnpm run build\n",
    "nginx.conf": "server {\n  listen 80;\n}\n",
    "old/a.txt": "a\n",
    "old/b.txt": "b\n"
  },
  after: {
    "docker-compose.yml": edited(compose, [
      `      - "8080:8080"\n`,
      `      - "8080:8080"\n    depends_on: [db]\n  db:\n    image: postgres:16\n`
    ]),
    "docs/guide.md": edited(guide, [
      "Open the page.\n",
      "Open the page and log in. See [the API](api.md).\n\n## Configure\n\n| variable | means |\n|---|---|\n| `PORT` | where it listens |\n\n- [ ] not done yet: TLS\n"
    ]),
    "schema.sql":
      "create table users (\n  id integer primary key,\n  name text not null,\n  email text unique\n);\n\ncreate index users_name on users (name);\n",
    "tsconfig.json": `{\n  "compilerOptions": {\n    "strict": true,\n    "target": "es2022"\n  }\n}\n`,
    ".env.example": "PORT=8080\nDATABASE_URL=postgres://localhost/shop\n",
    "page.html": '<main>\n  <h1>Shop</h1>\n  <p>Welcome.</p>\n  <a href="/login">Log in</a>\n</main>\n',
    Dockerfile: 'FROM node:22-slim\nCOPY . .\nUSER node\nCMD ["node", "server.js"]\n',
    "locales/en.json": `{\n  "hello": "Hello",\n  "bye": "Good bye"\n}\n`,
    "main.tf": `resource "aws_s3_bucket" "files" {\n  bucket = "files"\n  force_destroy = true\n}\n`,
    "img/old.png": null,
    "img/new.png": new Uint8Array([137, 80, 78, 71, 0, 2]),
    "docs/.nojekyll": "",
    Makefile: "build:\n\tnpm run build\n\nclean:\n\trm -rf dist\n",
    "nginx.conf": "server {\n  listen 80;\n  gzip on;\n}\n",
    old: null,
    "api.proto": 'syntax = "proto3";\n\nmessage User {\n  string name = 1;\n}\n',
    "query.graphql": "query Users {\n  users {\n    name\n  }\n}\n"
  },
  items: [
    ["Run a database", { path: "docker-compose.yml", from: "db:", to: "postgres:16" }],
    ["The web waits for it", { path: "docker-compose.yml", from: "depends_on" }],
    ["Say how to log in in docs/guide.md", { path: "docs/guide.md", from: "log in" }],
    ["Explain the variables", { path: "docs/guide.md", from: "| variable", to: "| `PORT`" }],
    ["Names are required", { path: "schema.sql", from: "name text not null" }],
    ["Users have an address", { path: "schema.sql", from: "email text" }],
    ["An index on names", { path: "schema.sql", from: "create index" }],
    ["Compile strictly", { path: "tsconfig.json", from: "strict" }],
    ["Target ES2022", { path: "tsconfig.json", from: "es2022" }],
    ["An example of the database's address", { path: ".env.example", from: "DATABASE_URL" }],
    ["A link to the login", { path: "page.html", from: "/login" }],
    ["Node 22", { path: "Dockerfile", from: "node:22" }],
    ["Do not run as root", { path: "Dockerfile", from: "USER node" }],
    ["Translate good bye", { path: "locales/en.json", from: "bye" }],
    ["The bucket can be removed", { path: "main.tf", from: "force_destroy" }],
    ["A new logo", "file:img/new.png"],
    ["Remove the old logo", "absent:img/old.png"],
    ["No Jekyll for docs/.nojekyll", "file:docs/.nojekyll"],
    ["Remove the directory old", "absent:old"],
    ["make clean", { path: "Makefile", from: "clean:", to: "rm -rf" }],
    ["Compress answers", { path: "nginx.conf", from: "gzip" }],
    ["A message for users", { path: "api.proto", from: "message User", to: "}" }],
    ["A query for users", { path: "query.graphql", from: "query Users", to: "}" }]
  ]
}

const util = `export function parseAmount(text) {
  const [whole, cents = "0"] = text.split(".")
  return Number(whole) * 100 + Number(cents)
}

export function shown(amount) {
  return (amount / 100).toFixed(2)
}
`

/** What is moved, renamed, split, taken out. */
export const refactoring: Session = {
  name: "Refactoring",
  before: {
    "util.js": util,
    "main.py":
      "from store import fetch\n\n\ndef load(path):\n    data = fetch(path)\n    print(data)\n    return data\n\n\ndef unused(path):\n    return load(path)\n",
    "Config.java":
      "class Config {\n    static final int TIMEOUT = 30;\n    int timeout() { return TIMEOUT; }\n    int legacy() { return 1; }\n}\n",
    "app.rb": "def order(items)\n  items.each { |item| ship(item) }\n  items.each { |item| pay(item) }\nend\n"
  },
  after: {
    "util.js": `export { parseAmount } from "./amount.js"\n\nexport function format(amount, currency = "EUR") {\n  return \`\${(amount / 100).toFixed(2)} \${currency}\`\n}\n`,
    "amount.js": `export function parseAmount(text) {\n  const [whole, cents = "0"] = text.trim().split(".")\n  return Number(whole) * 100 + Number(cents.padEnd(2, "0"))\n}\n`,
    "main.py":
      'import logging\n\nfrom store import fetch\n\nlog = logging.getLogger(__name__)\n\n\ndef load(path):\n    data = fetch(path)\n    log.debug("%s", data)\n    return data\n',
    "Config.java":
      "class Config {\n    static final int TIMEOUT_SECONDS = 30;\n    int timeout() { return TIMEOUT_SECONDS; }\n}\n",
    "app.rb": "def order(items)\n  items.each { |item| pay(item) }\n  items.each { |item| ship(item) }\nend\n",
    "__init__.py": "from main import load\nfrom store import *\n"
  },
  items: [
    [
      "Move parseAmount to amount.js, and let it take blanks",
      { path: "amount.js", from: "export function parseAmount", to: "}" }
    ],
    ["Pass parseAmount on from util.js", { path: "util.js", from: "export { parseAmount }" }],
    ["Rename shown to format, with a currency", { path: "util.js", from: "export function format", to: "}" }],
    ["Log instead of printing", { path: "main.py", from: "log.debug" }],
    ["A logger for the module", { path: "main.py", from: "getLogger" }],
    ["Rename TIMEOUT to TIMEOUT_SECONDS", { path: "Config.java", from: "int TIMEOUT_SECONDS" }],
    ["Use it under its new name and remove legacy()", { path: "Config.java", from: "int timeout()", to: "}" }],
    ["Pay before anything is shipped", { path: "app.rb", from: "pay(item)" }],
    ["Pass on what is public", { path: "__init__.py", from: "from main", to: "from store" }]
  ]
}
