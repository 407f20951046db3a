// Builds the operators' console: hashed, compressed files and a list of them. Run by build.ts; what has not changed is not built again.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, existsSync, globSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { extname, join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";

const root = join(import.meta.dirname, "..");
const sources = join(root, "console");
const cache = join(root, "node_modules/.cache/console");

/** What the console imports of the packages, and what that imports. */
const FROM_PACKAGES = [
  "packages/{core,operator}/package.json",
  "packages/core/src/*.ts",
  "instead/react-icons/*",
  "packages/{core,operator}/src/{domain,messaging}/**/*.ts",
];

const TYPES: { readonly [extension: string]: string } = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};

/**
 * Puts the built console into `out`.
 * @throws if it does not build; the builder has then said why
 */
export function placeConsole(out: string): void {
  const key = fingerprint();
  const built = join(cache, key);
  if (!existsSync(built)) {
    // A test runner says otherwise, and the build would then be React's for development.
    const env = { ...process.env, NODE_ENV: "production" };
    const { status } = spawnSync(process.execPath, [import.meta.filename, key], { stdio: "inherit", cwd: root, env });
    if (status !== 0) throw new Error("the console does not build");
  }
  cpSync(built, out, { recursive: true });
}

/** Of all that decides what is built. */
function fingerprint(): string {
  const files = globSync("**/*.{ts,tsx,css,html,svg,json}", { cwd: sources }).sort();
  const hash = createHash("sha256").update(readFileSync(join(root, "package-lock.json")));
  hash.update(readFileSync(import.meta.filename));
  for (const file of files) hash.update(file).update(readFileSync(join(sources, file)));
  for (const file of globSync(FROM_PACKAGES, { cwd: root }).sort())
    hash.update(file).update(readFileSync(join(root, file)));
  return hash.digest("hex").slice(0, 16);
}

async function buildInto(folder: string, key: string): Promise<void> {
  // Loaded here: whoever finds the console built does without it.
  const { build, defaultClientConditions } = await import("vite");
  await build({
    configFile: false,
    root: sources,
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
  const files = globSync("**/*.*", { cwd: folder }).sort();
  const listed = files.map((file) => [file.replaceAll("\\", "/"), finished(join(folder, file))] as const);
  writeFileSync(join(folder, "manifest.json"), JSON.stringify({ build: key, files: Object.fromEntries(listed) }));
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

if (import.meta.main) {
  const key = process.argv[2] ?? fingerprint();
  const made = join(cache, `making-${process.pid}`);
  try {
    await buildInto(made, key);
    rmSync(join(cache, key), { recursive: true, force: true });
    renameSync(made, join(cache, key));
  } finally {
    rmSync(made, { recursive: true, force: true });
  }
}
