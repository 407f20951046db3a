// Preloaded into Azurite: of the CPU that its start takes, half went into two libraries that it does not use here. Its telemetry is off, and it keeps its
// data in files or in memory, never in a database.
import { registerHooks } from "node:module";

const UNUSED: Readonly<Record<string, string>> = {
  applicationinsights: "",
  // Four classes extend it while they load.
  sequelize: "exports.Model = class {};",
};
const PREFIX = "unused:";

registerHooks({
  resolve: (specifier, context, next) =>
    Object.hasOwn(UNUSED, specifier)
      ? { url: `${PREFIX}${specifier}`, format: "commonjs", shortCircuit: true }
      : next(specifier, context),
  load: (url, context, next) =>
    url.startsWith(PREFIX)
      ? { format: "commonjs", source: UNUSED[url.slice(PREFIX.length)] ?? "", shortCircuit: true }
      : next(url, context),
});
