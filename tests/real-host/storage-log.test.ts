// Azurite's access log: which kind of request each line is about.
import { expect, test } from "vitest";
import { lessOf, operationOf, StorageLog, total } from "./storage-log.ts";

const line = (request: string, status = 200) =>
  `127.0.0.1 - - [01/Jan/2026:12:00:00 +0000] "${request} HTTP/1.1" ${status} -`;
const ACCOUNT = "/devstoreaccount1";

test.each([
  [`GET ${ACCOUNT}/hub-workitems/messages?numofmessages=1&visibilitytimeout=300`, "queue get"],
  [`POST ${ACCOUNT}/hub-control-00/messages?messagettl=-1&visibilitytimeout=9`, "queue put"],
  [`DELETE ${ACCOUNT}/hub-control-00/messages/5d0c?popreceipt=abc`, "queue delete"],
  [`GET ${ACCOUNT}/HubHistory?$filter=PartitionKey%20eq%20%27order-1%27`, "table read"],
  [`GET ${ACCOUNT}/HubInstances(PartitionKey='order-1',RowKey='')`, "table read"],
  [`POST ${ACCOUNT}/HubInstances(PartitionKey='order-1',RowKey='')`, "table write"],
  [`POST ${ACCOUNT}/$batch`, "table write"],
  [`PUT ${ACCOUNT}/hub-leases/ownership/hub-control-00?comp=lease`, "other"],
  [`PUT ${ACCOUNT}/hub-control-00`, "other"],
] as const)("%s is a %s", (request, operation) => {
  expect(operationOf(line(request))).toBe(operation);
});

test("lines about no request are not counted", () => {
  const log = new StorageLog();
  log.take("Azurite Queue service is successfully listening at http://127.0.0.1:10001");
  log.take(line(`POST ${ACCOUNT}/$batch`, 202));
  expect(total(log.counts)).toBe(1);
  const before = log.counts;
  log.take(line(`POST ${ACCOUNT}/$batch`, 202));
  expect(lessOf(log.counts, before)).toMatchObject({ "table write": 1, "queue get": 0 });
});
