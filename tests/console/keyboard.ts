// An operator without a mouse: what the Tab key reaches, and what is typed there.
import type { Page } from "playwright-core";

/** More than a view has. */
const MOST_TABS = 100;

export interface Keyboard {
  /** Goes on by Tab to what has that text or label, and presses a key there: Enter unless stated otherwise. */
  press(name: string, key?: string): Promise<void>;
  /** Goes on to that field, and types in the place of what it holds. */
  type(label: string, text: string): Promise<void>;
}

export function keyboardOf(page: Page): Keyboard {
  const names = async () => {
    const words = "[document.activeElement.textContent, document.activeElement.getAttribute('aria-label')]";
    return ((await page.evaluate(words)) as (string | null)[]).map((text) => text?.trim());
  };
  const tabUntil = async (what: string, isThere: () => Promise<boolean>) => {
    for (let tabs = 0; tabs < MOST_TABS; tabs += 1) {
      await page.keyboard.press("Tab");
      if (await isThere()) return;
    }
    throw new Error(`the keyboard does not reach ${what}`);
  };
  return {
    async press(name, key = "Enter") {
      // The list of shortcuts has the views too, and is hidden.
      await page.getByText(name).or(page.getByLabel(name)).filter({ visible: true }).first().waitFor();
      await tabUntil(name, async () => (await names()).includes(name));
      await page.keyboard.press(key);
    },
    async type(label, text) {
      const field = page.getByLabel(label, { exact: true });
      await field.waitFor();
      const hasFocus = () => field.evaluate((one) => one.matches(":focus"));
      if (!(await hasFocus())) await tabUntil(label, hasFocus);
      await page.keyboard.press("Control+A");
      await page.keyboard.insertText(text);
    },
  };
}
