// Carries out an orchestrator's `callHttp`; a status of failure is a result, as in the real extension, not an error.
import { inWords, isError, messageOf } from "../../thrown.ts";
import type { HttpCall } from "./actions.ts";
import type { WorkOutcome } from "./work.ts";

/** The real extension's default. */
const TIMEOUT_MS = 100_000;

export async function callHttp({ method, uri, content, headers }: HttpCall): Promise<WorkOutcome> {
  try {
    const response = await fetch(uri, {
      method,
      headers: headers ?? {},
      redirect: "manual",
      signal: AbortSignal.timeout(TIMEOUT_MS),
      ...(content !== undefined && { body: content }),
    });
    const received = {
      statusCode: response.status,
      headers: Object.fromEntries(response.headers),
      content: await response.text(),
    };
    return { kind: "done", result: JSON.stringify(received) };
  } catch (cause) {
    const why = isError(cause) ? `${messageOf(cause)}: ${inWords(cause.cause ?? "")}` : inWords(cause);
    return { kind: "failed", reason: `HTTP ${method} ${uri} failed: ${why}`, details: "" };
  }
}
