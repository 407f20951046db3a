// State records as the versions of the app before wrote them: made by those versions, and never made anew.
import version0 from "./version-0.json" with { type: "json" };
import version1 from "./version-1.json" with { type: "json" };
import version2 from "./version-2.json" with { type: "json" };

export type StoredRecord = { readonly [name: string]: unknown; readonly jobId: string };

/** Of a record, of a step and of its compensation. */
export const UNKNOWN = { ofLater: { answer: 42 } };

const STORED = { 0: version0, 1: version1, 2: version2 } as const;

/** Every sample, under an order id of its own, each with members that this app does not know. */
export const storedRecords = Object.entries(STORED).flatMap(([version, samples]) =>
  Object.entries(samples).map(([name, sample]) => {
    const record = withUnknown(sample as unknown as StoredRecord);
    const jobId = `v${version}-${name.replaceAll(" ", "-")}`;
    return { version: Number(version), name, record: { ...record, jobId } as StoredRecord };
  }),
);

/** @throws where there is no such sample */
export function storedRecord(version: number, name: string): StoredRecord {
  const found = storedRecords.find((stored) => stored.version === version && stored.name === name);
  if (!found) throw new Error(`no sample ${name} of version ${version}`);
  return found.record;
}

function withUnknown(record: StoredRecord): StoredRecord {
  const steps = Object.entries(record["steps"] as { [name: string]: { undo: object | null } }).map(([name, step]) => [
    name,
    { ...step, ...UNKNOWN, undo: step.undo && { ...step.undo, ...UNKNOWN } },
  ]);
  return { ...record, ...UNKNOWN, steps: Object.fromEntries(steps) };
}
