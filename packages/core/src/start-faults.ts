// Public entry `core/start-faults`: the faults of an app that can be found before it starts. It loads the settings' parser, which commands that only
// need the declarations do not need.
export type { Environment } from "./app/config.ts";
export { startFaults } from "./app/start-faults.ts";
