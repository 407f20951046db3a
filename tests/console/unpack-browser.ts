// Unpacks Chromium once before all suites: files that did so at the same time could start one that another was still writing.
import { unpackedBrowser } from "../browser/packed.ts";
import { findBrowser } from "./find-browser.ts";

export async function setup(): Promise<void> {
  if (findBrowser() === "packed") await unpackedBrowser();
}
