// Every documented example of `npm run orders`, as an operator types it, in a process of its own on the real stack.
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { hasEnded, type StateRecord } from "@scheduler-agent-supervisor/core/domain";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { writeStackFile } from "../../cli/every-app/stack-file.ts";
import { ROOT } from "../../cli/settings.ts";
import { type LateCarrier, startLateCarrier } from "../console/late-carrier.ts";
import { plantReports } from "../console/planted.ts";
import { type AdaptedApp, adaptApp } from "../support/adapted-app.ts";
import { madeOrder } from "../support/made-order.ts";
import { CARRIER, GRAPH } from "../support/orders.ts";
import { typedOrders } from "../support/orders-command.ts";
import { startTestStack, type TestStack } from "../support/test-stack.ts";

const folder = mkdtempSync(join(tmpdir(), "terminal-"));
const data = join(folder, "data");
let carrier: LateCarrier;
let adapted: AdaptedApp;
let app: TestStack;

const typed = (args: readonly string[], where: readonly string[] = ["--data", data]) =>
  typedOrders([...args, ...where], folder);

const over = ({ processState, outbox }: StateRecord) => hasEnded(processState) && outbox.length === 0;

beforeAll(async () => {
  carrier = await startLateCarrier();
  adapted = adaptApp([GRAPH, CARRIER]);
  app = await startTestStack({
    appDir: adapted.dir,
    appSettings: ({ remotes }) => {
      carrier.target = remotes["shipping"] ?? "";
      return { ShippingEndpoints: carrier.url };
    },
  });
  writeStackFile(data, app.settings, { app: app.stack.addresses.host?.url });
  const rejected = ["card-1", "card-2", "card-3", "card-4", "card-5", "card-6"];
  for (const orderId of rejected) {
    const match = { orderId };
    await app.switchOn("payment", { kind: "slow", delayMs: 1000, calls: 1, match });
    await app.switchOn("payment", { kind: "reject", status: 402, message: "card 12 expired", calls: 1, match });
  }
  const held = ["held-1", "held-2"];
  for (const orderId of held) await app.switchOn("payment", { kind: "reject", status: 401, match: { orderId } });
  // A try that may have taken effect, and then a rejection.
  await app.switchOn("payment", { kind: "down", status: 500, calls: 1, match: { orderId: "lost-1" } });
  await app.switchOn("payment", { kind: "reject", message: "no such account", calls: 1, match: { orderId: "lost-1" } });
  for (const orderId of ["lost-1", ...rejected, ...held]) await app.shop.send(madeOrder(orderId));
  await app.shop.send({ ...madeOrder("later-1"), workflow: "carrier" });
  for (const number of [1, 2, 3, 4, 5]) await app.shop.send({ ...madeOrder(`unreadable-${number}`), currency: "euro" });
  await plantReports(app, { name: "CompensationIncomplete", subject: "order-1", cause: "reserveStock: HTTP 409" });
  await app.eventually("later-1", ({ steps }) => steps["arrangeShipping"]?.state === "Awaiting", 30_000);
  for (const orderId of ["lost-1", ...rejected]) await app.eventually(orderId, over, 60_000);
  for (const orderId of held) {
    await app.eventually(orderId, ({ processState, attempt }) => processState === "Pending" && attempt === 2, 60_000);
  }
}, 180_000);
afterAll(async () => {
  await app?.[Symbol.asyncDispose]();
  adapted?.[Symbol.dispose]();
  await carrier?.[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

/** What a placeholder of the documentation stands for, by then. */
const DAY = new Date().toISOString().slice(0, 10);
const ids: Record<string, string> = {
  STEP: "arrangeShipping",
  QUEUE: "quarantine",
  T: `${DAY}T00:00:00Z`,
  C: Buffer.from(JSON.stringify({ at: `${DAY}T23:59:59.999Z`, shown: [] })).toString("base64url"),
};
let numbers: string[] = [];

interface Example {
  /** As the documentation has it, without `npm run orders --`. */
  readonly documented: string;
  readonly order?: string;
  readonly says: RegExp;
}

/** In a sequence in which each is possible. */
const EXAMPLES: readonly Example[] = [
  { documented: "", says: /^card-5\tError\t/m },
  { documented: "ID", order: "held-1", says: /waits for payment: HTTP 401.* tries again at 20/ },
  { documented: "ORDER", order: "card-1", says: /^card-1: Error/ },
  { documented: "ORDER --trace", order: "card-1", says: /^card-1: Error/ },
  { documented: "needs", says: /^[0-9a-f]{16}\t6\t.*card 12 expired/m },
  { documented: "needs --json", says: /^\{"of":"cause",.*\n\{"of":"heldUp",.*(.*\n)*\{"of":"awaiting",/m },
  { documented: "needs CAUSE", says: /^card-1\t/m },
  { documented: "held", says: /^[0-9a-f]{16}\t2\twaits for payment: HTTP 401/m },
  { documented: "held HELD", says: /^held-1\twaits for payment/m },
  {
    documented: "find --state Error --kind expired --q tea --time-of ended --from 2026-01-31T00:00:00Z",
    says: /No order/,
  },
  { documented: "find --state Error", says: /^card-1\tError: rejected/m },
  { documented: "find --state Error --step takePayment", says: /^card-1\tError: rejected/m },
  { documented: "find --business-key customer:C-17", says: /No order matches/ },
  { documented: "find --waits-for agent:payment", says: /^held-1\tPending(.*\n)*2 orders\./m },
  { documented: "show ORDER", order: "held-1", says: /waits for payment: HTTP 401/ },
  { documented: "agents", says: /^payment\t/m },
  {
    documented: "overview",
    says: /^Not well since 20\S+Z:\n(?: {2}.+\n)+[\s\S]*^Error: rejected\t\d+\n[\s\S]*(?:^20\S+Z\t\d+\t\d+\t\d+\t\d*\t.*\n){30}Received: \d+ in /m,
  },
  { documented: "versions", says: /^carrier\tv\d+\tthe newest\t/m },
  { documented: "sweep", says: /^\d+ orders were due\. The sweep is done\./ },
  { documented: "supervision", says: /^Active: .*epoch \d+[\s\S]*\tsupervisor\tsweep\t/ },
  // What is before the end of that day: all of it.
  { documented: "supervision --from T --continue C", says: /^Active: .*epoch \d+[\s\S]*\tsweep\t/ },
  {
    documented: 'resubmit ORDER --reason "card renewed"',
    order: "card-1",
    says: /resubmit done\. It is Pending, attempt 2/,
  },
  { documented: "content ORDER > order.json", order: "card-2", says: /"orderId": "card-2"/ },
  { documented: 'edit ORDER --file order.json --reason "address corrected"', order: "card-2", says: /resubmit done/ },
  {
    documented: 'edit ORDER --set shipTo.city=Rome --reason "address corrected"',
    order: "card-6",
    says: /resubmit done/,
  },
  { documented: 'compensate ORDER --reason "the client asked for it"', order: "card-3", says: /compensate done/ },
  { documented: 'cancel ORDER --reason "the client asked for it"', order: "held-2", says: /cancel done/ },
  { documented: 'extend ORDER --by PT30M --reason "the carrier is late"', order: "later-1", says: /extend done/ },
  {
    documented: 'mark-resolved ORDER --reason "refunded by the bank"',
    order: "card-4",
    says: /mark-resolved done\. It is Error/,
  },
  {
    documented: "attempts ORDER",
    order: "card-1",
    says: /^2\t.*\tresubmitted, attempt 2: card renewed\t.*\n1\t.*\treceived\t.*\ttakePayment: Failed: .+$/m,
  },
  { documented: "audit ORDER", order: "card-4", says: /\tmarkResolved\tcard-4\trefunded by the bank$/m },
  { documented: "awaiting", says: /^later-1\tarrangeShipping\tshipping\t/m },
  { documented: "awaiting --assignee underwriters", says: /No step awaits a report\./ },
  {
    documented: 'report ORDER STEP done --result shipmentId=S-7 --reason "the carrier called"',
    order: "later-1",
    says: /arrangeShipping is reported as done/,
  },
  {
    documented: 'outcome ORDER takePayment not-done --reason "the bank has nothing"',
    order: "lost-1",
    says: /takePayment is recorded as not-done\. The order is Pending, attempt 2/,
  },
  // Of the order whose outcome was just recorded the next try may wait for the same agent.
  { documented: "continue HELD", says: /resubmit: (1 order|2 orders)$/m },
  { documented: "bulk resubmit --group CAUSE", says: /resubmit: 1 order/ },
  { documented: 'start RUN --count 32 --reason "fixed"', says: /done: 1 of 1, 1 ended well/ },
  { documented: "runs", says: /\tresubmit 1\tdone\t/ },
  { documented: "run RUN", says: /^resubmit, 1 order: done/ },
  { documented: "dead-letters", says: /^quarantine\t5\t.*currency: must be/m },
  { documented: "dead-letters quarantine", says: /^\d+\t.*\tcurrency|^\d+\t/m },
  { documented: "dead-letters quarantine NUMBER", says: /fault1\tcurrency: must be an ISO 4217 code/ },
  {
    documented: 'resend quarantine NUMBER --file message.json --reason "the client\'s fault, fixed"',
    says: /: sent to jobs\./,
  },
  {
    documented: 'resend quarantine NUMBER --set currency=EUR --reason "the client\'s fault, fixed"',
    says: /: sent to jobs\./,
  },
  { documented: 'resend QUEUE NUMBER --reason "fixed"', says: /: sent to jobs\./ },
  {
    documented: 'discard quarantine NUMBER NUMBER --reason "a test of the client\'s"',
    says: /: discarded\..*\n.*: discarded\./,
  },
  { documented: "discarded", says: /^\S+\tquarantine\t/m },
  {
    documented: 'resend-discarded DISCARDED --file message.json --reason "the client misses it"',
    says: /: sent to jobs\./,
  },
  { documented: "dead-letter-causes quarantine", says: /^[0-9a-f]{16}\t1\t.*currency: must be/m },
  {
    documented: "resend quarantine --cause CAUSE --set currency=EUR",
    says: /resend: 1 message[\s\S]*"currency": "EUR"[\s\S]*Nothing is done yet/,
  },
  {
    documented: "resend quarantine --cause CAUSE --patch patch.json",
    says: /resend: 1 message[\s\S]*"currency": "EUR"[\s\S]*Nothing is done yet/,
  },
  {
    documented: 'resend quarantine --cause CAUSE --set currency=EUR --count 32 --reason "the client\'s fault, fixed"',
    says: /done: 1 of 1, 0 came back/,
  },
  { documented: 'pause agent payment --reason "the bank asks for it"', says: /agent payment: paused\./ },
  { documented: 'resume agent payment --reason "it is back"', says: /agent payment: resumed\./ },
  {
    documented: 'erase ORDER --reason "the customer asks for it"',
    order: "card-4",
    says: /card-4: all its documents are removed\./,
  },
  { documented: 'dismiss REPORT --reason "the stock is released by hand"', says: /^Dismissed\./ },
  { documented: "take ORDER", order: "held-2", says: /^held-2 is taken by local-operator\./ },
];

/** Each command in the documentation, without its comment. */
function documented(): string[] {
  const pages = [...globSync("docs/**/*.md", { cwd: ROOT, exclude: ["**/node_modules/**"] }), "README.md"];
  const commands = pages.flatMap((page) =>
    [...readFileSync(join(ROOT, page), "utf8").matchAll(/npm run orders(?: -- ([^\n`|]*))?(?=[\n`|]| {2,}| #)/g)].map(
      ([, command = ""]) => command.replace(/ +#.*$/, "").trim(),
    ),
  );
  // A line of the reference with optional parts, and a list that is cut, are no examples.
  return [...new Set(commands)].filter((command) => !/[[\]…]/.test(command)).sort();
}

test("each documented example is here, and each of these is documented", () => {
  expect(EXAMPLES.map(({ documented: command }) => command).sort()).toEqual(documented());
});

test("each example does what it says", async () => {
  await expect.poll(async () => (await app.records.quarantined()).length).toBe(5);
  for (const { documented: command, order, says } of EXAMPLES) {
    const { code, output } = await typed(argumentsOf(command, order));
    expect(output, `npm run orders -- ${command}`).toMatch(says);
    expect(code, output).toBe(0);
    remember(command, output);
  }
  for (const orderId of ["card-1", "card-2", "card-5", "card-6", "lost-1", "later-1", "unreadable-1"]) {
    await app.eventually(orderId, ({ processState }) => processState === "Processed", 60_000);
  }
  await app.eventually("card-3", ({ processState }) => processState === "Compensated", 60_000);
}, 240_000);

/** Words and texts in quotes, with what each placeholder stands for; `>` is the shell's. */
function argumentsOf(command: string, order: string | undefined): string[] {
  const [asked = ""] = command.split(" > ");
  const words = [...asked.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, word]) => quoted ?? word ?? "");
  return words.map((word) => {
    if (word === "ID" || word === "ORDER") return order ?? "";
    if (word === "NUMBER") return numbers.shift() ?? "";
    if (word === "32") return "1";
    return ids[word] ?? word;
  });
}

/** What the next examples need of this one's output. */
function remember(command: string, output: string): void {
  const first = (pattern: RegExp) => pattern.exec(output)?.[1] ?? "";
  if (command === "needs") {
    ids["CAUSE"] = first(/^([0-9a-f]{16})\t6/m);
    ids["REPORT"] = first(/dismiss ([0-9a-f]{16}) --reason/);
  }
  if (command === "held") ids["HELD"] = first(/^([0-9a-f]{16})\t2/m);
  if (command.startsWith("bulk")) ids["RUN"] = first(/start (\S+) --count/);
  if (command.startsWith("content")) writeFileSync(join(folder, "order.json"), output);
  if (command === "dead-letters quarantine") {
    const all = [...output.matchAll(/^(\d+)\t/gm)].map(([, number = ""]) => number);
    // The first is read, and then sent again.
    numbers = [all[0] ?? "", ...all];
    writeFileSync(join(folder, "message.json"), JSON.stringify(madeOrder("unreadable-1")));
  }
  if (command === 'resend QUEUE NUMBER --reason "fixed"') return;
  if (command === "dead-letter-causes quarantine") {
    ids["CAUSE"] = first(/^([0-9a-f]{16})\t1/m);
    writeFileSync(join(folder, "patch.json"), JSON.stringify({ currency: "EUR" }));
  }
  if (command === "discarded") ids["DISCARDED"] = first(/^(\S+)\t/m);
}

describe("what is not there", () => {
  test.each([
    [["needs"], "No stack runs in"],
    [[], "No stack runs in"],
    [["card-1"], "No stack runs in"],
  ])("--data without a stack uses no other one's ports: %j", async (args, words) => {
    const elsewhere = join(folder, "elsewhere");
    const { code, output } = await typed(args, ["--data", elsewhere]);
    expect([code, output]).toEqual([1, expect.stringContaining(`${words} ${elsewhere}: npm start -- --data`)]);
  });

  test.each([
    [["show", "nowhere"], 1, "404: There is no order nowhere."],
    [["resubmit", "card-5"], 2, "--reason is missing"],
    [["resubmit"], 2, "Give the id of one of the orders"],
    [["report", "later-1", "arrangeShipping", "perhaps", "--reason", "r"], 2, "A report is done or rejected"],
    [["outcome", "later-1", "arrangeShipping", "perhaps", "--reason", "r"], 2, "An outcome is done or not-done"],
    [["report", "later-1", "x", "done", "--result", "y", "--reason", "r"], 2, "must be name=text or name:=VALUE"],
    [["pause", "payment", "--reason", "r"], 2, "Give agent NAME or workflow NAME"],
    [["pause", "agent", "nobody", "--reason", "r"], 1, "There is no agent nobody"],
    [["edit", "card-5", "--file", "f.json", "--set", "a=b", "--reason", "r"], 2, "Give --file, --set or --patch"],
    [["edit", "card-4", "--file", "nowhere.json", "--reason", "r"], 2, "--file nowhere.json: "],
    [["resend", "quarantine", "--reason", "r"], 2, "Give the number of a message"],
    [["run", "R", "stop"], 2, "run RUN takes pause, resume or cancel"],
    [["bulk", "explode"], 2, "bulk takes resubmit"],
  ])("%j is an error that names the way out", async (args, code, words) => {
    expect(await typed(args)).toEqual({ code, output: expect.stringContaining(words) });
  });
});
