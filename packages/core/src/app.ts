// Public entry `core/app`: an app's declarations in one place (P5, P6).
export type {
  CheckedOperation,
  CheckedService,
  CheckedServices,
  CheckVerdict,
  ServiceCheck,
} from "./app/checked-services.ts";
export { type AgentEndpoints, type AppDefinition, type Business, defineApp } from "./app/define-app.ts";
