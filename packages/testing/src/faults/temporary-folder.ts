// Folders that are removed however their process ends: Ctrl-C ends one without what `finally` would do.
import { mkdtempSync, rmSync } from "node:fs";
import { constants, tmpdir } from "node:os";
import { join } from "node:path";

const folders = new Set<string>();
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
/** What the process has started may still write for a moment. */
const AGAIN = { maxRetries: 20, retryDelay: 50 };

/** A new folder, whose name begins so. Whoever is done with it earlier removes it. */
export function temporaryFolder(prefix: string, parent: string = tmpdir()): string {
  if (folders.size === 0) {
    process.once("exit", removeAll);
    for (const signal of SIGNALS) process.on(signal, leave);
  }
  const folder = mkdtempSync(join(parent, prefix));
  folders.add(folder);
  return folder;
}

function removeAll(): void {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true, ...AGAIN });
}

/** As a process ends that does not listen to the signal: one that does ends by itself. */
function leave(signal: (typeof SIGNALS)[number]): void {
  if (process.listenerCount(signal) === 1) process.exit(128 + constants.signals[signal]);
}
