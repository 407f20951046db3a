// All faults of the app that can be found without a request to any service: in its settings, and in its workflows and agents.
import { messageOf } from "../domain/thrown.ts";
import { type Environment, parseConfig } from "./config.ts";
import type { Business } from "./define-app.ts";
import { functionTimeoutOf } from "./function-timeout.ts";

/** All faults that keep an app from starting with these settings: each as text, with the solution; empty if the app can run. */
export function startFaults(business: Business, environment: Environment): readonly string[] {
  let startWithinMs: number | undefined;
  const settings = () => {
    startWithinMs = parseConfig(environment, business).StartWithin;
  };
  return [settings, () => business.loadWorkflows(startWithinMs, functionTimeoutOf(environment))].flatMap(faultOf);
}

function faultOf(check: () => unknown): string[] {
  try {
    check();
    return [];
  } catch (cause) {
    return [messageOf(cause)];
  }
}
