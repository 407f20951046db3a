// The pictures that the README shows: home while something needs a person, and the simulator after a kill.
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { ROOT } from "../../cli/settings.ts";
import { openPage } from "./browser.ts";
import { serveSimulator } from "./simulator-page.ts";

/** The look by which they are asked for. */
export const README = "readme";

const SCHEMES = ["light", "dark"] as const;
const pictureOf = (name: string) => join(ROOT, "docs/pictures", `${name}.png`);

export async function takeForReadme(browser: Browser, home: string): Promise<void> {
  await using simulator = await serveSimulator();
  for (const colorScheme of SCHEMES) {
    const { page } = await openPage(browser, { colorScheme, viewport: { width: 1100, height: 720 } });
    await page.goto(home);
    await page.locator("[aria-labelledby=held-up]").waitFor();
    await page.waitForLoadState("networkidle");
    await page.screenshot({ path: pictureOf(`console-${colorScheme}`) });
    await page.goto(`${simulator.url}#seed=1&step=5`);
    await page.getByRole("button", { name: "Kill: Scheduler" }).click();
    await page.getByText("You kill the scheduler", { exact: false }).first().waitFor();
    await page.screenshot({ path: pictureOf(`simulator-${colorScheme}`) });
    await page.context().close();
  }
}
