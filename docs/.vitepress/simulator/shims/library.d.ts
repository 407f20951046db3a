// Modules of durable-functions that it has without types.
declare module "durable-functions/lib/src/RetryOptions.js" {
  export { RetryOptions } from "durable-functions";
}
declare module "durable-functions/lib/src/orchestrations/Orchestrator.js" {
  const orchestrator: object;
  // biome-ignore lint/style/noDefaultExport: as the builder makes it of CommonJS.
  export default orchestrator;
}
