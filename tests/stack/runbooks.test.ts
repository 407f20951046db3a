// The runbook of an order in Error, followed word for word: each of its commands, on each kind of Error, as it stands in docs/how-to/runbooks.md.

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { hasEnded, type StateRecord } from "@scheduler-agent-supervisor/core/domain";
import type { Workflow } from "@scheduler-agent-supervisor/core/workflows";
import { FUNCTION_KEY } from "@scheduler-agent-supervisor/local";
import type { ServiceFault } from "@scheduler-agent-supervisor/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ROOT } from "../../cli/settings.ts";
import { adaptApp } from "../support/adapted-app.ts";
import { madeOrder } from "../support/made-order.ts";
import { CHAIN, GRAPH, hasty } from "../support/orders.ts";
import { seenByAll } from "../support/store.ts";
import { startTestStack, type TestStack } from "../support/test-stack.ts";

/** What is not done in time is left to an operator. */
const FAILING: Workflow = { ...hasty(CHAIN), name: "failing" };
/** Only a person can void a charge. */
const MANUAL: Workflow = {
  ...hasty(GRAPH),
  name: "manual",
  steps: hasty(GRAPH).steps.map((step) => (step.name === "takePayment" ? { ...step, compensation: "manual" } : step)),
};

/** The section of an alert: its commands that change an order. */
function commandsOf(alert: string): string[] {
  const text = readFileSync(join(ROOT, "docs/how-to/runbooks.md"), "utf8");
  const section = text.split(/^### /m).find((part) => part.startsWith(`${alert}\n`)) ?? "";
  return section.split("\n").flatMap((line) => (/^ {4,}curl .*-X POST/.test(line) ? [line.trim()] : []));
}

const COMMANDS = commandsOf("job-in-error");
const called = (part: RegExp): string => {
  const found = COMMANDS.filter((command) => part.test(command));
  if (found.length !== 1) throw new Error(`the runbook has ${found.length} commands with ${part}`);
  return found[0] ?? "";
};
const RESUBMIT = called(/-d '\{"reason": "[^"]*"\}' \S+\/resubmit$/);
const EDIT = called(/"job": /);
const COMPENSATE = called(/\/compensate$/);
const FORWARD = called(/"direction": "forward"/);
const RESOLVE = called(/\/markResolved$/);
const FROM_THE_START = called(/"compensatedManually": true/);
const DONE = called(/"outcome": "done"/);
const NOT_DONE = called(/"outcome": "notDone"/);

const adapted = adaptApp([hasty(GRAPH), FAILING, MANUAL]);
let app: TestStack;
beforeAll(async () => {
  app = await startTestStack({ appDir: adapted.dir });
});
afterAll(async () => {
  await app?.[Symbol.asyncDispose]();
  adapted[Symbol.dispose]();
});

const LONG_MS = 60_000;
const ended = ({ processState, outbox }: StateRecord) =>
  processState === "Processed" || (hasEnded(processState) && outbox.length === 0);

type Fault = readonly [service: string, fault: ServiceFault];
const cardExpired: Fault = ["payment", { kind: "reject", status: 402, message: "card expired", calls: 1 }];
const noDelivery: Fault = ["shipping", { kind: "reject", status: 422, message: "nobody delivers there", calls: 1 }];

/** Each kind of Error, how an order comes to it, and whether its cause is fixed by the time when the operator acts. */
const ERRORS = {
  rejected: { workflow: GRAPH.name, faults: [cardExpired], kind: "rejected" },
  expired: { workflow: FAILING.name, faults: [["inventory", { kind: "down" }]], kind: "expired" },
  "outcome unknown": { workflow: FAILING.name, faults: [["payment", { kind: "down" }]], kind: "expired" },
  "compensation exhausted": {
    workflow: GRAPH.name,
    faults: [noDelivery, ["payment", { kind: "down", path: "/charges/*/void" }]],
    kind: "compensationIncomplete",
  },
  "compensation rejected": {
    workflow: GRAPH.name,
    faults: [noDelivery, ["payment", { kind: "reject", status: 409, message: "captured", path: "/charges/*/void" }]],
    kind: "compensationIncomplete",
  },
  "compensation manual": { workflow: MANUAL.name, faults: [noDelivery], kind: "compensationIncomplete" },
} as const satisfies Record<
  string,
  { readonly workflow: string; readonly faults: readonly Fault[]; readonly kind: string }
>;

const FOLLOWED: readonly (readonly [keyof typeof ERRORS, command: string, end: string])[] = [
  ["rejected", RESUBMIT, "Processed"],
  ["rejected", EDIT, "Processed"],
  ["rejected", COMPENSATE, "Compensated"],
  ["rejected", RESOLVE, "resolved"],
  ["expired", RESUBMIT, "Processed"],
  ["expired", COMPENSATE, "Compensated"],
  ["outcome unknown", DONE, "Processed"],
  ["outcome unknown", NOT_DONE, "Processed"],
  ["compensation exhausted", RESUBMIT, "Compensated"],
  ["compensation exhausted", FORWARD, "Processed"],
  ["compensation exhausted", RESOLVE, "resolved"],
  ["compensation rejected", RESUBMIT, "Compensated"],
  ["compensation rejected", FORWARD, "Processed"],
  ["compensation rejected", FROM_THE_START, "Processed"],
  ["compensation manual", FORWARD, "Processed"],
  ["compensation manual", FROM_THE_START, "Processed"],
  ["compensation manual", RESOLVE, "resolved"],
];

/** As an operator runs it, with the placeholders filled in. */
function run(command: string, orderId: string): { readonly state?: string } {
  const order = JSON.stringify(madeOrder(orderId));
  const filled = command.replace("<jobId>", orderId).replace("<step>", "takePayment").replace("<order>", order);
  const env = { ...process.env, AUTH: `x-functions-key: ${FUNCTION_KEY}`, APP: app.stack.addresses.host?.url ?? "" };
  return JSON.parse(execFileSync("sh", ["-c", filled.replace("curl", "curl -s")], { env, encoding: "utf8" }));
}

test("every command of the runbook is followed here", () => {
  expect(COMMANDS.filter((command) => !FOLLOWED.some(([, followed]) => followed === command))).toEqual([]);
});

test.each(Object.entries(ERRORS))(
  "P9 %s: each command of the runbook leads to where it says",
  async (error, { workflow, faults, kind }) => {
    const followed = FOLLOWED.filter(([of]) => of === error).map(([, command, end], index) => ({
      orderId: `${error.replace(" ", "-")}-${index}`,
      command,
      end,
    }));
    const orderIds = followed.map(({ orderId }) => orderId);
    const repairs = await Promise.all(
      faults.map(([service, fault]) =>
        app.switchOn(service, { ...fault, ...("calls" in fault && { calls: orderIds.length }) }),
      ),
    );
    for (const orderId of orderIds) await app.shop.send({ ...madeOrder(orderId), workflow });
    for (const orderId of orderIds)
      expect(await app.eventually(orderId, ended, LONG_MS)).toMatchObject({ processState: "Error", error: { kind } });
    await Promise.all(repairs.map((repair) => repair()));
    for (const { orderId, command, end } of followed)
      expect(run(command, orderId), command).toMatchObject({ state: end === "resolved" ? "Error" : "Pending" });
    await seenByAll();
    for (const { orderId, command, end } of followed) {
      const after = await app.eventually(orderId, ended, LONG_MS);
      expect(after, command).toMatchObject(end === "resolved" ? { error: { kind: end } } : { processState: end });
    }
  },
  3 * LONG_MS,
);
