// The sample's containers as somebody has made them by other means: without an index that a search of the app needs.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../../cli/settings.ts";

interface Resources {
  readonly containers: readonly { indexingPolicy: { includedPaths: readonly { readonly path: string }[] } }[];
}

/** @returns the file */
export function containersWithout(path: string, dir: string): string {
  const resources: Resources = JSON.parse(readFileSync(join(ROOT, "infra/entities/cosmos.json"), "utf8"));
  for (const { indexingPolicy } of resources.containers)
    indexingPolicy.includedPaths = indexingPolicy.includedPaths.filter((included) => included.path !== path);
  const file = join(dir, "cosmos.json");
  writeFileSync(file, JSON.stringify(resources));
  return file;
}
