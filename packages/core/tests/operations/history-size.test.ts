// How much a durable engine keeps of an attempt (P22): letters with many recipients, whose printer is polled for minutes or for a day.

import { createWorld, type World } from "@scheduler-agent-supervisor/testing";
import { EVENT } from "@scheduler-agent-supervisor/testing/memory";
import { expect, test } from "vitest";
import { z } from "zod";
import { idAs } from "../../src/agents/service-request.ts";
import { defineAgent } from "../../src/app/define-agent.ts";
import { defineApp } from "../../src/app/define-app.ts";
import { workflowsOf } from "../../src/app/define-workflow.ts";
import type { Job } from "../../src/domain/content/job.ts";
import { MOST_RUNS } from "../../src/domain/record/record-limits.ts";
import { defineContract, jobId, jobMembers } from "../../src/messaging/contract.ts";

interface Mailing extends Job {
  readonly jobId: string;
  readonly recipients: readonly string[];
}

const contract = defineContract<Mailing>({
  schema: z.strictObject({ ...jobMembers("mailing"), jobId, recipients: z.array(z.string()) }),
  secrets: [],
  keys: [],
  keysOf: () => ({}),
});

const printer = defineAgent({
  name: "printer",
  service: { setting: "PrinterEndpoints", local: "http://127.0.0.1:7190" },
  seen: ({ jobId: id }: Mailing) => ({ jobId: id }),
  results: { print: idAs("sheetId"), bind: idAs("sheetId") },
  operations: {
    print: ({ item, completion }) => ({ path: "sheets", body: item ?? {}, mayBeDoneLater: !!completion }),
    bind: ({ results }) => ({ path: "books", body: results }),
  },
  policies: { print: { poll: (_, reference = "") => ({ path: `sheets/${reference}` }) } },
});

const agents = [printer] as const;
const lists = { recipients: ({ recipients }: Mailing) => recipients.map((name) => ({ name })) };
const rules = { conditions: {}, lists };

const mailing = workflowsOf(
  agents,
  rules,
)({
  name: "mailing",
  version: 1,
  policy: { failureThreshold: 2, waits: [], onExhausted: "compensate", onRejected: "compensate" },
  steps: [
    {
      ...{ name: "printSheet", agent: "printer", operation: "print", after: [], forEach: "recipients" },
      ...{ completeWithin: "PT10S", awaitWithin: "P30D", compensation: "nothing" },
    },
    {
      ...{ name: "printCover", agent: "printer", operation: "print", after: [], forEach: "recipients" },
      ...{ completeWithin: "PT10S", awaitWithin: "P30D", compensation: "nothing" },
    },
    {
      ...{ name: "bindBook", agent: "printer", operation: "bind", after: ["printSheet", "printCover"] },
      ...{ completeWithin: "PT10S", compensation: "nothing" },
    },
  ],
});

const contracts = { usual: contract, usualWorkflow: "mailing", of: {} };
const business = defineApp({ contracts, agents, workflows: [mailing], rules });

/** A mailing whose printer needs that long for each of its sheets. */
async function mailingTo(count: number, after: string, askAgainAfter: string): Promise<World> {
  const world = createWorld({ business });
  world.service("printer").isDoneLater("print", { after, askAgainAfter });
  const recipients = Array.from({ length: count }, (_, index) => `recipient ${index + 1}`);
  expect(await world.submit({ jobId: "m", recipients })).toMatchObject({ kind: "recorded" });
  return world;
}

const bytesOf = (world: World) => JSON.stringify(world.history("m")).length;
const MB = 1e6;
/** They skip all waiting, and still make over a thousand polls each. */
const LIMIT_MS = 120_000;

test(
  "P22 25 sheets and covers that are polled for ten minutes keep less than a megabyte",
  async () => {
    const world = await mailingTo(25, "PT10M", "PT30S");
    let most = 0;
    for (let minute = 0; minute < 15; minute += 1) {
      await world.run({ for: "PT1M", most: 200_000 });
      most = Math.max(most, bytesOf(world));
    }
    expect(world.record("m").processState).toBe("Processed");
    // The book has the result of each sheet and cover, although most of their ends were told to nobody.
    const begun = world.history("m").find(({ Name, Input }) => Name === "printerAgent" && Input?.includes("bindBook"));
    expect(Object.values(JSON.parse(begun?.Input ?? "{}").results).flat()).toHaveLength(50);
    expect(most).toBeLessThan(MB);
  },
  LIMIT_MS,
);

test(
  "P22 the most runs that a job may have, polled for a day, keep less than 5 MB",
  async () => {
    const world = await mailingTo((MOST_RUNS - 2) / 2, "P2D", "PT2H");
    await world.run({ for: "P1D", most: 200_000 });
    const asked = world.service("printer").calls.length;
    expect(asked).toBeGreaterThan(11 * (MOST_RUNS - 2));
    expect(bytesOf(world)).toBeLessThan(5 * MB);
    expect(world.history("m").filter(({ EventType }) => EventType === EVENT.taskScheduled).length).toBeLessThan(
      asked / 10,
    );
    expect(world.record("m")).toMatchObject({ processState: "Processing", attempt: 1, failureCount: 0 });
  },
  LIMIT_MS,
);
