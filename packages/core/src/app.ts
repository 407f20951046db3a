// Public entry `core/app`: an app's business in one place, and all that can be known wrong of it before it starts.
export type { Environment } from "./app/config.ts";
export { type AppDefinition, type Business, defineApp } from "./app/define-app.ts";
export { startFaults } from "./app/start-faults.ts";
