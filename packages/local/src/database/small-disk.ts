// For tests: a real file system with little room, that can be filled to the last byte. Only root on Linux may have one.
import { execFileSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, rmSync, statfsSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** Undefined where a file system can be mounted. */
export const NO_SMALL_DISK = reasonAgainst();

const CHUNK = Buffer.alloc(4096);

export interface SmallDisk {
  readonly folder: string;
  /** Leaves no byte free. */
  fill(): void;
  makeRoom(): void;
}

/** Unmounted at the end of the test. */
export function smallDisk(megabytes: number): SmallDisk {
  const folder = mount(megabytes);
  onTestFinished(() => unmount(folder));
  const filler = join(folder, "filler");
  return {
    folder,
    fill() {
      const file = openSync(filler, "a");
      try {
        for (;;) writeSync(file, CHUNK);
      } catch {
        // Full.
      } finally {
        closeSync(file);
      }
      const { bavail } = statfsSync(folder);
      if (bavail > 0) throw new Error(`${folder} has ${bavail} free blocks`);
    },
    makeRoom: () => rmSync(filler),
  };
}

function mount(megabytes: number): string {
  const folder = mkdtempSync(join(tmpdir(), "small-disk-"));
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m`, "tmpfs", folder], { stdio: "pipe" });
  } catch (cause) {
    rmSync(folder, { recursive: true });
    throw cause;
  }
  return folder;
}

function unmount(folder: string): void {
  // Lazily: a process that was killed just now may still hold a file.
  execFileSync("umount", ["-l", folder]);
  rmSync(folder, { recursive: true });
}

function reasonAgainst(): string | undefined {
  if (process.platform !== "linux") return "only Linux has a tmpfs";
  try {
    unmount(mount(1));
    return undefined;
  } catch (cause) {
    return `no file system can be mounted here: ${cause instanceof Error ? cause.message : String(cause)}`;
  }
}
