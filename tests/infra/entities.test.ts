// One truth for queues and containers: what the code and the settings name is in infra/entities.

import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseConfig, QUEUES, REPLY_QUEUES, requestsQueueOf } from "@scheduler-agent-supervisor/core/app";
import { CONTAINERS, DATABASE } from "@scheduler-agent-supervisor/core/store";
import { expect, test } from "vitest";
import { partiesIn } from "../../cli/settings.ts";
import { business } from "../../shared/business.ts";
import { literalOf, membersOf } from "./bicep.ts";

const root = join(import.meta.dirname, "../..");
const read = (file: string) => readFileSync(join(root, file), "utf8");

interface Queue {
  readonly name: string;
  readonly senders: readonly string[];
  readonly listeners: readonly string[];
  readonly properties: { readonly [name: string]: unknown };
  /** Of a submission queue of one sender. */
  readonly submission?: {
    readonly owner: string;
    readonly idPrefix: string;
    readonly replyQueues: readonly string[];
  };
}
const queuesIn = (file: string) => (JSON.parse(read(file)) as { queues: Queue[] }).queues;
const queues = queuesIn("infra/entities/service-bus.json");
/** What an adopter adds for two clients with queues of their own. */
const withParties = [...queues, ...queuesIn("samples/parties.json")];
const cosmos = JSON.parse(read("infra/entities/cosmos.json")) as { database: string; containers: { id: string }[] };
const sample = (JSON.parse(read("local.settings.sample.json")) as { Values: Record<string, string> }).Values;
const bicep = Object.fromEntries(
  membersOf(read("infra/app/function-app.bicep"), "settings").map(([name, value]) => [name, literalOf(value)]),
);

/** And whatever clients and teams are called. */
const PARTIES = ["app", "shop", "operator"];
const isOwned = ({ submission }: Queue) => submission !== undefined;

/** Queues that the app names and infra/entities does not have. */
const missing = (wanted: readonly string[]) => wanted.filter((each) => !queues.some(({ name }) => name === each));

/** The app names a queue, or what the names of several begin with: one for each agent, one for each host. */
function isNamedBy(queue: string, value: string): boolean {
  return queue === value || queue.startsWith(`${value}-`);
}

/** The queues to which functions of the app listen. */
const triggers = globSync("functions/*.ts", { cwd: root }).flatMap((file) => {
  const text = read(file);
  return [
    ...[...text.matchAll(/\bQUEUES\.(\w+)/g)].map(([, name]) => QUEUES[name as keyof typeof QUEUES]),
    ...[...text.matchAll(/["`]%(\w+Queue)%(?:-\$\{\w+\})?["`]/g)].map(([, setting = ""]) => bicep[setting] ?? "?"),
    ...(text.includes("requestsQueueOf(") ? ["agent-requests"] : []),
  ];
});

/** The reply queues of the app's own agents. */
const ownReplies = business.localAgents.flatMap(({ replies }) => replies?.queue ?? []);

test("queues and containers that the app names exist, in Azure and locally", () => {
  const replies = [bicep, sample].map(({ AgentRepliesQueue: queue }) => queue ?? "?");
  expect(missing([...Object.values(QUEUES), ...replies, ...ownReplies])).toEqual([]);
  expect(cosmos.containers.map(({ id }) => id)).toEqual(Object.values(CONTAINERS));
  expect(cosmos.database).toBe(DATABASE);
});

test("each agent that a step reaches over a queue has its request queue", () => {
  expect(business.agentsAskedByQueue.size).toBeGreaterThan(0);
  expect(missing([...business.agentsAskedByQueue].map(requestsQueueOf))).toEqual([]);
  expect(missing(["fraud", "planted"].map(requestsQueueOf))).toEqual(["agent-requests-planted"]);
});

test("P27 a request to an agent that nobody takes up is gone with its time, and no dead letter; sent twice it is there once", () => {
  const requests = withParties.filter(({ name }) => name.startsWith("agent-requests-"));
  expect(requests.length).toBeGreaterThan(0);
  for (const { name, properties: settings } of requests) {
    expect(settings, name).toMatchObject({ deadLetteringOnMessageExpiration: false, requiresDuplicateDetection: true });
  }
});

test("each queue says who sends and who listens", () => {
  for (const { name, senders, listeners } of withParties) {
    expect(senders.length, name).toBeGreaterThan(0);
    expect(listeners.length, name).toBeGreaterThan(0);
    for (const party of [...senders, ...listeners]) {
      if (!PARTIES.includes(party)) expect(party, name).toMatch(/^[a-z][a-z0-9-]*$/);
    }
  }
});

/** Where somebody else might pass for the owner of a submission queue, or read what is meant for it. */
function trespasses(all: readonly Queue[]): string[] {
  return all.filter(isOwned).flatMap(({ name, senders, listeners, submission }) => {
    const { owner = "", replyQueues = [] } = submission ?? {};
    const replies = replyQueues.map((each) => all.find((queue) => queue.name === each));
    return [
      ...(String(senders) === owner && String(listeners) === "app" ? [] : [`others may send to ${name}, or listen`]),
      ...replies.flatMap((reply, index) => {
        if (!reply) return [`there is no queue ${replyQueues[index]}`];
        const isOwn = String(reply.listeners) === owner && String(reply.senders) === "app";
        return isOwn ? [] : [`others may listen on ${reply.name}, or send`];
      }),
    ];
  });
}

test("a queue of one sender is that sender's alone, and so are its reply queues; the app takes the list that is made of it", () => {
  expect(withParties.filter(isOwned)).toHaveLength(2);
  expect(trespasses(withParties)).toEqual([]);
  const folder = mkdtempSync(join(tmpdir(), "queues-"));
  const file = join(folder, "service-bus.json");
  writeFileSync(file, JSON.stringify({ queues: withParties }));
  const config = parseConfig({ ...sample, ...partiesIn(file) }, business);
  rmSync(folder, { recursive: true });
  const owned = withParties.filter(isOwned).map(({ name, submission }) => ({ queue: name, ...submission }));
  expect(config.SubmissionQueues).toEqual(owned);
});

test("planted: a queue of one sender to which another may send, and reply queues on which another may listen, are found", () => {
  const planted = withParties.map((queue) => ({
    ...queue,
    ...(queue.name === "orders-tea-shop" && { senders: ["tea-shop", "shop"] }),
    ...(queue.name === "replies-mug-shop" && { listeners: ["mug-shop", "tea-shop"] }),
  }));
  expect(trespasses(planted.filter(({ name }) => name !== "replies-tea-shop"))).toEqual([
    "others may send to orders-tea-shop, or listen",
    "there is no queue replies-tea-shop",
    "others may listen on replies-mug-shop, or send",
  ]);
});

test("a client or team gets a right on each queue that names it, and on no other scope", () => {
  const template = read("infra/app/service-bus.bicep");
  for (const [right, list, member, role] of [
    ["partySends", "sends", "senders", "serviceBusDataSender"],
    ["partyListens", "listens", "listeners", "serviceBusDataReceiver"],
  ] as const) {
    const made = new RegExp(
      `var ${list} = flatten\\(map\\(\\n  entities,\\n  queue => map\\(intersection\\((.+?), parties\\)`,
    );
    expect(made.exec(template)?.[1]).toBe(`queue.${member}`);
    const [, resource = ""] = new RegExp(`^resource ${right} ([^]*?)^\\]$`, "m").exec(template) ?? [];
    const [, scope = ""] = /scope: (\w+)\[index\]/.exec(resource) ?? [];
    expect(resource).toContain(`for (right, index) in ${list}:`);
    expect(resource).toContain(`roleDefinitions', roles.${role})`);
    expect(template).toMatch(
      new RegExp(`^resource ${scope} .*queues@.* existing = \\[\\n  for right in ${list}: `, "m"),
    );
  }
});

/** No function listens there: operators have the app see to its messages. */
const FOR_OPERATORS = [QUEUES.quarantine];

test("the app has the right to listen wherever a function or an operator needs it, and nowhere else", () => {
  expect(triggers.length).toBeGreaterThan(3);
  const needed = [...triggers, ...FOR_OPERATORS];
  const isNeeded = ({ name }: Queue) => ownReplies.includes(name) || needed.some((each) => isNamedBy(name, each));
  const wanted = withParties.filter((queue) => isOwned(queue) || isNeeded(queue));
  expect(withParties.filter(({ listeners }) => listeners.includes("app"))).toEqual(wanted);
});

test("planted: a queue without the app's right to listen is found", () => {
  const deaf = queues.find(({ listeners }) => !listeners.includes("app"))?.name ?? "";
  expect(triggers.some((each) => isNamedBy(deaf, each))).toBe(false);
  expect(isNamedBy("agent-requests-fraud", "agent-requests")).toBe(true);
  expect(isNamedBy("jobs", "job")).toBe(false);
});

test("reply queues match the pattern that orders may name", () => {
  const owned = withParties.flatMap(({ submission }) => submission?.replyQueues ?? []);
  const replies = withParties.filter(
    ({ name, listeners }) => listeners.includes("shop") || [...owned, ...ownReplies].includes(name),
  );
  expect(replies.length).toBeGreaterThan(2);
  for (const { name } of replies) expect(name).toMatch(REPLY_QUEUES);
});
