// Who sees to what, for the terminal: claims and notes, all pages of them, and their changes.
import { counted } from "@scheduler-agent-supervisor/core/internal/domain/counted";
import type {
  HandlingAnswer,
  Handlings,
} from "@scheduler-agent-supervisor/operator/internal/messaging/console-contract";
import { type App, queryOf } from "./app.ts";
import { say, timeText } from "./text.ts";

export type Target = HandlingAnswer["target"];
type Change = { readonly kind: "claim" | "release" } | { readonly kind: "note"; readonly text: string };

/** A page alone would show a claimed order as one that nobody sees to. */
export async function claimsOf(app: App): Promise<HandlingAnswer[]> {
  const handlings: HandlingAnswer[] = [];
  let continuation: string | undefined;
  do {
    const page: Handlings = await app.get(`claims${queryOf({ continuation })}`);
    handlings.push(...page.handlings);
    continuation = page.continuation;
  } while (continuation !== undefined);
  return handlings;
}

/** At the version that stands there now: where somebody is faster, the app says so and nothing is changed. */
export async function changeHandling(app: App, target: Target, change: Change): Promise<void> {
  const seen = (await claimsOf(app)).find(isOf(target));
  const { claim, notes } = await app.post<HandlingAnswer>("claims", { target, change }, seen?.etag);
  say(claim ? `Claimed by ${claim.by} until ${timeText(claim.until)}.` : "Nobody has claimed it.");
  for (const { at, by, text } of notes) say(`${timeText(at)} ${by}: ${text}`);
}

export const isOf =
  ({ kind, id }: Target) =>
  ({ target }: HandlingAnswer): boolean =>
    target.kind === kind && target.id === id;

export function claimWords(handlings: readonly HandlingAnswer[], target: Target): string {
  const found = handlings.find(isOf(target));
  const notes = found && found.notes.length > 0 ? counted(found.notes.length, "note") : "";
  return [found?.claim?.by ?? "", notes].filter(Boolean).join(", ");
}
