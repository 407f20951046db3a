// A real Chromium for tests: each page notes what its console says and what the policy has blocked.
import { type Browser, type BrowserContextOptions, type Page, chromium as playwright } from "playwright-core";
import { unpackedBrowser } from "../browser/packed.ts";
import { WITH_KEY } from "../support/host-key.ts";
import { findBrowser, NO_BROWSER } from "./find-browser.ts";

export interface OpenedPage {
  readonly page: Page;
  /** Errors of the page's scripts, its console and its policy. */
  readonly errors: readonly string[];
}

/** Of the packed one. One process a page is enough: the package's own arguments put all into one, which ends with its first page. */
const ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-zygote", "--headless=shell"];
const LAUNCH_MS = 30_000;

export async function openBrowser(): Promise<Browser> {
  const found = findBrowser();
  if (!found) throw new Error(NO_BROWSER);
  const launch =
    found === "packed" ? { executablePath: await unpackedBrowser(), args: ARGUMENTS } : { executablePath: found.path };
  return playwright.launch({ ...launch, headless: true, timeout: LAUNCH_MS });
}

export async function openPage(browser: Browser, options: BrowserContextOptions = {}): Promise<OpenedPage> {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    reducedMotion: "reduce",
    timezoneId: "Europe/Berlin",
    locale: "en-GB",
    ...options,
    extraHTTPHeaders: { ...WITH_KEY, ...options.extraHTTPHeaders },
  });
  const page = await context.newPage();
  page.setDefaultTimeout(10_000);
  const errors: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error") errors.push(message.text());
  });
  page.on("pageerror", (cause) => errors.push(String(cause)));
  return { page, errors };
}
