// `npm run package`: makes what is deployed to Azure, and says how big it is and how fast it starts.
import { createHash } from "node:crypto";
import { join, relative, resolve } from "node:path";
import { build } from "./build.ts";
import { type AppPackage, packApp, writePackage } from "./every-app/app-package.ts";
import { readArguments, runCommand } from "./every-app/arguments.ts";
import { durableBackend } from "./every-app/durable-backend.ts";
import { measureColdStarts } from "./package/cold-start.ts";
import { packServices } from "./package/services-package.ts";
import { ROOT } from "./settings.ts";

const USAGE = `npm run package [-- OPTIONS]
  --out DIR    the folder for app/, app.zip and app.sbom.json; existing ones are replaced (.package, with --services .package-services)
               DURABLE_BACKEND in the environment is the backend that its host.json names (azureStorage)
  --services   pack the simulated services instead, as a function app for a demonstration (SIMULATED_SERVICES)
  --measure    also measure the cold start on the local host, of the package and of the compiled app`;

await runCommand(async () => {
  const { values } = readArguments(
    { out: { type: "string" }, services: { type: "boolean" }, measure: { type: "boolean" } },
    USAGE,
  );
  if (values["services"]) {
    const out = resolve(String(values["out"] ?? join(ROOT, ".package-services")));
    const made = await packServices();
    writePackage(made, out);
    report(made, out, "simulated services");
    return 0;
  }
  const out = resolve(String(values["out"] ?? join(ROOT, ".package")));
  console.log("Compiling");
  build();
  console.log("Bundling");
  const backend = durableBackend(process.env["DURABLE_BACKEND"]);
  const made = await packApp(ROOT, backend);
  writePackage(made, out);
  report(made, out, `${made.libraries.length} libraries inside; for ${backend}`);
  if (values["measure"]) {
    console.log("Measuring");
    const [packed = 0, compiled = 0] = await measureColdStarts([join(out, "app"), ROOT]);
    console.log(`cold start         ${seconds(packed)} packed, ${seconds(compiled)} as compiled (local host, median)`);
  }
  return 0;
});

function report({ files, zip }: AppPackage, out: string, about: string): void {
  const bytes = [...files.values()].reduce((sum, { length }) => sum + length, 0);
  const place = (name: string) => relative(process.cwd(), join(out, name)).padEnd(18);
  console.log(`${place("app")} ${files.size} files, ${megabytes(bytes)}; ${about}`);
  console.log(`${place("app.zip")} ${megabytes(zip.length)}, SHA-256 ${sha256(zip)}`);
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(2)} MB`;
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(2)} s`;
}

function sha256(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}
