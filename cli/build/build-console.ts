// Builds the operators' console, and the simulator that stands below it: hashed, compressed files and a list of them. Run by build.ts; a part of
// which nothing has changed is not built again.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, existsSync, globSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { extname, join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";

const root = join(import.meta.dirname, "../..");
const cache = join(root, "node_modules/.cache/console");
/** Beside the files of a built part. */
const LIST = "files.json";
const DAY_MS = 86_400_000;

interface Part {
  readonly name: "console" | "simulator";
  /** Its folder in the console's. */
  readonly at: string;
  /** All that decides what is built, besides the libraries and the builder. */
  readonly sources: readonly string[];
}

const PARTS: readonly Part[] = [
  {
    name: "console",
    at: "",
    sources: [
      "packages/operator/console/**/*.{ts,tsx,css,html,svg,json}",
      // What it imports of the packages, and what that imports.
      "packages/{core,operator}/package.json",
      "packages/core/src/*.ts",
      "instead/react-icons/*",
      "packages/{core,operator}/src/{domain,messaging}/**/*.ts",
    ],
  },
  {
    name: "simulator",
    at: "simulator/",
    sources: [
      "docs/.vitepress/simulator/**/*.{ts,css,html}",
      "packages/operator/console/src/icon.svg",
      "cli/build/build-simulator.ts",
      "shared/**/*.ts",
      "packages/{core,testing,local}/package.json",
      "packages/{core,testing,local}/src/**/*.ts",
    ],
  },
];

const TYPES: { readonly [extension: string]: string } = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};

type Files = { readonly [path: string]: ReturnType<typeof finished> };

/**
 * Puts the built console into `out`, with the simulator.
 * @throws if one of them does not build; the builder has then said why
 */
export function placeConsole(out: string): void {
  const listed: Files[] = [];
  for (const part of PARTS) {
    const built = builtPart(part);
    cpSync(join(built, part.name), join(out, part.at), { recursive: true });
    const files = JSON.parse(readFileSync(join(built, LIST), "utf8")) as Files;
    listed.push(Object.fromEntries(Object.entries(files).map(([path, file]) => [part.at + path, file])));
  }
  // An open console asks to be loaded again after a change of its own.
  const build = fingerprint(partOf("console"));
  writeFileSync(join(out, "manifest.json"), JSON.stringify({ build, files: Object.assign({}, ...listed) }));
}

/** Where the part stands as its sources are now. */
function builtPart(part: Part): string {
  const built = placeOf(part);
  if (existsSync(built)) return built;
  // A test runner says otherwise, and the build would then be React's for development.
  const env = { ...process.env, NODE_ENV: "production" };
  const args = [import.meta.filename, part.name];
  const { status } = spawnSync(process.execPath, args, { stdio: "inherit", cwd: root, env });
  if (status !== 0) throw new Error(`the ${part.name} does not build`);
  return built;
}

const placeOf = (part: Part): string => join(cache, `${part.name}-${fingerprint(part)}`);

function partOf(name: string | undefined): Part {
  const part = PARTS.find((one) => one.name === name);
  if (!part) throw new Error(`${name} is no part of the console: ${PARTS.map((one) => one.name).join(", ")}`);
  return part;
}

function fingerprint({ sources }: Part): string {
  const hash = createHash("sha256").update(readFileSync(join(root, "package-lock.json")));
  hash.update(readFileSync(import.meta.filename));
  for (const file of globSync(sources, { cwd: root }).sort()) hash.update(file).update(readFileSync(join(root, file)));
  return hash.digest("hex").slice(0, 16);
}

/** Writes the part's files and, beside them, their list. */
async function buildInto(folder: string, part: Part): Promise<void> {
  const out = join(folder, part.name);
  if (part.name === "console") await buildConsole(out, fingerprint(part));
  else {
    const { buildSimulator } = await import("./build-simulator.ts");
    await buildSimulator(out, `/console/${part.at}`);
  }
  const files = globSync("**/*.*", { cwd: out }).sort();
  const listed = files.map((file) => [file.replaceAll("\\", "/"), finished(join(out, file))] as const);
  writeFileSync(join(folder, LIST), JSON.stringify(Object.fromEntries(listed)));
}

async function buildConsole(folder: string, key: string): Promise<void> {
  // Loaded here: whoever finds the console built does without it.
  const { build, defaultClientConditions } = await import("vite");
  await build({
    configFile: false,
    root: join(root, "packages/operator/console"),
    base: "/console/",
    logLevel: "warn",
    // The packages' sources, as everywhere in this repository.
    resolve: { conditions: ["sources", ...defaultClientConditions] },
    define: { __BUILD__: JSON.stringify(key) },
    build: {
      outDir: folder,
      emptyOutDir: true,
      target: "es2023",
      // Nothing inline: the policy lets in what has an address of its own.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      // A test holds the first view to its budget, compressed.
      chunkSizeWarningLimit: 1000,
      rolldownOptions: {
        // "use client" is for frameworks that render on a server: it means nothing here.
        onwarn: (warning, warn) => warning.code !== "MODULE_LEVEL_DIRECTIVE" && warn(warning),
      },
    },
  });
}

/** Compresses a file, since the host does not, and says how it is served. */
function finished(file: string) {
  const type = TYPES[extname(file)];
  if (!type) throw new Error(`${file} has a file type that the console does not serve`);
  const content = readFileSync(file);
  writeFileSync(`${file}.br`, brotliCompressSync(content));
  writeFileSync(`${file}.gz`, gzipSync(content, { level: 9 }));
  const etag = `"${createHash("sha256").update(content).digest("hex").slice(0, 32)}"`;
  return { type, etag, encodings: ["br", "gzip"] };
}

/** Those of the last day stay: another process may be copying one. */
function removeOld(part: Part): void {
  for (const name of globSync(`${part.name}-*`, { cwd: cache })) {
    const built = join(cache, name);
    if (statSync(built).mtimeMs < Date.now() - DAY_MS) rmSync(built, { recursive: true, force: true });
  }
}

if (import.meta.main) {
  const part = partOf(process.argv[2]);
  const made = join(cache, `making-${part.name}-${process.pid}`);
  const built = placeOf(part);
  try {
    await buildInto(made, part);
    rmSync(built, { recursive: true, force: true });
    renameSync(made, built);
    removeOld(part);
  } finally {
    rmSync(made, { recursive: true, force: true });
  }
}
