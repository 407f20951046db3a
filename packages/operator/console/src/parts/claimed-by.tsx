// Who sees to a job or a cause, in the lists.
import type { HandlingAnswer } from "../api/contract.ts";
import { useClaims } from "../api/queries.ts";
import { HANDLING } from "../words/attention.ts";
import { TEXT } from "../words/frame.ts";
import { Unknown } from "./notices.tsx";
import { useInstant } from "./zone.tsx";

export type HandlingTarget = HandlingAnswer["target"];

export const isOf =
  ({ kind, id }: HandlingTarget) =>
  ({ target }: HandlingAnswer): boolean =>
    target.kind === kind && target.id === id;

/** Once in a view whose rows say who sees to them: without an answer nobody seems to. */
export function ClaimsUnknown() {
  const { error, refetch } = useClaims();
  return error && <Unknown words={TEXT.claimsUnknown} cause={error} retry={() => void refetch()} />;
}

export function ClaimedBy({ target }: { readonly target: HandlingTarget }) {
  const { data } = useClaims();
  const words = useInstant();
  const found = data?.handlings.find(isOf(target));
  if (!found) return null;
  const { claim, notes } = found;
  const parts = [
    ...(claim ? [HANDLING.claimed(claim.by, words(claim.until))] : []),
    ...(notes.length > 0 ? [HANDLING.noteCount(notes.length)] : []),
  ];
  return parts.length > 0 && <p className="quiet">{parts.join(" · ")}</p>;
}
