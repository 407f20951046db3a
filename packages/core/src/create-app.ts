// Public entry `core/create-app`: puts an app together for its functions. It loads Azure's SDKs, which takes a command longer than its own work:
// whoever needs the business alone imports `core/app`.
export { type App, createApp } from "./app/create-app.ts";
