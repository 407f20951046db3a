// One truth for queues and containers: what the code, the settings and Bicep name is in infra/entities.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { literal, parse, properties, variable } from "./bicep.ts";

const root = join(import.meta.dirname, "../..");
const read = (file: string) => readFileSync(join(root, file), "utf8");

interface Queue {
  readonly name: string;
  readonly senders: readonly string[];
  readonly listeners: readonly string[];
}
const { queues } = JSON.parse(read("infra/entities/service-bus.json")) as { queues: Queue[] };
const cosmos = JSON.parse(read("infra/entities/cosmos.json")) as { database: string; containers: { id: string }[] };
const sample = (JSON.parse(read("local.settings.sample.json")) as { Values: Record<string, string> }).Values;
const bicep = Object.fromEntries(
  properties(variable(parse(read("infra/app/function-app.bicep")), "settings")).map(([name, value]) => [
    name,
    value.type === "string" ? literal(value) : undefined,
  ]),
);

const PARTIES = ["app", "shop", "operator"];

/** Settings that name what does not exist. */
function missing(settings: { readonly [name: string]: string | undefined }): string[] {
  const names = queues.map(({ name }) => name);
  const containers = cosmos.containers.map(({ id }) => id);
  return Object.entries(settings).flatMap(([setting, value]) => {
    if (value === undefined) return [];
    if (/Queue$/.test(setting) && !names.some((name) => isNamedBy(name, value)))
      return [`${setting}: there is no queue ${value}`];
    if (/Container$/.test(setting) && !containers.includes(value))
      return [`${setting}: there is no container ${value}`];
    return [];
  });
}

/** A setting names a queue, or what the names of several begin with: one for each agent, one for each host. */
function isNamedBy(queue: string, value: string): boolean {
  return queue === value || queue.startsWith(`${value}-`);
}

/** The settings that name the queues to which functions of the app listen. */
const triggers = globSync("functions/*.ts", { cwd: root }).flatMap((file) =>
  [...read(file).matchAll(/["`]%(\w+Queue)%(?:-\$\{\w+\})?["`]/g)].map(([, setting = ""]) => setting),
);

test("queues and containers that the settings name exist, in Azure and locally", () => {
  expect(missing(bicep)).toEqual([]);
  expect(missing(sample)).toEqual([]);
  expect(sample["CosmosDatabase"]).toBe(cosmos.database);
});

test("each queue says who sends and who listens", () => {
  for (const { name, senders, listeners } of queues) {
    expect(senders.length, name).toBeGreaterThan(0);
    expect(listeners.length, name).toBeGreaterThan(0);
    for (const party of [...senders, ...listeners]) expect(PARTIES, name).toContain(party);
  }
});

/** No function listens there: operators have the app see to its messages. */
const FOR_OPERATORS = ["QuarantineQueue"];

test("the app has the right to listen wherever a function or an operator needs it, and nowhere else", () => {
  expect(triggers.length).toBeGreaterThan(3);
  const needed = [...triggers, ...FOR_OPERATORS];
  const wanted = queues.filter(({ name }) => needed.some((setting) => isNamedBy(name, bicep[setting] ?? "?")));
  expect(queues.filter(({ listeners }) => listeners.includes("app"))).toEqual(wanted);
});

test("planted: a queue without the app's right to listen is found", () => {
  const deaf = queues.find(({ listeners }) => !listeners.includes("app"))?.name ?? "";
  expect(triggers.some((setting) => isNamedBy(deaf, bicep[setting] ?? "?"))).toBe(false);
  expect(isNamedBy("agent-requests-fraud", "agent-requests")).toBe(true);
  expect(isNamedBy("orders", "order")).toBe(false);
});

test("reply queues match the pattern that orders may name", () => {
  const pattern = new RegExp(bicep["ReplyQueuePattern"] ?? "^$");
  const replies = queues.filter(({ listeners }) => listeners.includes("shop"));
  expect(replies.length).toBeGreaterThan(0);
  for (const { name } of replies) expect(name).toMatch(pattern);
});

test("planted: a queue and a container that do not exist are found", () => {
  expect(missing({ OrdersQueue: "order", OrdersContainer: "order" })).toEqual([
    "OrdersQueue: there is no queue order",
    "OrdersContainer: there is no container order",
  ]);
});
