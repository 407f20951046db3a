// The deployment package: what of the project .funcignore lets through, with the app bundled, as a folder and as a zip.
import { createHash } from "node:crypto";
import { existsSync, globSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { strFromU8, strToU8, type ZipOptions, zipSync } from "fflate";
import ignore, { type Ignore } from "ignore";
import { bundleApp } from "./bundle.ts";
import { type DurableBackend, hostJsonFor } from "./durable-backend.ts";

export interface AppPackage {
  /** By their paths, sorted. */
  readonly files: ReadonlyMap<string, Uint8Array>;
  /** The libraries inside the bundle, as `name@version`. */
  readonly libraries: readonly string[];
  readonly zip: Uint8Array;
}

/** Whatever .funcignore says: the bundle takes the place of the first two, and the rest is nobody else's business. */
const NEVER = ["dist", "node_modules", ".git", ".azure", "local.settings.json", ".env", ".env.*"];
/** What the host needs to find an app. */
const NEEDED = ["host.json", "package.json"];
const OURS = ["app", "app.zip", "app.sbom.json"];

/** Zip has no time zone and no time before 1980: every file gets its first day, so that the same content is the same zip. */
const ZIP_ENTRY: ZipOptions = { level: 9, mtime: new Date(1980, 0, 1), os: 3, attrs: 0o100644 << 16 };

/** Packs the project in `root`, which has to be built. Nothing is written, nothing is fetched. */
export async function packApp(root: string, backend: DurableBackend = "azureStorage"): Promise<AppPackage> {
  const ignored = ignore().add(readFileSync(join(root, ".funcignore"), "utf8"));
  const { files: bundled, libraries } = await bundleApp(root);
  const found = new Map<string, Uint8Array>([
    ...[...projectFiles(root, ignored)].map((path) => [path, readFileSync(join(root, path))] as const),
    ...[...bundled].map(([path, code]) => [path, strToU8(code)] as const),
    ...consoleFiles(root),
    ["package.json", asJson(manifest(root))],
    ["libraries.json", asJson(libraries)],
  ]);
  const hostJson = found.get("host.json");
  if (hostJson) found.set("host.json", strToU8(hostJsonFor(backend, strFromU8(hostJson))));
  const kept = [...found].filter(([path]) => !ignored.ignores(path)).sort(([one], [other]) => (one < other ? -1 : 1));
  const files = new Map(kept);
  const lacking = [...NEEDED, ...bundled.keys()].filter((path) => !files.has(path));
  if (lacking.length > 0) throw new Error(`.funcignore excludes files that the app needs: ${lacking.join(", ")}`);
  return { ...packageOf(kept), libraries };
}

/** Of files in the sequence of their paths. */
export function packageOf(files: readonly (readonly [string, Uint8Array])[]): AppPackage {
  const zip = zipSync(Object.fromEntries(files.map(([path, content]) => [path, [content, ZIP_ENTRY]])));
  return { files: new Map(files), libraries: [], zip };
}

/** Writes `out`/app, `out`/app.zip and the list of its libraries in the place of an earlier package. @throws if `out` holds anything else. */
export function writePackage({ files, libraries, zip }: AppPackage, out: string): void {
  const foreign = existsSync(out) ? readdirSync(out).filter((entry) => !OURS.includes(entry)) : [];
  if (foreign.length > 0)
    throw new Error(
      `${out} contains files that do not belong to a package: ${foreign.join(", ")}. Nothing is written.`,
    );
  const made = `${out}-${process.pid}`;
  try {
    for (const [path, content] of files) {
      const file = join(made, "app", path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, content);
    }
    writeFileSync(join(made, "app.zip"), zip);
    if (libraries.length > 0) writeFileSync(join(made, "app.sbom.json"), asJson(componentsOf(libraries, zip)));
    rmSync(out, { recursive: true, force: true });
    renameSync(made, out);
  } finally {
    rmSync(made, { recursive: true, force: true });
  }
}

/** The libraries inside, in CycloneDX's format: what a pipeline signs. The same package has the same list. */
function componentsOf(libraries: readonly string[], zip: Uint8Array): object {
  const digest = createHash("sha256").update(zip).digest("hex");
  const id = digest.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, "$1-$2-$3-$4-$5");
  return {
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    serialNumber: `urn:uuid:${id}`,
    version: 1,
    metadata: { component: { type: "file", name: "app.zip", hashes: [{ alg: "SHA-256", content: digest }] } },
    components: libraries.map((library) => {
      const [name, version] = [library.slice(0, library.lastIndexOf("@")), library.slice(library.lastIndexOf("@") + 1)];
      return { type: "library", name, version, purl: `pkg:npm/${name.replace("@", "%40")}@${version}` };
    }),
  };
}

/** Paths of files, with slashes. A folder that is ignored is not entered, as in git. */
function* projectFiles(root: string, ignored: Ignore, folder = ""): Generator<string> {
  const never = ignore().add(NEVER);
  for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
    const path = folder + entry.name;
    const tested = entry.isDirectory() ? `${path}/` : path;
    if (never.ignores(tested) || ignored.ignores(tested)) continue;
    if (entry.isDirectory()) yield* projectFiles(root, ignored, `${path}/`);
    else if (entry.isFile()) yield path;
  }
}

/** The console as it was built, which the operators' desk brings along. An app without the desk has none. */
function consoleFiles(root: string): [string, Uint8Array][] {
  const desk = join(root, "node_modules/@scheduler-agent-supervisor/operator");
  if (!existsSync(desk)) return [];
  const files = globSync("console/**/*.*", { cwd: join(desk, "dist") });
  if (files.length === 0) throw new Error(`${join(desk, "dist/console")} is empty: npm run build`);
  return files.map((path) => [`dist/${path.replaceAll("\\", "/")}`, readFileSync(join(desk, "dist", path))]);
}

/** Of package.json what the worker reads; with dependencies in it, a build in Azure would install them again. */
function manifest(root: string): Record<string, unknown> {
  const { name, version, type, main, engines } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  return { name, version, private: true, type, main, engines };
}

export function asJson(value: unknown): Uint8Array {
  return strToU8(`${JSON.stringify(value, null, 2)}\n`);
}
