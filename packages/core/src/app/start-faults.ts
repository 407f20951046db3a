// All faults of the app that can be found without a request to any service: in its settings, and in its workflows and agents.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type HostTimeout, USUAL_TIMEOUT } from "../domain/definition/workflow.ts";
import { messageOf } from "../domain/thrown.ts";
import { type Environment, parseConfig } from "./config.ts";
import type { Business } from "./define-app.ts";

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

/** How the Functions host overrides a member of host.json. */
const OVERRIDE = "AzureFunctionsJobHost__functionTimeout";
/** .NET's TimeSpan: days, hours, minutes and seconds. */
const TIME_SPAN = /^(?:(\d+)\.)?(\d{1,2}):(\d{1,2})(?::(\d{1,2}(?:\.\d+)?))?$/;

/**
 * The limit of the host that runs this app. A text that the host itself rejects is not judged here, and without a host.json the usual limit holds.
 * @param root the folder of host.json: the host names it, or runs in it
 */
export function functionTimeoutOf(
  environment: Environment,
  root = environment["AzureWebJobsScriptRoot"] ?? process.cwd(),
): HostTimeout {
  const override = environment[OVERRIDE];
  const text = override ?? timeoutIn(join(root, "host.json"));
  const ms = text === undefined ? undefined : timeSpanMs(text);
  if (ms === undefined) return USUAL_TIMEOUT;
  return {
    ms,
    from: override === undefined ? `functionTimeout ${text} in host.json` : `the setting ${OVERRIDE}=${text}`,
  };
}

function timeoutIn(path: string): string | undefined {
  try {
    const { functionTimeout } = JSON.parse(readFileSync(path, "utf8")) as { readonly functionTimeout?: unknown };
    return typeof functionTimeout === "string" ? functionTimeout : undefined;
  } catch {
    return undefined;
  }
}

function timeSpanMs(text: string): number | undefined {
  if (text === "-1") return Number.POSITIVE_INFINITY;
  const [, days = "0", hours = "0", minutes = "0", seconds = "0"] = TIME_SPAN.exec(text) ?? [];
  const ms = (((Number(days) * 24 + Number(hours)) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000;
  return ms > 0 ? ms : undefined;
}
