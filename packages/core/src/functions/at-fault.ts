// The answer to a request that is at fault: all faults at once.
import type { HttpResponseInit } from "@azure/functions";

export function atFault(faults: readonly string[]): HttpResponseInit {
  return { status: 400, jsonBody: { error: "The request is at fault.", faults } };
}
