// The pictures that README and docs show of the console, while something needs a person, and of the simulator, after a kill.
import type { StateRecord } from "@scheduler-agent-supervisor/core/domain";
import { build } from "../../cli/build.ts";
import { adaptApp } from "../support/adapted-app.ts";
import { madeOrder } from "../support/made-order.ts";
import { CARRIER, CHAIN, GRAPH, THREE_STEPS } from "../support/orders.ts";
import { startTestStack } from "../support/test-stack.ts";
import { openBrowser, openPage } from "./browser.ts";
import { startLateCarrier } from "./late-carrier.ts";
import { plant } from "./planted.ts";
import { serveSimulator } from "./simulator-page.ts";

/** Light and dark. @param pictureOf where the picture of a name is kept */
export async function takePictures(pictureOf: (name: string) => string): Promise<void> {
  build();
  await using carrier = await startLateCarrier();
  using adapted = adaptApp([THREE_STEPS, CHAIN, GRAPH, CARRIER]);
  await using app = await startTestStack({
    appDir: adapted.dir,
    appSettings: ({ remotes }) => {
      carrier.target = remotes["shipping"] ?? "";
      return { ShippingEndpoints: carrier.url };
    },
  });
  await plant(app, 5);
  for (let order = 1; order <= 3; order += 1)
    await app.shop.send({ ...madeOrder(`later-${order}`), workflow: "carrier" });
  await app.eventually("later-3", ({ steps }) => steps["arrangeShipping"]?.accepted !== undefined);
  await app.switchOn("payment", { kind: "reject", status: 401, message: "key expired" });
  const held = ["held-1", "held-2", "held-3"];
  for (const orderId of held) await app.shop.send(madeOrder(orderId));
  const isHeld = ({ steps }: StateRecord) => steps["takePayment"]?.expiry?.misconfigured === true;
  for (const orderId of held) await app.eventually(orderId, isHeld, 90_000);
  await using simulator = await serveSimulator();
  const browser = await openBrowser();
  for (const colorScheme of ["light", "dark"] as const) {
    const { page } = await openPage(browser, { colorScheme, viewport: { width: 1100, height: 720 } });
    await page.goto(`${app.stack.addresses.host?.url}/console/`);
    await page.locator("[aria-labelledby=held-up]").waitFor();
    await page.waitForLoadState("networkidle");
    await page.screenshot({ path: pictureOf(`console-${colorScheme}.png`) });
    await page.goto(`${simulator.url}#seed=1&step=5`);
    await page.getByRole("button", { name: "Kill: Scheduler" }).click();
    await page.getByText("You kill the scheduler", { exact: false }).first().waitFor();
    await page.screenshot({ path: pictureOf(`simulator-${colorScheme}.png`) });
    await page.context().close();
  }
  await browser.close();
}
