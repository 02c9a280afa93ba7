import type { Half, Language } from "./types.ts"

/**
 * Where real code comes from. `npm`: a package as published; `deb`: a binary package of Debian that carries sources;
 * `deb-src`: an upstream tarball of Debian; `python`: the standard library of the installed python3. Chosen for
 * permissive licences; nothing of them is kept in the repository.
 */
export interface Origin {
  readonly kind: "npm" | "deb" | "deb-src" | "python"
  readonly name: string
  readonly half: Half
  /** Keeps only files whose path matches. */
  readonly only?: RegExp
}

const dev = (kind: Origin["kind"], name: string, only?: RegExp): Origin => ({
  kind,
  name,
  half: "dev",
  ...(only && { only })
})
const held = (kind: Origin["kind"], name: string, only?: RegExp): Origin => ({
  ...dev(kind, name, only),
  half: "held-out"
})

export const origins: Readonly<Record<Language, ReadonlyArray<Origin>>> = {
  python: [
    dev("python", "stdlib"),
    dev("deb", "python3-jinja2"),
    dev("deb", "python3-requests"),
    dev("deb", "python3-twisted"),
    held("deb", "python3-django"),
    held("deb", "python3-sqlalchemy"),
    held("deb", "python3-werkzeug"),
    held("deb", "python3-aiohttp")
  ],
  typescript: [
    dev("npm", "rxjs"),
    dev("npm", "effect"),
    dev("npm", "@tanstack/query-core"),
    dev("npm", "ajv"),
    held("npm", "@reduxjs/toolkit"),
    held("npm", "@trpc/server"),
    held("npm", "zod"),
    held("npm", "ethers")
  ],
  tsx: [
    dev("npm", "react-native-paper"),
    dev("npm", "@react-navigation/stack"),
    dev("npm", "@blueprintjs/core"),
    held("npm", "react-native-gesture-handler"),
    held("npm", "@react-navigation/elements"),
    held("npm", "@react-navigation/drawer"),
    held("npm", "react-native-reanimated"),
    held("npm", "@patternfly/react-core")
  ],
  javascript: [
    dev("npm", "express"),
    dev("npm", "eslint", /\/lib\//),
    dev("npm", "webpack", /\/lib\//),
    dev("npm", "lodash-es"),
    held("npm", "mongoose", /\/lib\//),
    held("npm", "jsdom", /\/lib\//),
    held("npm", "fastify"),
    held("npm", "sequelize", /\/lib\//),
    held("npm", "three", /\/(?:src|examples\/jsm)\//)
  ],
  go: [
    dev("deb", "golang-1.19-src", /\/src\//),
    dev("deb", "golang-golang-x-net-dev"),
    dev("deb", "golang-github-spf13-cobra-dev"),
    held("deb", "golang-golang-x-tools-dev"),
    held("deb", "golang-github-gin-gonic-gin-dev"),
    held("deb", "golang-google-grpc-dev"),
    held("deb", "golang-github-prometheus-client-golang-dev")
  ],
  rust: [
    dev("deb", "rust-src", /\/(?:library|compiler)\//),
    dev("deb", "librust-regex-dev"),
    dev("deb", "librust-serde-dev"),
    dev("deb", "librust-serde-json-dev"),
    held("deb", "librust-tokio-dev"),
    held("deb", "librust-clap-dev"),
    held("deb", "librust-hyper-dev"),
    held("deb", "librust-image-dev")
  ],
  java: [
    dev("deb-src", "guava-libraries"),
    dev("deb-src", "libcommons-lang3-java"),
    dev("npm", "@capacitor/android"),
    held("deb-src", "jackson-databind"),
    held("deb-src", "commons-io"),
    held("npm", "react-native"),
    held("npm", "cordova-android")
  ],
  c: [
    dev("deb-src", "zlib"),
    dev("deb-src", "curl"),
    dev("deb-src", "lua5.4"),
    dev("deb-src", "jansson"),
    held("deb-src", "libuv1"),
    held("deb-src", "nginx"),
    held("deb-src", "redis"),
    held("deb-src", "libpng1.6")
  ],
  cpp: [
    dev("deb-src", "leveldb"),
    dev("deb-src", "fmtlib"),
    dev("deb-src", "nlohmann-json3"),
    dev("deb", "libboost1.74-dev"),
    held("deb-src", "re2"),
    held("deb-src", "abseil"),
    held("deb-src", "catch2"),
    held("deb-src", "protobuf")
  ],
  csharp: [
    dev("deb-src", "newtonsoft-json"),
    dev("deb-src", "nunit"),
    dev("deb-src", "opentk"),
    held("deb-src", "dbus-sharp"),
    held("npm", "com.cysharp.unitask"),
    held("npm", "edge-js")
  ],
  ruby: [
    dev("deb", "libruby3.1", /\/lib\/ruby\/3/),
    dev("deb", "ruby-rack"),
    dev("deb", "ruby-rspec-core"),
    held("deb", "ruby-activesupport"),
    held("deb", "ruby-activerecord"),
    held("deb", "ruby-sinatra"),
    held("deb", "ruby-sequel")
  ],
  php: [
    dev("deb", "php-symfony-console"),
    dev("deb", "php-twig"),
    dev("deb", "phpunit"),
    dev("deb", "php-monolog"),
    held("deb", "composer"),
    held("deb", "php-guzzlehttp-psr7"),
    held("deb", "php-doctrine-dbal"),
    held("deb", "php-symfony-http-foundation")
  ],
  kotlin: [
    dev("npm", "expo-modules-core"),
    dev("npm", "expo-camera"),
    dev("npm", "react-native"),
    dev("npm", "expo-file-system"),
    held("deb-src", "kotlin", /\/(?:libraries\/stdlib|compiler\/(?:frontend|util|cli|backend))/),
    held("npm", "@stripe/stripe-react-native"),
    held("npm", "react-native-vision-camera"),
    held("npm", "expo-notifications")
  ],
  swift: [
    dev("npm", "expo-modules-core"),
    dev("npm", "expo-camera"),
    dev("npm", "@capacitor/ios"),
    dev("npm", "expo-updates"),
    held("npm", "expo-notifications"),
    held("npm", "@stripe/stripe-react-native"),
    held("npm", "react-native-vision-camera"),
    held("npm", "react-native-video"),
    held("npm", "expo-file-system")
  ],
  scala: [
    dev("deb-src", "scala", /\/src\/(?:library|reflect|compiler)/),
    dev("deb-src", "jawn"),
    held("deb-src", "json4s")
  ],
  bash: [
    dev("npm", "bats"),
    dev("deb", "dehydrated"),
    dev("deb", "neofetch"),
    dev("deb", "ruby-build"),
    dev("deb", "git-extras"),
    dev("deb", "git-flow"),
    held("deb", "rbenv"),
    held("deb", "shunit2"),
    held("deb", "xdg-utils"),
    held("deb", "checksec"),
    held("deb-src", "kubernetes"),
    held("deb-src", "docker.io", /\/(?:hack|contrib|scripts)\//)
  ]
}

/** Files of a language by their names; scripts without an extension are known by their first line. */
export const fileNames: Readonly<Record<Language, RegExp>> = {
  python: /\.py$/,
  typescript: /(?<!\.d)\.ts$/,
  tsx: /\.tsx$/,
  javascript: /(?<!\.min|\.bundle)\.js$/,
  go: /\.go$/,
  rust: /\.rs$/,
  java: /\.java$/,
  c: /\.[ch]$/,
  cpp: /\.(?:cc|cpp|cxx|hpp)$/,
  csharp: /(?<!\.Designer|\.g)\.cs$/,
  ruby: /\.rb$/,
  php: /\.php$/,
  kotlin: /\.kt$/,
  swift: /\.swift$/,
  scala: /\.scala$/,
  bash: /(?:\.(?:sh|bash)|\/[\w-]+)$/
}
