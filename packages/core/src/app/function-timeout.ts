// The host's limit for one run of a function (P8): from the app's host.json, or the setting that overrides it.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type HostTimeout, USUAL_TIMEOUT } from "../domain/definition/workflow.ts";
import type { Environment } from "./config.ts";

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
