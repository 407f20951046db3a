// A Chromium for Linux on x64, from the package that stands here: tests/browser/package.json. `npm test` installs it.
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const MANIFEST = join(import.meta.dirname, "package.json");
const NAME = "@sparticuz/chromium";

export const PACKED = join(import.meta.dirname, "node_modules", NAME, "package.json");

interface Packed {
  readonly default: { executablePath(): Promise<string> };
}

/** Unpacks it where it is not yet. */
export async function unpackedBrowser(): Promise<string> {
  if (!existsSync(PACKED)) throw new Error(`There is no ${PACKED}: npm test installs it`);
  const file = createRequire(MANIFEST).resolve(NAME);
  const { default: chromium } = (await import(/* @vite-ignore */ pathToFileURL(file).href)) as Packed;
  return chromium.executablePath();
}
