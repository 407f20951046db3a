// What an orchestration has carried out for it, an activity or an HTTP call, and how that ended.
import type { HttpCall } from "./actions.ts";

export type Work =
  | { readonly kind: "activity"; readonly name: string; readonly input: string; readonly instanceId: string }
  | { readonly kind: "http"; readonly request: HttpCall };

/** `result` is JSON text. */
export type WorkOutcome =
  | { readonly kind: "done"; readonly result: string }
  | { readonly kind: "failed"; readonly reason: string; readonly details: string };
