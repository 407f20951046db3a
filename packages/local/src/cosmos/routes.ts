// Every request this server answers, by what it does and to which kind of resource.
import type { IncomingHttpHeaders } from "node:http";
import { batchDocuments, bulkDocuments } from "./items/batch.ts";
import {
  createDocument,
  deleteDocument,
  deleteKey,
  patchDocument,
  readDocument,
  replaceDocument,
  upsertDocument,
} from "./items/items.ts";
import { listDocuments, planQuery, queryDocuments } from "./queries/queries.ts";
import { type Call, type ItemCall, isTrue, type Reply } from "./request.ts";
import { readAccount } from "./resources/account.ts";
import {
  createContainer,
  deleteContainer,
  listConflicts,
  listContainers,
  listKeyRanges,
  queryContainers,
  readConflict,
  readContainer,
  replaceContainer,
} from "./resources/containers.ts";
import { createDatabase, deleteDatabase, listDatabases, queryDatabases, readDatabase } from "./resources/databases.ts";

type Route =
  | { readonly kind: string; readonly on: "account"; readonly run: (call: Call) => Reply | Promise<Reply> }
  | { readonly kind: string; readonly on: "database"; readonly run: (call: Call) => Reply | Promise<Reply> }
  | ContainerRoute;

export interface ContainerRoute {
  readonly kind: string;
  readonly on: "container" | "documents";
  /** Any replica answers it that has what the client has seen. */
  readonly reads?: true;
  readonly run: (call: ItemCall) => Reply | Promise<Reply>;
}

const ROUTES: Readonly<Record<string, Route>> = {
  "GET ": { kind: "account", on: "account", run: readAccount },
  "GET dbs": { kind: "databaseList", on: "account", run: listDatabases },
  "QUERY dbs": { kind: "databaseList", on: "account", run: queryDatabases },
  "POST dbs": { kind: "databaseCreate", on: "account", run: createDatabase },
  "GET dbs/*": { kind: "databaseRead", on: "database", run: readDatabase },
  "DELETE dbs/*": { kind: "databaseDelete", on: "database", run: deleteDatabase },

  "GET dbs/*/colls": { kind: "containerList", on: "database", run: listContainers },
  "QUERY dbs/*/colls": { kind: "containerList", on: "database", run: queryContainers },
  "POST dbs/*/colls": { kind: "containerCreate", on: "database", run: createContainer },
  "GET dbs/*/colls/*": { kind: "containerRead", on: "container", run: readContainer },
  "PUT dbs/*/colls/*": { kind: "containerReplace", on: "container", run: replaceContainer },
  "DELETE dbs/*/colls/*": { kind: "containerDelete", on: "container", run: deleteContainer },
  "GET dbs/*/colls/*/pkranges": { kind: "keyRanges", on: "container", run: listKeyRanges },
  "FEED dbs/*/colls/*/pkranges": { kind: "keyRanges", on: "container", run: listKeyRanges },

  "GET dbs/*/colls/*/conflicts": { kind: "conflicts", on: "container", run: listConflicts },
  "QUERY dbs/*/colls/*/conflicts": { kind: "conflicts", on: "container", run: listConflicts },
  "GET dbs/*/colls/*/conflicts/*": { kind: "conflicts", on: "container", run: readConflict },
  "DELETE dbs/*/colls/*/conflicts/*": { kind: "conflicts", on: "container", run: readConflict },
  "PLAN dbs/*/colls/*/conflicts": { kind: "queryPlan", on: "container", run: planQuery },
  "POST dbs/*/colls/*/operations/*": { kind: "keyDelete", on: "documents", run: deleteKey },

  "POST dbs/*/colls/*/docs": { kind: "create", on: "documents", run: createDocument },
  "UPSERT dbs/*/colls/*/docs": { kind: "upsert", on: "documents", run: upsertDocument },
  "BATCH dbs/*/colls/*/docs": { kind: "batch", on: "documents", run: batchDocuments },
  "BULK dbs/*/colls/*/docs": { kind: "bulk", on: "documents", run: bulkDocuments },
  "PLAN dbs/*/colls/*/docs": { kind: "queryPlan", on: "container", run: planQuery },
  "QUERY dbs/*/colls/*/docs": { kind: "query", on: "documents", reads: true, run: queryDocuments },
  "GET dbs/*/colls/*/docs": { kind: "list", on: "documents", reads: true, run: listDocuments },
  "GET dbs/*/colls/*/docs/*": { kind: "read", on: "documents", reads: true, run: readDocument },
  "PUT dbs/*/colls/*/docs/*": { kind: "replace", on: "documents", run: replaceDocument },
  "PATCH dbs/*/colls/*/docs/*": { kind: "patch", on: "documents", run: patchDocument },
  "DELETE dbs/*/colls/*/docs/*": { kind: "delete", on: "documents", run: deleteDocument },
};

/** The kinds of operation, each of which has a counter. */
export const KINDS: readonly string[] = [...new Set(Object.values(ROUTES).map(({ kind }) => kind))];

const WITH_NAME = /([^/]+)\/[^/]+/g;

export function routeOf(method: string, path: string, headers: IncomingHttpHeaders): Route | undefined {
  return ROUTES[`${verbOf(method, headers)} ${path.replace(WITH_NAME, "$1/*")}`];
}

const READING = new Set(["GET", "FEED", "QUERY", "PLAN"]);

export const readsOnly = (method: string, headers: IncomingHttpHeaders) => READING.has(verbOf(method, headers));

const REFUSED: Readonly<Record<string, string>> = {
  sprocs: "Stored procedures",
  triggers: "Triggers",
  udfs: "User defined functions",
  users: "Users and their permissions",
  offers: "Offers, by which throughput is read and changed,",
  conflicts: "Conflicts other than the empty list of them",
  clientencryptionkeys: "Client encryption keys",
  attachments: "Attachments",
  addresses: "The direct mode of clients (use the gateway mode)",
};

/** What this server does not do, by the name that its users know. */
export function refusalOf(method: string, path: string, headers: IncomingHttpHeaders): string {
  const isFeed = verbOf(method, headers) === "FEED";
  const what = isFeed ? "Change feeds" : Object.entries(REFUSED).find(([type]) => path.split("/").includes(type))?.[1];
  return what
    ? `${what} are not supported by this server: ${method} ${path}.`
    : `${method} ${path} is not supported by this server.`;
}

/** Headers say which of the things a POST can mean is meant; a plan request is marked as a query too. */
function verbOf(method: string, headers: IncomingHttpHeaders): string {
  if (method === "GET") return headers["a-im"] === undefined ? method : "FEED";
  if (method !== "POST") return method;
  if (isTrue(text(headers["x-ms-cosmos-is-query-plan-request"]))) return "PLAN";
  if (isTrue(text(headers["x-ms-documentdb-isquery"]))) return "QUERY";
  if (isTrue(text(headers["x-ms-cosmos-is-batch-request"]))) {
    return isTrue(text(headers["x-ms-cosmos-batch-atomic"])) ? "BATCH" : "BULK";
  }
  return isTrue(text(headers["x-ms-documentdb-is-upsert"])) ? "UPSERT" : "POST";
}

const text = (value: string | string[] | undefined) => (Array.isArray(value) ? value[0] : value);
