// Operators claim jobs and causes and leave notes: all are read at once, and each is written at the version that the operator has seen.

import { instant } from "@scheduler-agent-supervisor/core/domain";
import { type Context, type Ports, writeAuditLog } from "@scheduler-agent-supervisor/core/scheduling";
import { isWanted, remembered, type WantedVersion } from "@scheduler-agent-supervisor/core/store";
import { changeHandling, claimAt, type HandlingChange } from "../domain/handling.ts";
import { type ListPosition, MOST_ON_A_PAGE } from "../domain/list-page.ts";
import type { HandlingAnswer, Handlings } from "../messaging/console-contract.ts";
import type { HandlingStore, HandlingTarget, ReadHandling } from "../store/handling-store.ts";
import type { AttentionView } from "./attention.ts";

export interface HandlingPorts {
  readonly store: HandlingStore;
  readonly attention: Pick<AttentionView, "members">;
  readonly now: () => number;
}

export type Handled =
  | { readonly kind: "changed"; readonly handling: HandlingAnswer }
  | { readonly kind: "rejected"; readonly reason: string }
  /** Another operator has written it since it was read. */
  | { readonly kind: "stale" };

/** Without a position: the claims and notes, and where the next page begins. */
export interface HandlingPage extends Omit<Handlings, "continuation"> {
  readonly next?: ListPosition;
}

export interface HandlingView {
  /** The first page is read at most once in some seconds. @param after the end of the page before */
  page(limit?: number, after?: ListPosition): Promise<HandlingPage>;
  /** @param seen the version that the operator has seen; undefined if there was none */
  change(
    target: HandlingTarget,
    change: HandlingChange,
    seen: WantedVersion | undefined,
    operator: string,
  ): Promise<Handled>;
}

/** The number of its jobs by which a group's notes are found again. */
const MOST_JOBS = 50;

export function createHandling({ store, attention, now }: HandlingPorts): HandlingView {
  const answer = ({ target, etag, notes, jobIds, claim }: ReadHandling): HandlingAnswer => ({
    target,
    etag,
    claim: claimAt({ claim, notes }, now()),
    notes: [...notes],
    jobIds: [...jobIds],
  });
  const read = async (limit: number, after?: ListPosition) => ({
    at: instant(now()),
    ...(await store.latest(limit, after)),
  });
  const latest = remembered(now, () => read(MOST_ON_A_PAGE));

  return {
    async page(limit = MOST_ON_A_PAGE, after) {
      const isFirst = after === undefined && limit === MOST_ON_A_PAGE;
      const { at, handlings, next } = await (isFirst ? latest.read() : read(limit, after));
      const isAll = next === undefined && after === undefined;
      // A claim may have ended since it was read.
      return { asOf: at, isAll, handlings: handlings.map(answer), ...(next && { next }) };
    },

    async change(target, change, seen, operator) {
      latest.forget();
      const current = await store.read(target);
      const isSeen = current ? seen !== undefined && isWanted(current.etag, seen) : seen === undefined;
      if (!isSeen) return { kind: "stale" };
      const changed = changeHandling(current, change, operator, now());
      if (changed.kind === "rejected") return changed;
      const jobIds = target.kind === "group" ? (await attention.members(target.id)).jobIds.slice(0, MOST_JOBS) : [];
      const next = { ...changed.handling, target, jobIds, at: instant(now()) };
      const written = await store.write(next, current?.etag);
      latest.forget();
      return written ? { kind: "changed", handling: answer(written) } : { kind: "stale" };
    },
  };
}

interface ClaimChange {
  readonly target: HandlingTarget;
  readonly change: HandlingChange;
  readonly seen: WantedVersion | undefined;
}

/** Order of writes: the claim or note, then the audit log, which has an entry for a change that is not possible too. */
export async function changeClaim(
  { target, change, seen }: ClaimChange,
  operator: string,
  handling: Pick<HandlingView, "change">,
  context: Context<Pick<Ports, "supervision" | "now">>,
): Promise<Handled> {
  const handled = await handling.change(target, change, seen, operator);
  const isJob = target.kind === "job";
  const entry = {
    at: instant(context.now()),
    operator,
    action: isJob ? change.kind : `${change.kind} ${target.kind} ${target.id}`,
    jobId: isJob ? target.id : null,
    reason: change.kind === "note" ? change.text : null,
    outcome: outcomeOf(handled),
    before: null,
    after: null,
  };
  await writeAuditLog(entry, null, context);
  return handled;
}

function outcomeOf(handled: Handled): string {
  if (handled.kind === "changed") return "done";
  const why = handled.kind === "stale" ? "it is not at the version that was looked at" : handled.reason;
  return `rejected: ${why}`;
}
