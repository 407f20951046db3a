// Public entry `core/create-app`: creates the app for its functions. It loads Azure's SDKs, which takes longer than most commands. If you need only
// the declarations, import `core/app`.
export { type App, createApp } from "./app/create-app.ts";
