// In a copy of the Bicep, in the place of what Azure answers when it deploys, something like it: so the compiler evaluates all.
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Files } from "./compiler.ts";

export const DEPLOYER = "00000000-0000-0000-0000-0000000000dd";
/** Whom the rights of an identity are given to. */
export const principalOf = (identity: string) => `principal-of-${identity}`;

/** Of Azure itself. */
const OF_AZURE = {
  "deployer().objectId": `'${DEPLOYER}'`,
  "environment().suffixes.storage": "'core.windows.net'",
  "environment().authentication.loginEndpoint": "'https://login.microsoftonline.com/'",
};

const PARTS = ["blob", "queue", "table"];
const partOf = (name: string, part: string) => `'https://${name}.${part}.core.windows.net/'`;

/** What it adds to the properties of a resource that stands, by the resource's name there. */
const ADDED: { readonly [property: string]: (name: string) => string } = {
  principalId: (name) => `'${principalOf(name)}'`,
  clientId: (name) => `guid('${name}')`,
  customerId: (name) => `guid('${name}')`,
  ConnectionString: (name) => `'InstrumentationKey=${name}'`,
  primaryEndpoints: (name) => `{ ${PARTS.map((part) => `${part}: ${partOf(name, part)}`).join(", ")} }`,
  "primaryEndpoints.blob": (name) => partOf(name, "blob"),
  serviceBusEndpoint: (name) => `'https://${name}.servicebus.windows.net:443/'`,
  documentEndpoint: (name) => `'https://${name}.documents.azure.com:443/'`,
  endpoint: (name) => `'https://${name}.westus3.durabletask.io'`,
  defaultHostName: (name) => `'${name}.azurewebsites.net'`,
};

/** @returns the folder, in which nothing is left to ask. */
export function answered(folder: string, files: Files): string {
  // The linter would object, and there is no extension for Graph.
  writeFileSync(join(folder, "bicepconfig.json"), "{}");
  for (const [pathEnd, text] of Object.entries(files))
    for (const file of globSync(`**/${pathEnd}`, { cwd: folder })) writeFileSync(join(folder, file), text);
  for (const file of globSync("infra/**/*.bicep", { cwd: folder }))
    writeFileSync(join(folder, file), withoutGraph(withAnswers(readFileSync(join(folder, file), "utf8"))));
  return folder;
}

function withAnswers(text: string): string {
  const said = Object.entries(OF_AZURE).reduce((sofar, [asked, answer]) => sofar.replaceAll(asked, answer), text);
  return said.replaceAll(/\b(\w+)\.properties\.([\w.]+)/g, (_, resource: string, property: string) => {
    const answer = ADDED[property];
    if (!answer) throw new Error(`nothing is known here of what Azure answers for ${property}`);
    return answer(`\${${resource}.name}`);
  });
}

/** Its resources as others are, by name and with properties: to the compiler their types are strange, and that is all. */
function withoutGraph(text: string): string {
  if (!text.includes("extension microsoftGraphV1")) return text;
  return text
    .replace("extension microsoftGraphV1\n", "")
    .replaceAll("@v1.0'", "@2025-01-01'")
    .replaceAll("app.appId", "guid(app.id)")
    .replaceAll(/\n\n +resource /g, "\n  }\nresource ")
    .replaceAll(/^resource .*\{$/gm, "$&\nname: uniqueName\nproperties: {")
    .replaceAll(/^\}$/gm, "}\n}");
}
