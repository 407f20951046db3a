// The package of the function app with the simulated services, which a demonstration in Azure deploys beside the app.

import { join } from "node:path";
import { strToU8 } from "fflate";
import { rolldown } from "rolldown";
import { type AppPackage, asJson, packageOf } from "../every-app/app-package.ts";
import { ROOT } from "../settings.ts";

const HOST = {
  version: "2.0",
  logging: { logLevel: { default: "Information" } },
  extensions: { http: { routePrefix: "" } },
};
const MANIFEST = { name: "simulated-services", private: true, type: "module", main: "services.js" };

/** Bundled from the sources: nothing has to be built. */
export async function packServices(): Promise<AppPackage> {
  const build = await rolldown({
    cwd: ROOT,
    input: join(ROOT, "cli/package/services-app/services.ts"),
    platform: "node",
    // The bus's SDK is for workers, and there is no bus of the local stack.
    external: ["@azure/functions-core", "@azure/service-bus"],
    resolve: { conditionNames: ["sources", "import", "node", "default"] },
  });
  const { output } = await build
    .generate({ format: "esm", entryFileNames: "services.js", codeSplitting: false })
    .finally(() => build.close());
  const [{ code }] = output;
  return packageOf([
    ["host.json", asJson(HOST)],
    ["package.json", asJson(MANIFEST)],
    ["services.js", strToU8(code)],
  ]);
}
