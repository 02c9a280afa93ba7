// Bundles the CLI into one file. The published package ships this file and the launcher in bin/.
console.log("")
