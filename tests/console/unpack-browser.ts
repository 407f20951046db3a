// Unpacks Chromium once before all suites: files that did so at the same time could start one that another was still writing.
import chromium from "@sparticuz/chromium";

export async function setup(): Promise<void> {
  await chromium.executablePath();
}
