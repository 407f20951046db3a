// Public entry `local/bus`: the Service Bus broker in this process.
export { type BusOptions, type RunningBus, startBus } from "./bus/start.ts";
