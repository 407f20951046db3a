// What `npm start -- --hosts 2 --cut-off PART` shows: orders come while the second region is cut off, the first one goes on alone, and
// each step has one effect.
import { setTimeout as sleep } from "node:timers/promises";
import type { StepRecord } from "@scheduler-agent-supervisor/core/domain";
import { business } from "../../shared/business.ts";
import type { Records } from "../common/records.ts";
import { madeJob, type Shop } from "../common/shop.ts";
import type { Board } from "./board.ts";
import type { Followed } from "./follow.ts";
import type { SecondRegion, SharedPart } from "./second-region.ts";

const SEND_EVERY_MS = 3000;
/** So that it is in the middle of its work. */
const BEGINS_AFTER_MS = 500;

export interface CutOff {
  readonly from: SharedPart;
  readonly ms: number;
}

export class Outage {
  isOver = false;
  readonly #cutOff: CutOff;
  readonly #begunAt = performance.now();
  #orders = 0;

  constructor(cutOff: CutOff) {
    this.#cutOff = cutOff;
  }

  /** Cuts the region off, and adds an order to `orders` every few seconds, until it is back. */
  async run(region: SecondRegion, shop: Shop, orders: Followed[], stop: AbortSignal): Promise<void> {
    const run = Date.now().toString(36);
    const { from, ms } = this.#cutOff;
    const endAt = Date.now() + ms;
    await sleep(BEGINS_AFTER_MS);
    await region.cutOff(from, async () => {
      for (; Date.now() < endAt && !stop.aborted; await sleep(Math.min(SEND_EVERY_MS, endAt - Date.now()))) {
        this.#orders += 1;
        const orderId = `meanwhile-${run}-${this.#orders}`;
        const messageId = await shop.send(madeJob(orderId).content);
        orders.push({ orderId, messageId, sample: undefined, about: "sent meanwhile", sentAt: Date.now() });
      }
    });
    this.isOver = true;
  }

  /** Says with the orders how the region is. */
  above(board: Board): Board {
    const { from, ms } = this.#cutOff;
    return {
      show: (rows) => {
        const about = this.isOver ? "both regions work" : `from the ${from}, for ${ms / 1000} s`;
        const seconds = (performance.now() - this.#begunAt) / 1000;
        board.show([
          { orderId: "host2", about, state: this.isOver ? "Connected" : "Cut off", detail: "", seconds },
          ...rows,
        ]);
      },
    };
  }
}

/** What an agent without a service does has no effect in one. */
const SERVED: ReadonlySet<string> = new Set(business.serviceAgents.map(({ name }) => name));

interface Effect {
  readonly key: string;
  readonly body: { readonly reference?: string };
}

/** Orders of which a step had no effect, or more than one, among those that are Processed; in words. */
export async function effectFaults(
  orders: readonly Followed[],
  records: Records,
  remotes: Readonly<Record<string, string>>,
): Promise<string[]> {
  const auditLogs = Object.values(remotes).map(async (url) => {
    const { effects } = (await (await fetch(`${url}/$effects`)).json()) as { effects: Effect[] };
    // A service without keys has what it was sent as a reference.
    return effects.map(({ key, body: { reference = key } }) => reference);
  });
  const keys = (await Promise.all(auditLogs)).flat();
  const found = await records.of(orders.map(({ orderId }) => orderId));
  return found.flatMap(({ jobId: orderId, processState, steps }) => {
    const own = keys.filter((key) => key.startsWith(`${orderId}:`)).length;
    const isWanted = ({ agent, state }: StepRecord) => SERVED.has(agent) && state !== "Skipped";
    const wanted = Object.values(steps).filter(isWanted).length;
    return processState !== "Processed" || own === wanted ? [] : [`${orderId}: ${own} effects of ${wanted} steps`];
  });
}
