// Builds the simulator's page: a folder of static files, which fetch nothing from elsewhere.
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { build, defaultClientConditions, type Plugin } from "vite";

const { resolve } = createRequire(import.meta.url);
/** The builder is not beside the page: there it would be the site's own. */
const HERE = join(import.meta.dirname, "../../docs/.vitepress/simulator");
const shim = (name: string) => join(HERE, "shims", `${name}.ts`);

/** What the test kit and the core take from Node, from undici and from Azure's packages. */
const INSTEAD: { readonly [name: string]: string } = {
  "node:async_hooks": shim("async-hooks"),
  "node:crypto": shim("crypto"),
  crypto: shim("crypto"),
  "node:module": shim("module"),
  "node:timers/promises": shim("timers-promises"),
  util: shim("absent"),
  undici: shim("undici"),
  "durable-functions": shim("durable-functions"),
  // durable-functions requires it: it can't take its form for bundlers.
  moment: resolve("moment/moment.js"),
  "@azure/functions": shim("absent"),
  "@azure/identity": shim("absent"),
};

const shims: Plugin = {
  name: "shims",
  enforce: "pre",
  resolveId: (name) => INSTEAD[name],
};

/**
 * @param base where it will be served; by default in any folder
 * @throws if it does not build
 */
export async function buildSimulator(folder: string, base = "./"): Promise<void> {
  await build({
    configFile: false,
    root: HERE,
    base,
    logLevel: "error",
    resolve: { conditions: ["sources", ...defaultClientConditions] },
    plugins: [shims],
    worker: { format: "es", plugins: () => [shims] },
    build: {
      outDir: folder,
      emptyOutDir: true,
      target: "es2023",
      // The console's policy lets in nothing inline.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      chunkSizeWarningLimit: 1500,
    },
  });
  if (!existsSync(join(folder, "index.html"))) throw new Error("the simulator's page was not built");
}
