// All that can be known wrong of the app before anything is asked of anyone: its settings, and its workflows against its agents.
import { type Environment, parseConfig } from "./config.ts";
import type { Business } from "./define-app.ts";

/** All that keeps an app from starting with these settings: each fault in words, with the way out; empty where the app can run. */
export function startFaults(business: Business, environment: Environment): readonly string[] {
  return [() => parseConfig(environment, business), () => business.loadWorkflows()].flatMap(faultOf);
}

function faultOf(check: () => unknown): string[] {
  try {
    check();
    return [];
  } catch (cause) {
    return [cause instanceof Error ? cause.message : String(cause)];
  }
}
