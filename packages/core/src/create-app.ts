// Public entry `core/create-app`: puts an app together for its functions. It loads Azure's SDKs, which takes longer than most commands do:
// whoever needs the business alone imports that.
export { type App, createApp } from "./app/create-app.ts";
