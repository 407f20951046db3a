// What `@azure/functions-core` is in the host's process: core-module.ts sets it.
module.exports = (globalThis as Readonly<Record<symbol, unknown>>)[Symbol.for("local.host.functions-core")];
