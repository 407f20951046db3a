// node:module for the simulator: the one module of durable-functions that the test kit asks for.
import orchestrator from "durable-functions/lib/src/orchestrations/Orchestrator.js";

export function syncBuiltinESMExports(): void {}

export function createRequire(): () => unknown {
  return () => orchestrator;
}
