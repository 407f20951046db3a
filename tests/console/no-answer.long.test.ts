// Where the API, the supervisor, the intake or a host does not answer: named at home and in the terminal, and never green. The troubles of what
// the app needs: every-trouble.long.test.ts and platform-trouble.long.test.ts.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { BlobServiceClient } from "@azure/storage-blob";
import { LEASE_CONTAINER } from "@scheduler-agent-supervisor/core/scheduling";
import { createGaugesSigns } from "@scheduler-agent-supervisor/operator/adapters";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, test } from "vitest";
import { ROOT } from "../../cli/settings.ts";
import { type Behaviour, type Front, startFront } from "../support/front.ts";
import { madeOrder } from "../support/made-order.ts";
import { NEVER, startTestStack, type TestStack } from "../support/test-stack.ts";
import { openBrowser } from "./browser.ts";
import { expectNamed, isWellAgain, MINUTE_MS, NOT_KNOWN, openHome, TIMEOUT_MS } from "./named.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser?.close());

type Options = Parameters<typeof startTestStack>[0];

async function onStack(options: Options, work: (app: TestStack, front: Front, home: Page) => Promise<void>) {
  await using app = await startTestStack(options);
  await using front = await startFront(app.stack.addresses.hosts.map(({ url }) => url));
  const home = await openHome(browser, front.url);
  await work(app, front, home);
  await home.context().close();
}

const ANSWERS: readonly { name: string; behaviour: Behaviour; home: RegExp; terminal: RegExp }[] = [
  {
    name: "two queries answer 500",
    behaviour: { kind: "fails", paths: [/\/api\/attention$/, /\/api\/agents$/] },
    home: /No answer, or one that is too old: .*Orders in Error.*Agents/,
    terminal: /Orders in Error: not known\.[\s\S]*Agents and pauses: not known\./,
  },
  { name: "the API hangs", behaviour: { kind: "hangs" }, home: NOT_KNOWN, terminal: /did not answer within/ },
  {
    name: "the API gives old answers again",
    behaviour: { kind: "repeats" },
    home: /No answer, or one that is too old: .*The app itself/,
    terminal: /The app itself: not known\. .*an old one/,
  },
];

test.each(ANSWERS)(
  "$name: named, and not green",
  ({ behaviour, ...expected }) =>
    onStack({}, async (_, front, home) => {
      await isWellAgain(home);
      front.behave(behaviour);
      await expectNamed(home, front.url, expected);
    }),
  TIMEOUT_MS,
);

test(
  "the supervisor's timer is switched off: named, and not green",
  () =>
    onStack({ appSettings: { "AzureWebJobs.supervisor.Disabled": "true" } }, async (_, front, home) => {
      const expected = { home: /No supervisor is active/, terminal: /No supervisor is active/ };
      await expectNamed(home, front.url, expected);
    }),
  TIMEOUT_MS,
);

/** A run, and this time after it the next one is late. */
const LATE_MS = 2 * MINUTE_MS + 5_000;

test(
  "the gauges' timer runs no more: named, and not green",
  () =>
    onStack({ appSettings: { GaugesSchedule: NEVER } }, async (app, front, home) => {
      const storage = BlobServiceClient.fromConnectionString(app.stack.addresses.azurite?.connectionString ?? "");
      const signs = createGaugesSigns(storage.getContainerClient(LEASE_CONTAINER));
      await signs.write({ at: new Date().toISOString(), nextAt: null, failing: null });
      await isWellAgain(home);
      await sleep(LATE_MS);
      const words = /The gauges' timer does not run/;
      await expectNamed(home, front.url, { home: words, terminal: words });
    }),
  TIMEOUT_MS,
);

/** The sample's containers as somebody has made them by other means. @returns the file */
function containersWithoutDueAt(dir: string): string {
  const resources = JSON.parse(readFileSync(join(ROOT, "infra/entities/cosmos.json"), "utf8"));
  for (const { indexingPolicy } of resources.containers)
    indexingPolicy.includedPaths = indexingPolicy.includedPaths.filter(({ path = "" }) => path !== "/dueAt/?");
  const file = join(dir, "cosmos.json");
  writeFileSync(file, JSON.stringify(resources));
  return file;
}

test(
  "a supervisor leads, and each of its sweeps fails, as without an index: named, and not green",
  async () => {
    const dir = mkdtempSync(join(tmpdir(), "index-"));
    const words = /sweeps fail[\s\S]*find what is due/;
    await onStack({ cosmosFile: containersWithoutDueAt(dir) }, (_, front, home) =>
      expectNamed(home, front.url, { home: words, terminal: words }),
    );
    rmSync(dir, { recursive: true });
  },
  TIMEOUT_MS,
);

test(
  "nobody takes in what is sent, while the host is up: named, and not green",
  () =>
    onStack({ appSettings: { "AzureWebJobs.submission.Disabled": "true" } }, async (app, front, home) => {
      await app.shop.send(madeOrder("stays-1"));
      const words = /Messages in jobs wait for a function that takes and completes them/;
      await expectNamed(home, front.url, { home: words, terminal: words });
    }),
  TIMEOUT_MS,
);

test(
  "one of two hosts answers each request by 500: named, and not green",
  () =>
    onStack({ hosts: 2 }, async (app, front, home) => {
      await isWellAgain(home);
      front.behave({ kind: "oneFails", target: app.stack.addresses.hosts[1]?.url ?? "" });
      await expectNamed(home, front.url, { home: NOT_KNOWN, terminal: /not known\. 500/ });
      front.behave({ kind: "passes" });
      await isWellAgain(home);
    }),
  TIMEOUT_MS,
);

test(
  "one of two hosts is frozen: named, and not green",
  () =>
    onStack({ hosts: 2 }, async (app, front, home) => {
      await isWellAgain(home);
      const [, second] = app.stack.processes.filter(({ name }) => name.startsWith("host"));
      if (!second) throw new Error("there is one host");
      await app.stack.kill(second.name, "SIGSTOP");
      try {
        await expectNamed(home, front.url, { home: NOT_KNOWN, terminal: /did not answer within/ });
      } finally {
        await app.stack.kill(second.name, "SIGCONT");
      }
    }),
  TIMEOUT_MS,
);
