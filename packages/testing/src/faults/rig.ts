// An app on a local stack whose host dies at an armed point and is started again, however often.
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type BlobClient, BlobServiceClient } from "@azure/storage-blob";
import { type Arm, CRASHED, foldersOf, writeArms } from "./probe-point.ts";
import { probeSettings } from "./settings.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const POLL_MS = 50;

type InstanceName = `host/${string}`;

/** The part of a local stack that is needed here. */
export interface RestartableStack {
  kill(name: "host" | InstanceName): Promise<void>;
  restart(name: "host" | InstanceName): Promise<void>;
  /** The host's own processes, in the flex topology. */
  readonly instances?: readonly { readonly name: string; readonly isReady: boolean }[];
}

export interface StartedApp extends AsyncDisposable {
  readonly stack: RestartableStack;
  readonly settings: { readonly [name: string]: string | undefined };
}

/** The options for starting the stack. */
export interface Probe {
  /** A temporary folder, which goes with the rig. */
  readonly folder: string;
  /** Of the host, over its own. */
  readonly settings: Readonly<Record<string, string>>;
  readonly onExit: (process: string) => void;
  /** In the flex topology one process may stop alone, and its host starts it again. */
  readonly onInstanceExit: () => void;
}

export interface Rig<App extends StartedApp = StartedApp> extends AsyncDisposable {
  readonly app: App;
  readonly kills: number;
  /** Resolves when the host and all its processes are up: what died in a life before may still be starting. */
  untilUp(): Promise<void>;
  /**
   * Another host for the one that lives; in the flex topology another process of the function, if it has one of its own. With `no leader
   * yet` it is as if there had never been one.
   */
  renew(functionName: string, leader?: "no leader yet"): Promise<void>;
  watch(jobId: string, arms: readonly Arm[]): void;
  /** Every point that was reached for it, in order, and the crashes. */
  noted(jobId: string): { readonly points: readonly string[]; readonly crashes: readonly string[] };
  /** The arms that were not crashed. */
  notReached(jobId: string): readonly Arm[];
  /** Nothing befalls it any more; what is still reached for it stays its own. */
  forget(jobId: string): void;
}

export async function startRig<App extends StartedApp>(start: (probe: Probe) => Promise<App>): Promise<Rig<App>> {
  const folder = temporaryFolder("probe-");
  const { watched, noted } = foldersOf(folder);
  for (const each of [watched, noted]) mkdirSync(each, { recursive: true });
  let kills = 0;
  let ending = false;
  let back: Promise<void> = Promise.resolve();
  /** Absent while it starts: whatever dies then ends the start. */
  let started: App | undefined;
  const app = await start({
    folder,
    settings: probeSettings(folder),
    onInstanceExit: () => {
      if (!started) return;
      kills += 1;
      void breakLease(leaderBlob(started));
    },
    onExit: (name) => {
      if (!started || ending || name !== "host") return;
      kills += 1;
      back = comeBack();
    },
  });
  started = app;
  /** A host that dies while it starts has another armed point behind it. */
  async function comeBack(): Promise<void> {
    await breakLease(leaderBlob(app));
    while (
      !ending &&
      !(await app.stack.restart("host").then(
        () => true,
        () => false,
      ))
    );
  }

  return {
    app,
    get kills() {
      return kills;
    },
    async untilUp() {
      await back;
      while (app.stack.instances?.some(({ isReady }) => !isReady)) await sleep(POLL_MS);
    },
    async renew(functionName, leader) {
      const own: InstanceName = `host/${functionName}`;
      const isAlone = app.stack.instances?.some(({ name }) => name === own);
      await app.stack.kill(isAlone ? own : "host");
      if (leader) {
        await breakLease(leaderBlob(app));
        await leaderBlob(app).deleteIfExists();
      }
      if (isAlone) await app.stack.restart(own);
      else await comeBack();
    },
    watch: (jobId, arms) => writeArms(folder, jobId, arms),
    noted(jobId) {
      const lines = linesOf(join(noted, jobId));
      const [points, crashes] = [false, true].map((crashed) =>
        lines.filter((line) => line.startsWith(CRASHED) === crashed),
      );
      return { points: points ?? [], crashes: crashes ?? [] };
    },
    notReached: (jobId) => JSON.parse(readFileSync(join(watched, jobId), "utf8")) as Arm[],
    forget: (jobId) => writeArms(folder, jobId, []),
    async [Symbol.asyncDispose]() {
      ending = true;
      await app[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function leaderBlob({ settings }: StartedApp): BlobClient {
  const storage = BlobServiceClient.fromConnectionString(settings["AzureWebJobsStorage"] ?? "");
  return storage.getContainerClient("supervisor").getBlobClient("leader");
}

/** A dead leader's lease lasts 15 s, which every death would cost. */
async function breakLease(blob: BlobClient): Promise<void> {
  const nobodyHasIt = () => undefined;
  await blob.getBlobLeaseClient().breakLease(0).catch(nobodyHasIt);
}

function linesOf(file: string): string[] {
  try {
    return readFileSync(file, "utf8").split("\n").filter(Boolean);
  } catch {
    return [];
  }
}
