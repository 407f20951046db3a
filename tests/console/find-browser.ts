// Which browser the tests drive: the one that CHROME_PATH names, the packed one where it runs, or one that is installed.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { PACKED } from "../browser/packed.ts";

/** Of whoever looks for one in vain. */
export const NO_BROWSER =
  "There is no browser: on Linux x64 npm ci --prefix tests/browser installs one; elsewhere install Chrome or Edge, or set CHROME_PATH";

/** `packed`: that of tests/browser, which is for Linux on x64 alone. */
export type FoundBrowser = "packed" | { readonly path: string };

interface Machine {
  readonly platform: NodeJS.Platform;
  readonly arch: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly isThere: (path: string) => boolean;
}

const LINUX = ["google-chrome", "chromium", "chromium-browser", "microsoft-edge"].map((name) => `/usr/bin/${name}`);
const MACOS = ["Google Chrome", "Chromium", "Microsoft Edge"].map(
  (name) => `/Applications/${name}.app/Contents/MacOS/${name}`,
);
const WINDOWS = ["Google/Chrome/Application/chrome.exe", "Microsoft/Edge/Application/msedge.exe"];

/** Undefined if there is none. @throws if CHROME_PATH names no file */
export function findBrowser({ platform, arch, environment, isThere }: Machine = HERE): FoundBrowser | undefined {
  const named = environment["CHROME_PATH"];
  if (named !== undefined && !isThere(named)) throw new Error(`CHROME_PATH is ${named}, and there is no such file`);
  if (named !== undefined) return { path: named };
  if (platform === "linux" && arch === "x64" && isThere(PACKED)) return "packed";
  const path = installed(platform, environment).find(isThere);
  return path === undefined ? undefined : { path };
}

function installed(platform: NodeJS.Platform, environment: Machine["environment"]): readonly string[] {
  if (platform === "darwin") return MACOS;
  if (platform !== "win32") return LINUX;
  const folders = ["ProgramFiles", "ProgramFiles(x86)", "LocalAppData"].flatMap((name) => environment[name] ?? []);
  return folders.flatMap((folder) => WINDOWS.map((file) => join(folder, file)));
}

const HERE: Machine = {
  platform: process.platform,
  arch: process.arch,
  environment: process.env,
  isThere: existsSync,
};
