// `npm run package`: compiles the app and puts it, with the libraries that it uses, into .package/app and .package/app.zip, as Azure takes it.
import { join } from "node:path";
import { build, ROOT } from "./build.ts";
import { packApp, writePackage } from "./every-app/app-package.ts";
import { readArguments, runCommand } from "./every-app/arguments.ts";
import { durableBackend } from "./every-app/durable-backend.ts";

const USAGE = `npm run package
  compiles the app and writes .package/app and .package/app.zip; the variable DURABLE_BACKEND names the durable engine`;

await runCommand(async () => {
  readArguments({}, USAGE);
  build();
  // azd hands its choices to hooks as their environment.
  const made = await packApp(ROOT, durableBackend(process.env["DURABLE_BACKEND"]));
  writePackage(made, join(ROOT, ".package"));
  console.log(`.package/app: ${made.files.size} files, ${made.libraries.length} libraries inside`);
  return 0;
});
