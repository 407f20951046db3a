// The choice of the endpoint for a call, and of the next call (P19): decided from the endpoints' state, without a clock.
import type { Priority } from "../domain/content/job.ts";

/**
 * `healthy` takes work. `resting`: it requested a pause (Retry-After). `broken`: its circuit is open. `probeDue`: it was broken, and one call may
 * test whether it still is. `probing`: that call is in progress.
 */
export type Health = "healthy" | "resting" | "broken" | "probeDue" | "probing";

export interface EndpointView {
  readonly url: string;
  readonly capacity: number;
  readonly inFlight: number;
  /** The number of calls ever sent there: breaks ties, so that idle endpoints take turns. */
  readonly served: number;
  readonly health: Health;
}

export type EndpointChoice<View extends EndpointView> =
  | { readonly endpoint: View; readonly because: string }
  | { readonly wait: string };

/**
 * The least loaded healthy endpoint with room. `failed` is the endpoint where this same call has just failed: an endpoint that fails fast is
 * always the least loaded, so it is chosen again only if no other has room.
 *
 * A due probe goes before that, because otherwise a broken endpoint would never become healthy again; but a high-priority call is used for a probe
 * only if no healthy endpoint has room.
 */
export function chooseEndpoint<View extends EndpointView>(
  views: readonly View[],
  priority: Priority,
  failed?: string,
): EndpointChoice<View> {
  let healthy = 0;
  let best: View | undefined;
  let again: View | undefined;
  let probe: View | undefined;
  for (const view of views) {
    if (view.health === "healthy") healthy += 1;
    if (view.inFlight >= view.capacity) continue;
    if (view.health === "probeDue") probe ??= view;
    if (view.health !== "healthy") continue;
    if (view.url === failed) again = view;
    else if (!best || isLessLoaded(view, best)) best = view;
  }
  if (probe && (priority === "normal" || !(best ?? again)))
    return { endpoint: probe, because: "probe after an outage" };
  if (best) return { endpoint: best, because: reason(healthy, views.length, failed !== undefined) };
  if (again) return { endpoint: again, because: reason(healthy, views.length, false) };
  return { wait: healthy > 0 ? `all ${healthy} healthy are at capacity` : `none of ${views.length} is healthy` };
}

function isLessLoaded(one: EndpointView, other: EndpointView): boolean {
  const difference = one.inFlight / one.capacity - other.inFlight / other.capacity;
  if (difference !== 0) return difference < 0;
  const [spare, otherSpare] = [one.capacity - one.inFlight, other.capacity - other.inFlight];
  // Idle endpoints of unequal capacity take turns in that proportion.
  return one.served / spare < other.served / otherSpare;
}

function reason(healthy: number, all: number, elsewhere: boolean): string {
  if (all === 1) return "only one";
  if (healthy === 1) return "only healthy one";
  return `least loaded of ${healthy} healthy${elsewhere ? ", after another one failed" : ""}`;
}

/** While both lanes wait, one of this number of grants goes to the lower lane, so that it never starves. */
export const NORMAL_SHARE = 4;

/** The next lane. `passedOver`: how many high ones in a row went before a normal one that was waiting. */
export function nextLane(
  waiting: { readonly [lane in Priority]: number },
  passedOver: number,
): { readonly lane: Priority; readonly passedOver: number } | undefined {
  if (waiting.high > 0 && waiting.normal > 0) {
    return passedOver < NORMAL_SHARE - 1
      ? { lane: "high", passedOver: passedOver + 1 }
      : { lane: "normal", passedOver: 0 };
  }
  if (waiting.high > 0) return { lane: "high", passedOver: 0 };
  return waiting.normal > 0 ? { lane: "normal", passedOver: 0 } : undefined;
}
