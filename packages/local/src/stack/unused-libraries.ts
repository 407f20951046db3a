// Preloaded into Azurite: of the CPU that its start takes, half went into two libraries that it does not use here. Its telemetry is off, and it keeps its
// data in files or in memory, never in a database.
import { createRequire, Module } from "node:module";

const UNUSED: Readonly<Record<string, object>> = {
  applicationinsights: {},
  // Four classes extend it while they load.
  sequelize: { Model: class {} },
};

/** Not by module.registerHooks: with one, Node 22.19 does not load what is required in turn. */
const require = createRequire(process.argv[1] ?? import.meta.filename);
for (const [name, exports] of Object.entries(UNUSED)) {
  const file = require.resolve(name);
  // In a repository that replaces both by one package, they are one file.
  const all = { ...require.cache[file]?.exports, ...exports };
  require.cache[file] = Object.assign(new Module(file), { filename: file, loaded: true, exports: all });
}
