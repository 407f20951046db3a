// `npm run console-pictures`: takes a picture of each view, light, dark and narrow, while all is well and while much is not, and says what axe finds there.
// They are looked at after each change of the console.
import { mkdirSync } from "node:fs";
import { basename, join } from "node:path";
import type { StateRecord } from "@scheduler-agent-supervisor/core/internal/domain/record/state-record";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { build } from "../../cli/build.ts";
import { readArguments, runCommand, UsageError } from "../../cli/every-app/arguments.ts";
import { adaptApp } from "../support/adapted-app.ts";
import { madeOrder } from "../support/made-order.ts";
import { CARRIER, CHAIN, GRAPH, THREE_STEPS } from "../support/orders.ts";
import { startTestStack, type TestStack } from "../support/test-stack.ts";
import { faultsOf } from "./axe.ts";
import { openBrowser, openPage } from "./browser.ts";
import { startLateCarrier } from "./late-carrier.ts";
import { plant, plantDecisions, plantReports } from "./planted.ts";
import { README, takeForReadme } from "./readme-pictures.ts";

const VIEWS = {
  attention: "/",
  overview: "/overview",
  "search-in-error": "/search?state=Error",
  search: "/search",
  order: "/jobs/rejected-1",
  stuck: "/jobs/stuck-1",
  processed: "/jobs/plain-1",
  supervision: "/supervision",
  "search-waits": "/search?waitsFor=agent:payment",
  nopage: "/nopage",
  agents: "/agents",
  "dead-letters": "/dead-letters/quarantine",
  discarded: "/discarded",
  "bulk-runs": "/bulk",
  awaiting: "/awaiting",
  later: "/jobs/later-1",
  "not-found": "/jobs/nowhere",
} as const;

const LOOKS = {
  light: { colorScheme: "light", viewport: { width: 1440, height: 900 } },
  dark: { colorScheme: "dark", viewport: { width: 1440, height: 900 } },
  "middle-dark": { colorScheme: "dark", viewport: { width: 1024, height: 768 } },
  middle: { colorScheme: "light", viewport: { width: 1024, height: 768 } },
  forced: { colorScheme: "dark", forcedColors: "active" },
  "narrow-dark": { colorScheme: "dark", viewport: { width: 390, height: 844 } },
  narrow: { colorScheme: "light", viewport: { width: 390, height: 844 } },
} as const;

/** What there is without an order. */
const QUIET = [
  "attention",
  "overview",
  "search",
  "supervision",
  "agents",
  "dead-letters",
  "discarded",
  "bulk-runs",
  "awaiting",
] as const;

const USAGE = `npm run console-pictures     pictures of each view: light, dark, forced colours, three widths; and what axe finds in them
  --folder DIR   where they are kept (.local/pictures)
  --look LOOK    one of them alone: ${Object.keys(LOOKS).join(", ")}
  --readme       the README's pictures of home and of the simulator alone, light and dark, into docs/pictures`;

async function pause(app: TestStack, kind: string, name: string, reason: string): Promise<void> {
  await app.call("api/pauses", {
    method: "POST",
    headers: { "content-type": "application/json", "x-ms-client-principal-name": "ada@example.com" },
    body: JSON.stringify({ kind, name, change: "pause", reason }),
  });
}

/** Also says what axe finds. */
async function take(page: Page, path: string): Promise<void> {
  await page.screenshot({ path, fullPage: true });
  for (const fault of await faultsOf(page)) console.log(`${basename(path)}: ${JSON.stringify(fault)}`);
}

async function takeQuiet(browser: Browser, base: string, folder: string, looks: Looks): Promise<void> {
  for (const [look, options] of looks) {
    const { page } = await openPage(browser, options);
    for (const name of QUIET) {
      await page.goto(base + VIEWS[name]);
      await page.locator("h1").waitFor();
      await page.waitForLoadState("networkidle");
      await take(page, join(folder, `quiet-${name}-${look}.png`));
    }
    await page.context().close();
  }
}

type Looks = readonly (readonly [look: string, options: BrowserContextOptions])[];

/** Plants what there is to see, and takes each picture. @param only one look, or the README's; all looks without it */
export async function takePictures(folder: string, only?: string): Promise<void> {
  const looks: Looks = Object.entries(LOOKS).filter(([look]) => only === undefined || look === only);
  mkdirSync(folder, { recursive: true });
  build();
  await using carrier = await startLateCarrier();
  using adapted = adaptApp([THREE_STEPS, CHAIN, GRAPH, CARRIER]);
  await using app = await startTestStack({
    appDir: adapted.dir,
    appSettings: ({ remotes }) => {
      carrier.target = remotes["shipping"] ?? "";
      return { ShippingEndpoints: carrier.url, TraceUrl: "https://traces.example/{traceId}" };
    },
  });
  const browser = await openBrowser();
  const base = `${app.stack.addresses.host?.url}/console`;
  await takeQuiet(browser, base, folder, looks);
  await plant(app, 5);
  const cause = "TypeError: Cannot read properties of undefined (reading 'attempt') at recordReply";
  await plantReports(
    app,
    { name: "CompensationIncomplete", subject: "plain-1", cause: "reserveStock: HTTP 409: it has left the warehouse" },
    {
      name: "FunctionFailed",
      subject: "recordAgentReply",
      cause: `${cause}: ${"while the reply was read ".repeat(6)}`,
    },
    { name: "StatusUndeliverable", subject: "replies-shop", cause: "" },
  );
  for (let order = 1; order <= 12; order += 1) await app.shop.send(madeOrder(`made-${order}`));
  await app.eventually("made-12", ({ processState }) => processState === "Processed");
  // Some orders under way, and an endpoint that does not answer.
  await app.switchOn("shipping", { kind: "slow", delayMs: 120_000 });
  await app.switchOn("fraud", { kind: "down", status: 503, message: "down for maintenance" });
  for (let order = 1; order <= 6; order += 1) await app.shop.send(madeOrder(`flying-${order}`));
  for (let order = 1; order <= 3; order += 1) {
    await app.shop.send({ ...madeOrder(`later-${order}`), workflow: "carrier" });
  }
  await app.eventually("later-3", ({ steps }) => steps["arrangeShipping"]?.accepted?.progress !== undefined);
  await app.shop.send({ ...madeOrder("unreadable-2"), currency: "euro" });
  await app.switchOn("payment", { kind: "reject", status: 401, message: "key expired" });
  for (const orderId of ["held-1", "held-2", "held-3"]) await app.shop.send(madeOrder(orderId));
  const isHeld = ({ steps }: StateRecord) => steps["takePayment"]?.expiry?.misconfigured === true;
  for (const orderId of ["held-1", "held-2", "held-3"]) await app.eventually(orderId, isHeld, 90_000);
  await pause(app, "workflow", "returns", "the warehouse counts its stock");
  await plantDecisions(app, new Date().toISOString().slice(0, 10), 4);
  if (only === README) await takeForReadme(browser, `${base}/`);
  for (const [look, options] of looks) {
    const { page, errors } = await openPage(browser, options);
    const shoot = (name: string) => take(page, join(folder, `${name}-${look}.png`));
    for (const [name, path] of Object.entries(VIEWS)) {
      await page.goto(base + path);
      await page.locator("h1").waitFor();
      await page.waitForLoadState("networkidle");
      await shoot(name);
    }
    await page.goto(`${base}/dead-letters/quarantine`);
    await page.locator(".groups a").first().click();
    await page.getByText("Edit once for all").click();
    await shoot("dead-letter-cause");
    await page.goto(`${base}/dead-letters/quarantine`);
    await page.locator("tbody a").first().click();
    await page.getByRole("button", { name: "Discard" }).waitFor();
    await shoot("dead-letter");
    if (look === looks[0]?.[0]) {
      // The other looks show it as discarded.
      await page.goto(`${base}/dead-letters/quarantine`);
      await page.locator("tbody tr").filter({ hasText: "unreadable-2" }).getByRole("link").click();
      await page.getByLabel("Reason").fill("a test of the client's: nobody misses it");
      await page.getByRole("button", { name: "Discard" }).click();
      await page.getByRole("link", { name: "See the discarded message" }).waitFor();
      await shoot("discarded-done");
    }
    await page.goto(`${base}/`);
    await page.getByRole("button", { name: /^Dismiss: The function/ }).click();
    await page.getByLabel("Reason").fill("the deployment is rolled back");
    await shoot("dismissing");
    await page.goto(`${base}/`);
    await page.locator("[aria-labelledby=held-up]").getByRole("link", { name: "payment: HTTP 401" }).first().click();
    await page.getByRole("button", { name: /^Continue now/ }).waitFor();
    await shoot("held-up");
    await page.goto(`${base}/jobs/held-1`);
    await page.getByText("Why this order waits").waitFor();
    await page.waitForLoadState("networkidle");
    await shoot("held");
    await page.goto(`${base}/discarded`);
    await page.locator("tbody a").first().click();
    await page.getByRole("button", { name: "Send again" }).waitFor();
    await shoot("discarded-message");
    await page.goto(`${base}/jobs/later-1`);
    await page.getByRole("button", { name: "Report arrangeShipping as done" }).click();
    await page.getByLabel("Shipment id").waitFor();
    await page.screenshot({ path: join(folder, `report-${look}.png`) });
    await page.goto(`${base}/jobs/rejected-1`);
    if (look === "light") {
      await page.getByRole("button", { name: "Take", exact: true }).click();
      await page.getByRole("button", { name: "Release", exact: true }).waitFor();
    }
    await page.getByRole("button", { name: "Edit and resubmit" }).click();
    await page.getByLabel("Currency").fill("SEK");
    await page.waitForLoadState("networkidle");
    await page.screenshot({ path: join(folder, `edit-${look}.png`) });
    await page.goto(`${base}/`);
    await page.getByRole("link", { name: "has expired" }).click();
    await page.getByRole("button", { name: /^Mark resolved all/ }).waitFor();
    await page.waitForLoadState("networkidle");
    await shoot("group");
    // Each look has its own run, which is begun in the last one alone.
    await page.getByRole("button", { name: /^Mark resolved all/ }).click();
    await page.getByLabel("Reason").waitFor();
    await shoot("bulk-preview");
    if (look === "narrow") {
      await page.getByLabel("Reason").fill("refunded by the bank");
      await page.getByRole("button", { name: /^Mark resolved: \d+ orders/ }).click();
      await page.getByRole("status").getByText("Done", { exact: true }).waitFor({ timeout: 20_000 });
      await shoot("bulk-done");
      await page.setViewportSize({ width: 1280, height: 800 });
      await page.screenshot({ path: join(folder, "bulk-done-light.png"), fullPage: true });
      await page.setViewportSize(LOOKS.narrow.viewport);
    }
    await page.goto(`${base}/search?q=rejected&state=Error`);
    await page
      .getByRole("checkbox", { name: "Choose rejected-1" })
      .or(page.getByText("No order matches"))
      .first()
      .waitFor();
    if (!look.startsWith("narrow")) {
      await page.getByText("Act on all matches").click();
      await shoot("search-matching");
      await page.getByRole("checkbox", { name: "Choose rejected-1" }).check();
      await page.getByRole("checkbox", { name: "Choose rejected-2" }).check();
      await shoot("search-chosen");
    }
    await page.goto(`${base}/agents`);
    await page.getByRole("button", { name: "Pause payment" }).click();
    await page.getByLabel("Reason").fill("the bank asks for it");
    await shoot("agents-pausing");
    for (const error of errors) console.log(look, error);
    await page.context().close();
  }
  await browser.close();
}

if (import.meta.main) {
  await runCommand(async () => {
    const { values } = readArguments(
      { folder: { type: "string" }, look: { type: "string" }, readme: { type: "boolean" } },
      USAGE,
    );
    const look = values["readme"] ? README : (values["look"] as string | undefined);
    if (look !== undefined && look !== README && !Object.hasOwn(LOOKS, look))
      throw new UsageError(`--look takes ${Object.keys(LOOKS).join(", ")}`);
    await takePictures(String(values["folder"] ?? join(import.meta.dirname, "../../.local/pictures")), look);
    return 0;
  });
}
