// The checkout whose app is run: this one, or another one that --app names, with its own local stack, settings and samples.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { HostFolder } from "./host-folder.ts";

type Stacks = typeof import("@scheduler-agent-supervisor/local");
type ProjectSettings = typeof import("../../cli/settings.ts");
type Samples = typeof import("../../cli/common/samples.ts");
type SendSamples = typeof import("../../cli/start/send-samples.ts");

export interface Project
  extends Pick<Stacks, "startStack">,
    Pick<ProjectSettings, "settingsFor">,
    Pick<Samples, "readSamples">,
    Pick<SendSamples, "switchOnFaults"> {
  readonly dir: string;
}

export async function openProject(folder: string): Promise<Project> {
  const dir = resolve(folder);
  if (!existsSync(join(dir, "cli", "package.ts"))) throw new Error(`${dir} is no checkout of this project`);
  /** @param places where it stands, and where it stood in an older checkout */
  const load = (...places: string[]): Promise<unknown> =>
    import(pathToFileURL(join(dir, places.find((path) => existsSync(join(dir, path))) ?? "")).href);
  const { startStack } = (await load("packages/local/src/stack/stack.ts", "local/stack/stack.ts")) as Stacks;
  const { settingsFor } = (await load("cli/settings.ts")) as ProjectSettings;
  const { readSamples } = (await load("cli/common/samples.ts", "cli/samples.ts")) as Samples;
  const { switchOnFaults } = (await load("cli/start/send-samples.ts", "cli/samples.ts")) as SendSamples;
  return { dir, startStack, settingsFor, readSamples, switchOnFaults };
}

/** Compiles and packs the project, and makes of the package an app for this host. @returns the app's folder, below `folder` */
export function packFor(host: HostFolder, project: Project, folder: string): string {
  const out = join(folder, "package");
  const app = join(folder, "app");
  run(process.execPath, ["-C", "sources", join(project.dir, "cli", "package.ts"), "--out", out], project.dir);
  run(host.makeApp, [join(out, "app"), app], folder, { REAL_HOST_OUT: host.dir });
  return app;
}

function run(program: string, args: readonly string[], cwd: string, environment: Record<string, string> = {}): void {
  const env = { ...process.env, ...environment };
  const { status, stderr, error } = spawnSync(program, args, { cwd, env, stdio: ["ignore", "ignore", "pipe"] });
  if (status !== 0) throw new Error(`${program} failed: ${error?.message ?? String(stderr).trim()}`);
}
