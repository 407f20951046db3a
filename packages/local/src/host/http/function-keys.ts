// Access keys of functions, as Azure checks them: by the level that a function declares. The keys are known to everybody: the host listens on this machine only.
import type { IncomingMessage } from "node:http";
import type { RegisteredFunction } from "../contract.ts";
import { WEBHOOK_KEY } from "../durable/client-binding.ts";

/** Good for functions of the level `function`, and for webhooks. */
export const FUNCTION_KEY = WEBHOOK_KEY;
/** Good for everything: in Azure its name is `_master`. */
export const MASTER_KEY = "local-master";

/** The key that a request has: that of its header, if it has one, and else that of its query. */
export function keyOf(request: IncomingMessage): string | undefined {
  const { url = "/", headers } = request;
  const header = headers["x-functions-key"];
  if (header !== undefined) return Array.isArray(header) ? header[0] : header;
  const query = url.includes("?") ? new URLSearchParams(url.slice(url.indexOf("?") + 1)) : [];
  for (const [name, value] of query) if (name.toLowerCase() === "code") return value;
  return undefined;
}

/** Whether the request has the key that the function's level needs. */
export function mayCall({ trigger }: RegisteredFunction, request: IncomingMessage): boolean {
  const level = String(trigger["authLevel"] ?? "function").toLowerCase();
  if (level === "anonymous") return true;
  const key = keyOf(request);
  return key === MASTER_KEY || (level === "function" && key === FUNCTION_KEY);
}

/** Whoever started the host asks there whether it is ready. */
const OPEN = ["/admin/host/status", "/admin/host/ping", "/admin/counts"];

/** Whether the request has the key that a path of the host's own needs. */
export function mayAdminister(path: string, request: IncomingMessage): boolean {
  return OPEN.includes(path) || keyOf(request) === MASTER_KEY;
}
