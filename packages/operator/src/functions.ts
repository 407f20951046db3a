// Public entry `operator/functions`: the handlers of the desk's functions, for the files of an app's `functions/`. It loads Azure's SDKs.
export { bulkOrchestration } from "./functions/bulk-run.ts";
export { bulkTurn } from "./functions/bulk-turn.ts";
export { serveConsole } from "./functions/console.ts";
export { deskHooks } from "./functions/desk.ts";
export { gauges, gaugesInputs } from "./functions/gauges.ts";
export { operatorApi, type Words } from "./functions/operator-api.ts";
