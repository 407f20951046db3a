// Puts the compiled app and the libraries that it uses into a few files, of which Azure then loads those in dist/functions.
import { existsSync, globSync, readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { basename, join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { type OutputChunk, type Plugin, type RolldownOutput, rolldown } from "rolldown";
import { type Lock, productionPlaces } from "./production.ts";

export interface Bundle {
  /** By their paths in the package. */
  readonly files: ReadonlyMap<string, string>;
  /** What of node_modules is inside, as `name@version`. */
  readonly libraries: readonly string[];
}

/** The worker in Azure answers for this name itself, whoever requires it. */
const SUPPLIED = "@azure/functions-core";
const MODULES = "node_modules/";
const LIBRARIES = "libraries/libraries";
const SHARED = "shared/shared";
/** The chunks with names of their own; what is loaded when it is wanted stands in others. */
const GROUPS: readonly string[] = [LIBRARIES, SHARED, "rolldown-runtime"];
/** The app's own modules, but for those that Azure loads by their names. */
const OWN = /[\\/](packages[\\/](?:core|operator)[\\/]dist|dist[\\/](shared|functions[\\/][^\\/]+))[\\/]/;

/**
 * Bundles `root`/dist, which has to be built. The same sources and libraries give the same bytes.
 * @throws with every fault: an import that leads nowhere, or a library that isn't the lock file's.
 */
export async function bundleApp(root: string): Promise<Bundle> {
  const sources = globSync("dist/functions/*.js", { cwd: root }).sort();
  if (sources.length === 0) throw new Error(`${join(root, "dist/functions")} is empty: npm run build`);
  const faults: string[] = [];
  const atStart = new Set<string>();
  const lock = readJson<Lock>(join(root, "package-lock.json"));
  const build = await rolldown({
    cwd: root,
    input: Object.fromEntries(sources.map((file) => [`functions/${basename(file, ".js")}`, join(root, file)])),
    platform: "node",
    external: [SUPPLIED],
    plugins: [productionAlone(lock), loadedAtStart(atStart)],
    onLog: (level, { code, message }) => {
      if (code === "UNRESOLVED_IMPORT") faults.push(stripVTControlCharacters(message));
      else if (level === "warn") console.warn(message);
    },
  });
  const { output } = await build
    .generate({
      format: "esm",
      entryFileNames: "dist/[name].js",
      chunkFileNames: ({ name }) => (GROUPS.includes(name) ? "dist/[name].js" : "dist/later/[name].js"),
      // Names and lines are kept, since operators read stack traces; licences too.
      minify: false,
      comments: { legal: true, annotation: false, jsdoc: false },
      codeSplitting: {
        groups: [
          { name: LIBRARIES, test: (id) => atStart.has(id) && /[\\/]node_modules[\\/]/.test(id), priority: 1 },
          { name: SHARED, test: (id) => atStart.has(id) && OWN.test(id) },
        ],
      },
    })
    .finally(() => build.close());
  const chunks = chunksOf(output);
  faults.push(...missing(chunks));
  const libraries = librariesIn(root, lock, chunks, faults);
  if (faults.length > 0) throw new Error(faults.join("\n"));
  return { files: new Map(chunks.map(({ fileName, code }) => [fileName, code])), libraries };
}

/** Notes what the entries import, and what that imports; what is behind an `import()` is left for when it is wanted. */
function loadedAtStart(found: Set<string>): Plugin {
  return {
    name: "loaded-at-start",
    buildEnd() {
      const open = [...this.getModuleIds()].filter((id) => this.getModuleInfo(id)?.isEntry);
      for (const id of open) {
        if (found.has(id)) continue;
        found.add(id);
        open.push(...(this.getModuleInfo(id)?.importedIds ?? []));
      }
    },
  };
}

function chunksOf(output: RolldownOutput["output"]): OutputChunk[] {
  return output.filter((file) => file.type === "chunk").sort((one, other) => (one.fileName < other.fileName ? -1 : 1));
}

/**
 * Imports that nothing in the package answers. One by `import()` of a library that is not installed is left: it fails where it is wanted, as a library
 * expects that tries for another.
 */
function missing(chunks: readonly OutputChunk[]): string[] {
  const own = new Set(chunks.map(({ fileName }) => fileName));
  return chunks.flatMap(({ fileName, imports, dynamicImports }) =>
    [...imports, ...dynamicImports.filter((name) => name.startsWith("."))]
      .filter((name) => !own.has(name) && !isBuiltin(name) && name !== SUPPLIED)
      .map((name) => `${fileName} imports ${name}, which is not in the package`),
  );
}

/**
 * Lets nobody find what is installed for development alone: a library that tries whether a package is there goes without it, as
 * it would where only production's are installed, and an import of the app's own is missing.
 */
function productionAlone(lock: Lock): Plugin {
  const production = productionPlaces(lock);
  return {
    name: "production-alone",
    async resolveId(source, importer, { kind }) {
      if (/^[./]|^node:/.test(source)) return null;
      const found = await this.resolve(source, importer, { kind, skipSelf: true });
      const place = found && (placeOf(found.id) ?? workspaceOf(found.id));
      return place && !production.has(place) ? { id: source, external: true } : found;
    },
  };
}

function librariesIn(root: string, { packages }: Lock, chunks: readonly OutputChunk[], faults: string[]): string[] {
  const places = new Set(chunks.flatMap(({ moduleIds }) => moduleIds.flatMap((id) => placeOf(id) ?? [])));
  const found = [...places].map((place) => {
    const { name, version } = readJson<{ name: string; version: string }>(join(root, place, "package.json"));
    const locked = packages[place];
    if (!locked) faults.push(`${place} is in use, and package-lock.json lacks it`);
    else if (locked.version !== version)
      faults.push(`${place} is ${version}, and ${locked.version} in package-lock.json: npm ci`);
    return `${name}@${version}`;
  });
  return [...new Set(found)].sort();
}

/** Where a module's package is installed, as the lock file names it; undefined for the app's own. */
function placeOf(id: string): string | undefined {
  const path = id.replaceAll("\\", "/").replace(/\?.*$/, "");
  const begin = path.indexOf(MODULES);
  const last = path.lastIndexOf(MODULES);
  if (begin < 0) return undefined;
  const [first = "", second = ""] = path.slice(last + MODULES.length).split("/");
  return path.slice(begin, last + MODULES.length) + (first.startsWith("@") ? `${first}/${second}` : first);
}

/** The package of this repository that a module belongs to; undefined for the app's own. */
function workspaceOf(id: string): string | undefined {
  return /\/(packages\/[^/]+)\/dist\//.exec(id.replaceAll("\\", "/"))?.[1];
}

function readJson<T>(file: string): T {
  if (!existsSync(file)) throw new Error(`there is no ${file}`);
  return JSON.parse(readFileSync(file, "utf8")) as T;
}
