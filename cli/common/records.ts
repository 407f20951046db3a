// Reads state records and the quarantine, for people.

import type { SqlQuerySpec } from "@azure/cosmos";
import { QUEUES } from "@scheduler-agent-supervisor/core/app";
import type { StateRecord } from "@scheduler-agent-supervisor/core/domain";
import { CONTAINERS, DATABASE } from "@scheduler-agent-supervisor/core/store";
import type { Settings } from "../every-app/stack-file.ts";
import { openBus, openCosmos } from "./azure.ts";

interface Quarantined {
  readonly messageId: string;
  readonly faults: readonly string[];
}

export interface Records {
  /** The records of these orders, as far as they exist. */
  of(orderIds: readonly string[]): Promise<StateRecord[]>;
  unfinished(): Promise<StateRecord[]>;
  /** The newest `limit` records. */
  latest(limit: number): Promise<StateRecord[]>;
  /** What stands in the quarantine queue, left there. */
  quarantined(): Promise<readonly Quarantined[]>;
  close(): Promise<void>;
}

const PEEK = 250;
/** The store compares each record with each id that is asked for: of more than these all records are read. */
const MANY = 1000;

export function openRecords(settings: Settings): Records {
  const cosmos = openCosmos(settings);
  const container = cosmos.database(DATABASE).container(CONTAINERS.jobs);
  const bus = openBus(settings, { retryOptions: { retryDelayInMs: 300 } });
  const quarantine = bus.createReceiver(QUEUES.quarantine);
  const quarantined: Quarantined[] = [];

  const query = async (spec: SqlQuerySpec) => (await container.items.query<StateRecord>(spec).fetchAll()).resources;

  return {
    async of(orderIds) {
      if (orderIds.length > MANY) {
        const wanted = new Set(orderIds);
        const all = await query({ query: "SELECT * FROM c WHERE c.id = 'state'" });
        return all.filter(({ jobId: orderId }) => wanted.has(orderId));
      }
      return query({
        query: "SELECT * FROM c WHERE c.id = 'state' AND ARRAY_CONTAINS(@ids, c.jobId)",
        parameters: [{ name: "@ids", value: [...orderIds] }],
      });
    },
    unfinished: () => query({ query: "SELECT * FROM c WHERE c.processState IN ('Pending', 'Processing')" }),
    latest: (limit) =>
      query({
        query: "SELECT * FROM c WHERE IS_DEFINED(c.processState) ORDER BY c.createdAt DESC OFFSET 0 LIMIT @limit",
        parameters: [{ name: "@limit", value: limit }],
      }),
    async quarantined() {
      // Each peek of one receiver goes on where the last one ended.
      for (;;) {
        const messages = await quarantine.peekMessages(PEEK);
        if (messages.length === 0) return quarantined;
        for (const { messageId, applicationProperties } of messages) {
          const properties = Object.entries(applicationProperties ?? {});
          const faults = properties.flatMap(([name, value]) => (/^fault\d+$/.test(name) ? [String(value)] : []));
          quarantined.push({ messageId: String(messageId), faults });
        }
      }
    },
    async close() {
      await bus.close();
      cosmos.dispose();
    },
  };
}
