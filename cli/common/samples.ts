// The sample orders: what each shows, how it has to end, and the faults that make it so.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { idNameOf } from "@scheduler-agent-supervisor/core/messaging";
import type { ServiceFault } from "@scheduler-agent-supervisor/testing";
import { business } from "../../shared/business.ts";
import { ROOT } from "../every-app/root.ts";

const ID = idNameOf(business.contracts);

export const ENDINGS = ["Processed", "Compensated", "Cancelled", "Error", "Quarantined"] as const;

export type Ending = (typeof ENDINGS)[number];

export interface Sample {
  readonly about: string;
  readonly ends: Ending;
  /** How many attempts it takes at least. */
  readonly attempts: number;
  readonly copies: number;
  readonly body: Record<string, unknown>;
  /** Its own id with the run's after it, so that each run sends new orders; what a malformed one has instead is no id. */
  readonly orderId: string;
  /** The job of another sample that its content names: that one has to have ended first. */
  readonly after?: string | undefined;
  readonly faults: readonly { readonly service: string; readonly fault: ServiceFault }[];
  /** It may also end with work that is left to a person. */
  readonly mayNeedPerson?: boolean;
}

interface SampleFile {
  readonly samples: readonly {
    readonly file: string;
    readonly about: string;
    readonly ends: Ending;
    readonly attempts?: number;
    readonly copies?: number;
    /** The member of the content that names another sample's job. */
    readonly refersBy?: string;
    readonly faults?: Sample["faults"];
  }[];
}

export function readSamples(run: string): Sample[] {
  return readList().map(({ file, about, ends, attempts = 1, copies = 1, refersBy, faults = [] }) => {
    const content = readContent(file);
    const orderId = `${content[ID] ?? file.replace(/\.json$/, "")}-${run}`;
    const after = refersBy && `${content[refersBy]}-${run}`;
    const body = { ...content, [ID]: orderId, ...(after && { [refersBy]: after }) };
    return { about, ends, attempts, copies, faults, orderId, after, body };
  });
}

/** What the first sample says: for jobs that are made. */
export function firstContent(): Readonly<Record<string, unknown>> {
  const [first] = readList();
  if (!first) throw new Error("samples/samples.json names no sample");
  return readContent(first.file);
}

function readList(): SampleFile["samples"] {
  return (readJson("samples.json") as SampleFile).samples;
}

function readContent(file: string): Readonly<Record<string, unknown>> {
  return readJson(file) as Readonly<Record<string, unknown>>;
}

function readJson(name: string): unknown {
  return JSON.parse(readFileSync(join(ROOT, "samples", name), "utf8"));
}
