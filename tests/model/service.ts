// The remote service, as the agents' contract has it (shared/agents/http-service.ts): idempotent by key; an undo of what it never
// saw makes it refuse what may still arrive under that key; and what it refuses for good it refuses until somebody mends the cause.
import type { BoundedReply } from "../../shared/agents/agent.ts";
import type { ServiceCall } from "./calls.ts";

/** What stands under each key: an effect, or one that was undone, also before it came, or none so far but a refusal. */
export type Ledger = { readonly [key: string]: Entry };
type Entry = "live" | "undone" | "refused";

type Answer = Exclude<BoundedReply, { kind: "expired" }>;

const ROUTE = { endpoint: "http://service/", because: "only one" };
export const ACCEPTED: Answer = { kind: "accepted", ...ROUTE };
export const REFUSED: Answer = { kind: "rejected", message: "refused", ...ROUTE };

export function act(
  ledger: Ledger,
  { key, undoes }: ServiceCall,
): { readonly ledger: Ledger; readonly answer: Answer } {
  const answer: Answer = { kind: "done", result: { id: "1" }, ...ROUTE };
  if (undoes !== null) return { ledger: entered(ledger, undoes, "undone"), answer };
  if (ledger[key] === "undone" || ledger[key] === "refused") return { ledger, answer: REFUSED };
  return { ledger: entered(ledger, key, "live"), answer };
}

export function refuse(ledger: Ledger, { key, undoes }: ServiceCall): Ledger {
  return undoes === null ? entered(ledger, key, "refused") : ledger;
}

/** A key that took effect is answered as before, so only a new effect can be refused. */
export function mayRefuse(ledger: Ledger, { key, undoes }: ServiceCall): boolean {
  return undoes === null ? ledger[key] === undefined : ledger[undoes] === "live";
}

/** The cause of what was refused is mended. */
export function mended(ledger: Ledger): Ledger {
  return Object.fromEntries(Object.entries(ledger).filter(([, entry]) => entry !== "refused"));
}

/** A person has undone whatever stood. */
export function undoneByHand(ledger: Ledger): Ledger {
  return Object.fromEntries(Object.entries(ledger).map(([key, entry]) => [key, entry === "live" ? "undone" : entry]));
}

/** The steps whose effect stands, each as often as it does. */
export function liveSteps(ledger: Ledger): string[] {
  return Object.entries(ledger).flatMap(([key, state]) => (state === "live" ? [stepOf(key)] : []));
}

export function stepOf(key: string): string {
  return key.split(":")[1] ?? "";
}

/** In one order of keys, so that equal ledgers are equal texts. */
function entered(ledger: Ledger, key: string, state: Entry): Ledger {
  return Object.fromEntries(
    Object.entries({ ...ledger, [key]: state }).sort(([one], [other]) => (one < other ? -1 : 1)),
  );
}
