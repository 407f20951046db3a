// One order in a world of the test kit, step by step: its own operations, scheduler, agents and supervisor, over the store in memory.

import type { StateRecord } from "@scheduler-agent-supervisor/core/domain";
import { type Begun, createSteppedWorld, type SteppedWorld } from "@scheduler-agent-supervisor/testing/memory";
import { business } from "../../../shared/business.ts";
import { type Action, type Case, DELAY_MS } from "./case.ts";
import { actionInWords, type Line, stepInWords } from "./narration.ts";
import { AGENTS, type Effect, type View, viewOf } from "./view.ts";

const ORDER = {
  orderId: "order-1",
  customer: { id: "customer-1" },
  lines: [{ sku: "TEA-100", quantity: 2, unitPrice: 450 }],
  currency: "EUR",
  paymentToken: "tok_visa",
  shipTo: { name: "Ada", street: "12 St James's Square", city: "London", postalCode: "SW1Y 4JH", country: "GB" },
};

export class Simulation {
  readonly #world: SteppedWorld;
  readonly #effects: Effect[] = [];
  /** Each with how it is brought back. */
  readonly #down = new Map<string, () => void>();
  readonly #lines: Line[] = [];
  #steps = 0;
  #isOver = false;
  #before: StateRecord | undefined;

  constructor(seed: number) {
    const services = Object.fromEntries(AGENTS.map((service) => [service, this.#serviceOf(service)]));
    this.#world = createSteppedWorld({ business, seed, services });
    this.#world.send(ORDER);
  }

  get steps(): number {
    return this.#steps;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  get now(): string {
    return this.#world.now;
  }

  get record(): StateRecord | undefined {
    return this.#steps > 0 ? this.#found() : undefined;
  }

  get effects(): readonly Effect[] {
    return this.#effects;
  }

  /** An address may name a service that is not there: then nothing happens. */
  apply(action: Action): void {
    const { kind, what } = action;
    if ((kind === "down" || kind === "up") && !AGENTS.some((service) => service === what)) return;
    const { processes } = this.#world;
    const message = processes.inFlight.find(({ id }) => String(id) === what);
    switch (kind) {
      case "kill":
        this.#world.kill(what);
        break;
      case "down":
        this.#down.set(what, this.#world.service(what).switchOn({ kind: "down" }));
        break;
      case "up":
        this.#down.get(what)?.();
        this.#down.delete(what);
        break;
      case "delay":
        processes.delay(Number(what), DELAY_MS);
        break;
      case "twice":
        processes.double(Number(what));
        break;
      case "all-twice":
        if (!processes.isEachTwice)
          for (const { id, kind: of } of processes.inFlight) if (of !== "turn") processes.double(id);
        processes.isEachTwice = true;
        break;
      default:
        kind satisfies never;
    }
    this.#isOver = false;
    this.#lines.push(actionInWords(this.#steps, this.now, action, message));
  }

  /** The next event; false once nothing is left to do. */
  async step(): Promise<boolean> {
    const { events } = this.#world;
    const known = { events: events.length, calls: this.#calls.length, statuses: this.#statuses.length };
    const ids = new Set(this.#world.processes.inFlight.map(({ id }) => id));
    const begun: Begun | undefined = await this.#world.step();
    if (!begun) {
      this.#isOver = true;
      return false;
    }
    this.#steps += 1;
    const record = this.record;
    this.#lines.push(
      stepInWords({
        ...{ step: this.#steps, at: this.now, begun, before: this.#before, record },
        sent: this.#world.processes.inFlight.filter(({ id }) => !ids.has(id)),
        events: events.slice(known.events),
        calls: this.#calls.slice(known.calls),
        statuses: this.#statuses.slice(known.statuses).map(({ status }) => status),
      }),
    );
    this.#before = record;
    return true;
  }

  view(): View {
    const { processes } = this.#world;
    return viewOf({
      ...{ steps: this.#steps, isOver: this.#isOver, now: this.now, record: this.record, processes },
      ...{ down: new Set(this.#down.keys()), effects: this.#effects, calls: this.#calls, lines: this.#lines },
      statuses: this.#statuses.map(({ status, step }) => (step ? `${status} ${step}` : status)),
    });
  }

  /** The broker drops a message that was sent twice: it has the same id. */
  get #statuses() {
    const sent = this.#world
      .statuses(ORDER.orderId)
      .map((one) => [`${one.status} ${one.attempt} ${one.step}`, one] as const);
    return [...new Map(sent.reverse()).values()].reverse();
  }

  /** In the order in which they were made. */
  get #calls() {
    const all = AGENTS.flatMap((service) => this.#world.service(service).calls.map((call) => ({ service, ...call })));
    return all.sort((one, other) => (one.at < other.at ? -1 : one.at > other.at ? 1 : 0));
  }

  #found(): StateRecord | undefined {
    try {
      return this.#world.record(ORDER.orderId);
    } catch {
      return undefined;
    }
  }

  /** Called for each effect alone: a request whose key is known gets the same answer again. */
  #serviceOf(service: string) {
    return ({ operation, idempotencyKey: key = "" }: { operation: string; idempotencyKey: string | undefined }) => {
      this.#effects.push({ service, operation, key });
      const seconds = (0.5 + Math.random() * 1.5).toFixed(2);
      return { body: { id: `${service}-${this.#effects.length}`, status: "done" }, takes: `PT${seconds}S` };
    };
  }
}

/** The same seed and the same actions lead to the same state. Goes to that step, or as far as there is something to do. */
export async function replay({ seed, actions }: Case, to: number): Promise<Simulation> {
  const simulation = new Simulation(seed);
  for (const action of [...actions, undefined]) {
    const next = Math.min(action?.after ?? to, to);
    while (simulation.steps < next && (await simulation.step()));
    if (action && action.after <= to) simulation.apply(action);
  }
  return simulation;
}
