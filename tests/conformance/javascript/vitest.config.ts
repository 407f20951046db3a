// Runs the suite of a JavaScript SDK, whose copy stands in a folder of its own, on the published SDK in the place of its sources.
import { existsSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { defineConfig, type Plugin } from "vitest/config";

const suite = environment("SUITE");
const entry = process.env["ENTRY"];
const sdk = environment("SDK");
const tools = join(import.meta.dirname, "azure-tools.ts");

/** A suite imports its SDK as `../../src/index.js`, and what is inside of it too. */
const publishedSdk: Plugin = {
  name: "published-sdk",
  enforce: "pre",
  resolveId(source, importer) {
    if (!source.startsWith(".") || !importer?.startsWith(`${suite}/test`)) return undefined;
    const inside = relative(join(suite, "src"), resolve(dirname(importer), source));
    if (inside.startsWith("..")) return undefined;
    if (entry && /^(index(\.js)?)?$/.test(inside)) return join(import.meta.dirname, entry);
    const path = join(sdk, inside.replace(/\.js$/, ""));
    return [`${path}.js`, join(path, "index.js")].find(existsSync);
  },
};

function environment(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set`);
  return value;
}

// biome-ignore lint/style/noDefaultExport: vitest reads the default export.
export default defineConfig({
  root: suite,
  plugins: [publishedSdk],
  resolve: {
    alias: {
      "@azure-tools/test-credential": tools,
      "@azure-tools/test-utils-vitest": tools,
      ...(process.env["SDK_PACKAGE"] && { [process.env["SDK_PACKAGE"]]: join(sdk, "index.js") }),
    },
  },
  test: {
    provide: JSON.parse(process.env["PROVIDE"] ?? "{}") as never,
    fakeTimers: {
      toFake: ["setTimeout", "clearTimeout", "setImmediate", "clearImmediate", "setInterval", "clearInterval", "Date"],
    },
    include: [environment("FILES")],
    setupFiles: (process.env["SETUP"] ?? "")
      .split(",")
      .filter(Boolean)
      .map((file) => join(import.meta.dirname, file)),
    // It would keep which SDK a module found, also when the next run has another one.
    fsModuleCache: false,
    // Tests of one file count requests of their own client; several files would only be slower on one server.
    fileParallelism: false,
    testTimeout: 120_000,
    hookTimeout: 60_000,
    teardownTimeout: 10_000,
  },
});
