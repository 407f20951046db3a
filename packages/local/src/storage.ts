// Public entry `local/storage`: the files of bus, Cosmos DB and engine, for whoever fills them while their servers are stopped.
export { KEY, KEY_NAME } from "./bus/links/claims.ts";
export { documentKey } from "./cosmos/partitions/key-scope.ts";
export { Catalog } from "./cosmos/resources/catalog.ts";
export { Database, type Durability } from "./database/database.ts";
export { executionStarted, taskCompleted, taskScheduled } from "./host/durable/history.ts";
export { InstanceStore } from "./host/durable/instance-store.ts";
export type { JsonObject } from "./json.ts";
