// Public entry `core/start-faults`: all that can be known wrong of an app before it starts. It loads what parses the settings, which no command
// needs that asks the business alone.
export type { Environment } from "./app/config.ts";
export { startFaults } from "./app/start-faults.ts";
