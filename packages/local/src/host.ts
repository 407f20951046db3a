// Public entry `local/host`: the Functions host in this process, and the app that it loads.
export { type LoadedApp, loadApp } from "./host/app/app.ts";
export type { RegisteredFunction, TypedData } from "./host/contract.ts";
export type { HostOptions } from "./host/host-options.ts";
export { type RunningHost, startHost } from "./host/start.ts";
