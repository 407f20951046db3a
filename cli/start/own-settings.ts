// What `npm start` takes from local.settings.json and from the environment, as Functions Core Tools does: the environment stands above the file.
import { isMisspelt } from "@scheduler-agent-supervisor/local";
import type { Settings } from "../every-app/stack-file.ts";
import { localSettings, sampleSettings } from "../settings.ts";

const FILE = "local.settings.json";

export interface OwnSettings {
  /** What differs from the sample. */
  readonly values: Settings;
  /** The name of each with its source, without its value: that may be a secret. */
  readonly sources: readonly (readonly [name: string, source: string])[];
  /** Names that the sample does not have, each with the one of the sample that may be meant. */
  readonly notInSample: readonly (readonly [name: string, meant: string | undefined])[];
}

/** Of the environment only names that the sample or the file has: everything else there belongs to other programs. */
export function ownSettings(
  environment: Readonly<Record<string, string | undefined>>,
  { sample, file }: { readonly sample: Settings; readonly file: Settings } = {
    sample: sampleSettings(),
    file: localSettings(),
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
    notInSample: found.flatMap(([name]) => (name in sample ? [] : [[name, meantBy(name, sample)] as const])),
  };
}

/** With other marks between its words, or misspelt. */
function meantBy(name: string, sample: Settings): string | undefined {
  const bare = (text: string) => text.replaceAll(/[^a-z0-9]/gi, "");
  return Object.keys(sample).find((known) => isMisspelt(bare(name), bare(known)));
}

/** One line for those that the app gets, one for those in whose place the stack has its own, and one for those that may be misspelt. */
export function describeOwnSettings({ values, sources, notInSample }: OwnSettings, used: Settings): string[] {
  const named = (isUsed: boolean) =>
    sources
      .filter(([name]) => (used[name] === values[name]) === isUsed)
      .map(([name, source]) => `${name} (${source})`)
      .join(", ");
  const [taken, left] = [named(true), named(false)];
  const unknown = notInSample.map(([name, meant]) => (meant ? `${name} (do you mean ${meant}?)` : name)).join(", ");
  return [
    ...(taken ? [`Settings that differ from local.settings.sample.json: ${taken}`] : []),
    ...(left ? [`Not used, because the local stack has its own: ${left}`] : []),
    ...(unknown ? [`Not in local.settings.sample.json, which has every setting of the app: ${unknown}`] : []),
  ];
}
