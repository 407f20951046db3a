// An activity that an orchestration has carried out for it, and how that ended.

export interface Work {
  readonly name: string;
  readonly input: string;
  readonly instanceId: string;
}

/** `result` is JSON text. */
export type WorkOutcome =
  | { readonly kind: "done"; readonly result: string }
  | { readonly kind: "failed"; readonly reason: string; readonly details: string };
