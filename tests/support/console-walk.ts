// All that the console shows to one person: its views, its export, and what it has loaded for them.
import { readFileSync } from "node:fs";
import { openBrowser, openPage } from "../console/browser.ts";

const VIEWS = ["", "overview", "search", "search?state=Error", "agents", "bulk", "awaiting", "discarded"];
const MORE = ["supervision", "dead-letters", "dead-letters/quarantine"];

/**
 * @param headers those that sign the person in
 * @param views of single jobs and messages, under `/console/`
 */
export async function* shownByConsole(
  host: string,
  headers: Record<string, string>,
  views: readonly string[],
): AsyncGenerator<{ readonly place: string; readonly text: string }> {
  await using browser = await openBrowser();
  const { page } = await openPage(browser, { extraHTTPHeaders: headers });
  const loaded: Promise<string>[] = [];
  page.on("response", (response) => loaded.push(response.text().catch(() => "")));
  for (const view of [...VIEWS, ...MORE, ...views]) {
    await page.goto(`${host}/console/${view}`);
    await page.waitForLoadState("networkidle");
    yield { place: `/${view}`, text: await page.content() };
  }
  await page.goto(`${host}/console/search?state=Error`);
  const button = page.getByRole("button", { name: "Export as CSV" });
  const [file] = await Promise.all([page.waitForEvent("download"), button.click()]);
  yield { place: "the export", text: readFileSync(await file.path(), "utf8") };
  // Its scripts, and all that it has asked for.
  for (const text of new Set(await Promise.all(loaded))) yield { place: "what the console loads", text };
}
