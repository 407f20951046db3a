// Access keys of functions, as Azure checks them: by the level that a function declares. The keys are known to everybody: the host listens on this machine only.
import type { IncomingMessage } from "node:http";
import type { RegisteredFunction } from "./contract.ts";
import { WEBHOOK_KEY } from "./durable/client-binding.ts";

/** Good for functions of the level `function`, and for webhooks. */
export const FUNCTION_KEY = WEBHOOK_KEY;
/** Good for everything: in Azure its name is `_master`. */
export const MASTER_KEY = "local-master";

/** The key that a request has, in its query or its header. */
export function keyOf(request: IncomingMessage): string | undefined {
  const { url = "/", headers } = request;
  const query = url.includes("?") ? new URLSearchParams(url.slice(url.indexOf("?") + 1)).get("code") : null;
  const header = headers["x-functions-key"];
  return query ?? (Array.isArray(header) ? header[0] : header);
}

/** Whether the request has the key that the function's level needs. */
export function mayCall({ trigger }: RegisteredFunction, request: IncomingMessage): boolean {
  const level = String(trigger["authLevel"] ?? "function").toLowerCase();
  if (level === "anonymous") return true;
  const key = keyOf(request);
  return key === MASTER_KEY || (level === "function" && key === FUNCTION_KEY);
}
