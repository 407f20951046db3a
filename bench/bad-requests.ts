// What a request costs that nobody may send: the store is read once at most, and no queue is written to.
import { randomUUID } from "node:crypto";
import { REPORT_LIMIT } from "@scheduler-agent-supervisor/core/scheduling";
import type { Stack } from "@scheduler-agent-supervisor/local";
import { openRecords } from "../cli/common/records.ts";
import { settingsFor } from "../cli/settings.ts";
import { difference, measure } from "./measure.ts";

export interface BadRequest {
  readonly name: string;
  readonly status: number;
  /** Of each request: point reads. */
  readonly reads: number;
  /** Of each request: everything else that the store was asked, and messages that were sent. */
  readonly more: number;
}

/** What else of the store's requests reads or writes documents, as its counts name them. */
const MORE = ["create", "upsert", "batch", "bulk", "query", "list", "replace", "patch", "delete"];
const JSON_TYPE = { "content-type": "application/json" };
const DONE = JSON.stringify({ kind: "done", result: {} });

const addressOf = (jobId: string): string =>
  Buffer.from(JSON.stringify({ jobId, step: "takePayment", direction: "forward", nonce: randomUUID() })).toString(
    "base64url",
  );

/** @param known the id of an order that is stored */
const requests = (known: string): readonly (readonly [string, () => readonly [string, RequestInit]])[] => {
  const post = (ticket: string, body: string | ReadableStream, headers = {}) =>
    [
      `api/completions/${ticket}`,
      { method: "POST", headers: { ...JSON_TYPE, ...headers }, body, duplex: "half" } as RequestInit,
    ] as const;
  const large = "x".repeat(REPORT_LIMIT + 1);
  return [
    ["a made-up address", () => post(addressOf(randomUUID()), DONE)],
    ["an address of a known order, with another nonce", () => post(addressOf(known), DONE)],
    ["what is no address", () => post(randomUUID(), DONE)],
    ["a body that is no report", () => post(addressOf(known), "[]")],
    ["a body that is declared too large", () => post(addressOf(known), large)],
    ["a body of unknown length that is too large", () => post(addressOf(known), new Blob([large]).stream())],
  ];
};

/** Each is sent so many times, one after the other: what happens beside them is counted too, and is little in comparison. */
export async function measureBadRequests(stack: Stack, times = 100): Promise<readonly BadRequest[]> {
  const { host } = stack.addresses;
  const known = await newestOrder(stack);
  const measured: BadRequest[] = [];
  for (const [name, made] of requests(known)) {
    let status = 0;
    const before = await measure(stack);
    for (let time = 0; time < times; time += 1) {
      const [path, request] = made();
      const response = await fetch(`${host?.url}/${path}`, request);
      ({ status } = response);
      await response.arrayBuffer();
    }
    const after = await measure(stack);
    const cosmos = difference(before.cosmos, after.cosmos);
    const more = MORE.reduce((sum, kind) => sum + (cosmos[kind] ?? 0), difference(before.bus, after.bus)["sends"] ?? 0);
    measured.push({ name, status, reads: (cosmos["read"] ?? 0) / times, more: more / times });
  }
  return measured;
}

async function newestOrder({ addresses }: Stack): Promise<string> {
  const records = openRecords(settingsFor(addresses));
  try {
    const [newest] = await records.latest(1);
    if (!newest) throw new Error("no order is stored");
    return newest.jobId;
  } finally {
    await records.close();
  }
}

export function badRequestTable(measured: readonly BadRequest[]): string {
  const rows = measured.map(
    ({ name, status, reads, more }) =>
      `  ${name}: ${status}, ${reads.toFixed(2)} point reads, ${more.toFixed(2)} other requests`,
  );
  return ["what nobody may send costs one point read at most:", ...rows].join("\n");
}
