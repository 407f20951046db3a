// `npm run package`: compiles the app and puts it, with the libraries that it uses, into .package/app and .package/app.zip, as Azure takes it.
import { join } from "node:path";
import { packApp, writePackage } from "./app-package.ts";
import { build, ROOT } from "./build.ts";
import { durableBackend } from "./durable-backend.ts";

build();
// azd hands its choices to hooks as their environment.
const made = await packApp(ROOT, durableBackend(process.env["DURABLE_BACKEND"]));
writePackage(made, join(ROOT, ".package"));
console.log(`.package/app: ${made.files.size} files, ${made.libraries.length} libraries inside`);
