// Public entry `core/hosting`, for other packages' functions: how a function answers what went wrong, and its client of the durable engine.
export { atFault } from "./functions/at-fault.ts";
export { engineClient } from "./functions/engine-client.ts";
