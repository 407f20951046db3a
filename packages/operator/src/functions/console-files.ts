// The files of the built console: only files from the build's list are returned, each in an encoding that the browser accepts.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

export interface ConsoleFile {
  readonly type: string;
  readonly etag: string;
  /** The encodings that the build has made, besides the plain file. */
  readonly encodings: readonly string[];
}

interface Manifest {
  readonly build: string;
  readonly files: { readonly [path: string]: ConsoleFile };
}

/** The preferred one first. */
const ENCODINGS = [
  ["br", ".br"],
  ["gzip", ".gz"],
] as const;

let loaded: { readonly folder: string; readonly manifest: Manifest } | undefined;
const contents = new Map<string, Buffer>();

/** Next to this folder: in the compiled package, and in the files of a bundled app. */
function load() {
  const folder = join(import.meta.dirname, "../console");
  if (!existsSync(join(folder, "manifest.json"))) throw new Error("The console is not built: npm run build");
  loaded ??= { folder, manifest: JSON.parse(readFileSync(join(folder, "manifest.json"), "utf8")) as Manifest };
  return loaded;
}

export function consoleBuild(): string {
  return load().manifest.build;
}

/** @param path below /console/; the result is undefined for a file that is not in the build's list */
export function consoleFile(path: string): ConsoleFile | undefined {
  const { files } = load().manifest;
  return Object.hasOwn(files, path) ? files[path] : undefined;
}

/** @param accepted the request's `Accept-Encoding` */
export function encodedContent(path: string, { encodings }: ConsoleFile, accepted: string) {
  const takes = (name: string) => new RegExp(`\\b${name}\\b(?!\\s*;\\s*q=0(?:\\.0*)?(?:,|$))`).test(accepted);
  const [encoding, suffix = ""] = ENCODINGS.find(([name]) => encodings.includes(name) && takes(name)) ?? [];
  return { encoding, body: contentOf(path + suffix) };
}

function contentOf(path: string): Buffer {
  const known = contents.get(path);
  if (known) return known;
  const content = readFileSync(join(load().folder, path));
  contents.set(path, content);
  return content;
}
