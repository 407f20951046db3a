// What `npm start` takes from local.settings.json and from the environment, as Functions Core Tools does: the environment stands above the file.
import { join } from "node:path";
import { ROOT, sampleSettings, valuesOf } from "./settings.ts";
import type { Settings } from "./stack-file.ts";

const FILE = "local.settings.json";

export interface OwnSettings {
  /** What differs from the sample. */
  readonly values: Settings;
  /** The name of each with its source, without its value: that may be a secret. */
  readonly sources: readonly (readonly [name: string, source: string])[];
}

/** Of the environment only names that the sample or the file has: everything else there belongs to other programs. */
export function ownSettings(
  environment: Readonly<Record<string, string | undefined>>,
  { sample, file }: { readonly sample: Settings; readonly file: Settings } = {
    sample: sampleSettings(),
    file: valuesOf(join(ROOT, FILE)),
  },
): OwnSettings {
  const found = Object.keys({ ...sample, ...file }).flatMap((name) => {
    const given = environment[name];
    const [value, source] = given === undefined ? [file[name], FILE] : [given, "environment"];
    return value === undefined || value === sample[name] ? [] : [[name, value, source] as const];
  });
  return {
    values: Object.fromEntries(found.map(([name, value]) => [name, value])),
    sources: found.map(([name, , source]) => [name, source] as const),
  };
}

/** One line for those that the app gets, and one for those in whose place the stack has its own. */
export function describeOwnSettings({ values, sources }: OwnSettings, used: Settings): string[] {
  const named = (isUsed: boolean) =>
    sources
      .filter(([name]) => (used[name] === values[name]) === isUsed)
      .map(([name, source]) => `${name} (${source})`)
      .join(", ");
  const [taken, left] = [named(true), named(false)];
  return [
    ...(taken ? [`Settings that differ from local.settings.sample.json: ${taken}`] : []),
    ...(left ? [`Not used, because the local stack has its own: ${left}`] : []),
  ];
}
