// A log that a process keeps for another: a full disk costs lines, and never ends the process.
import { closeSync, openSync, writeSync } from "node:fs";

interface LogFile {
  write(line: string): void;
  close(): void;
}

/** Appends to the file. */
export function openLogFile(path: string): LogFile {
  const file = openSync(path, "a");
  let isOpen = true;
  return {
    write(line) {
      try {
        if (isOpen) writeSync(file, `${line}\n`);
      } catch {
        // The disk has no room for it.
      }
    },
    close() {
      if (isOpen) closeSync(file);
      isOpen = false;
    },
  };
}
