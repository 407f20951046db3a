// Throughput (an "offer"): kept and answered so that clients can set and read it; nothing here is slower or faster for it.

import { COSMOS_LIMITS as LIMITS } from "../limits.ts";
import { answer } from "../queries/queries.ts";
import { type Call, fault, header, type Reply } from "../request.ts";
import { isObject, type JsonObject, parseJson, type Value } from "../sql/values.ts";
import type { Catalog } from "./catalog.ts";
import { resources, select } from "./definitions.ts";

/** What a container gets that nobody said anything of. */
const DEFAULT_THROUGHPUT = 400;
const MOST_THROUGHPUT = LIMITS.throughput.value;
const LEAST_THROUGHPUT = LIMITS.leastThroughput.value;
const LEAST_AUTOSCALE = LIMITS.leastAutoscale.value;
const MANUAL_SHARE = LIMITS.highestThroughput.value;
const AUTOSCALE_SHARE = LIMITS.highestAutoscale.value;
const STEP = 100;

/** The throughput that the headers of a creation ask for, what is wrong with it, or nothing. */
export function askedThroughput(call: Call): JsonObject | string | undefined {
  const manual = header(call, "x-ms-offer-throughput");
  const automatic = header(call, "x-ms-cosmos-offer-autopilot-settings");
  if (manual !== undefined && automatic !== undefined) return "Throughput is either manual or autoscale, not both.";
  if (manual !== undefined) return content({ offerThroughput: Number(manual) });
  return automatic === undefined ? undefined : content({ offerAutopilotSettings: parseJson(automatic) ?? null });
}

/** The stored form of a throughput, or what is wrong with it. */
function content({ offerThroughput: manual, offerAutopilotSettings: automatic }: JsonObject): JsonObject | string {
  if (isObject(automatic)) {
    const most = automatic["maxThroughput"];
    if (typeof most !== "number" || !isBetween(most, LEAST_AUTOSCALE) || most % LEAST_AUTOSCALE !== 0) {
      return `The maximum of autoscale is a multiple of ${LEAST_AUTOSCALE}, and at most ${MOST_THROUGHPUT}.`;
    }
    return { offerThroughput: Math.max(most / 10, LEAST_THROUGHPUT), offerAutopilotSettings: { maxThroughput: most } };
  }
  if (typeof manual !== "number" || !isBetween(manual, LEAST_THROUGHPUT) || manual % STEP !== 0) {
    return `Throughput is a multiple of ${STEP}, at least ${LEAST_THROUGHPUT} and at most ${MOST_THROUGHPUT}.`;
  }
  return { offerThroughput: manual };
}

/** The most that a throughput, of autoscale its maximum, has ever been. */
function highestOf({ highest, offerThroughput, offerAutopilotSettings: automatic }: JsonObject): number {
  return Number(highest ?? (isObject(automatic) ? automatic["maxThroughput"] : offerThroughput) ?? 0);
}

/** What it can be set to after it was once so high, and with so much stored. */
function leastFor(highest: number, gigabytes: number, { offerAutopilotSettings: automatic }: JsonObject): number {
  const [share, perGigabyte, step] = automatic
    ? [AUTOSCALE_SHARE, LIMITS.leastAutoscalePerGigabyte.value, LEAST_AUTOSCALE]
    : [MANUAL_SHARE, LIMITS.leastPerGigabyte.value, STEP];
  return Math.ceil(Math.max(highest / share, gigabytes * perGigabyte) / step) * step;
}

const isBetween = (wanted: number, least: number) => wanted >= least && wanted <= MOST_THROUGHPUT;

export function listOffers(call: Call): Reply {
  return resources("Offers", "", offersOf(call.catalog));
}

export function queryOffers(call: Call): Promise<Reply> {
  return answer(() => resources("Offers", "", select(call.body, offersOf(call.catalog))));
}

export function readOffer(call: Call): Reply {
  const offer = offersOf(call.catalog).find(({ id }) => id === call.names[0]);
  return offer ? reply(offer) : fault(404, "The offer does not exist.");
}

export async function replaceOffer(call: Call): Promise<Reply> {
  const offer = offersOf(call.catalog).find(({ id }) => id === call.names[0]);
  if (!offer) return fault(404, "The offer does not exist.");
  const given = parseJson(call.body);
  if (!isObject(given) || given["_rid"] !== offer["_rid"]) return fault(400, "The offer is not that of the path.");
  const wanted = isObject(given["content"]) ? content(given["content"]) : "An offer has a content.";
  if (typeof wanted === "string") return fault(400, wanted);
  const target = String(offer["offerResourceId"]);
  const highest = Math.max(highestOf(call.catalog.throughputOf(target) ?? {}), highestOf(wanted));
  const gigabytes = call.catalog.gigabytesOf(target);
  const least = leastFor(highest, gigabytes, wanted);
  if (highestOf(wanted) < least)
    return fault(400, `The throughput is ${least} at least: it has been ${highest}, and ${gigabytes} GB are stored.`);
  await call.catalog.setThroughput(target, { ...wanted, highest }, () => {
    const container = call.catalog.containerOf(target);
    if (container) call.catalog.ranges.split(container, wanted);
  });
  return readOffer(call);
}

const reply = (offer: JsonObject): Reply => ({
  status: 200,
  charge: 1,
  body: JSON.stringify(offer),
  headers: ["etag", String(offer["_etag"])],
});

/** Of each database that has its own, and of each container that has its own or no share in its database's. */
function offersOf(catalog: Catalog): JsonObject[] {
  return [...catalog.databases.values()].flatMap((database) => {
    const shared = catalog.throughputOf(database.rid);
    const containers = [...database.containers.values()].flatMap(({ rid, definition }) => {
      const own = catalog.throughputOf(rid) ?? (shared ? undefined : { offerThroughput: DEFAULT_THROUGHPUT });
      return own ? [offer(rid, definition["_self"] ?? "", own)] : [];
    });
    return shared ? [offer(database.rid, database.definition["_self"] ?? "", shared), ...containers] : containers;
  });
}

function offer(target: string, self: Value, { highest, ...own }: JsonObject): JsonObject {
  const rid = offerRid(target);
  return {
    id: rid,
    _rid: rid,
    _self: `offers/${rid}/`,
    _etag: `"${Buffer.from(JSON.stringify(own)).toString("hex").slice(-16)}"`,
    _ts: Math.floor(Date.now() / 1000),
    resource: self ?? "",
    offerResourceId: target,
    offerType: "Invalid",
    offerVersion: "V2",
    content: {
      offerIsRUPerMinuteThroughputEnabled: false,
      offerMinimumThroughputParameters: {
        maxThroughputEverProvisioned: Number(highest ?? own["offerThroughput"]),
        maxConsumedStorageEverInKB: 0,
      },
      ...own,
    },
  };
}

/** Three bytes, of the number of what the offer is for. */
function offerRid(target: string): string {
  const bytes = Buffer.from(target.replaceAll("-", "/"), "base64");
  return bytes.subarray(-3).toString("base64").replaceAll("/", "-");
}
