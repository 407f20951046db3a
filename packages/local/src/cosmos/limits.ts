// What Azure Cosmos DB allows at most, and what this server answers beyond it.
import type { Limit } from "../limit.ts";

const QUOTAS = "https://learn.microsoft.com/azure/cosmos-db/concepts-limits";
const ITEMS = `${QUOTAS}#per-item-limits`;
const QUERIES = `${QUOTAS}#sql-query-limits`;
const BATCH = "https://learn.microsoft.com/azure/cosmos-db/nosql/transactional-batch#limitations";
const PATCH = "https://learn.microsoft.com/azure/cosmos-db/partial-document-update-faq";
const REQUEST = `${QUOTAS}#per-request-limits`;
const UNIQUE = "https://learn.microsoft.com/azure/cosmos-db/unique-keys";

const limit = (what: string, value: number, unit: Limit["unit"], answer: string, source: string): Limit => ({
  what,
  value,
  unit,
  answer,
  source,
});

export const COSMOS_LIMITS = {
  documentBytes: limit("A document in UTF-8, also after a patch", 2 * 1024 * 1024, "bytes", "413", ITEMS),
  requestBytes: limit("The body of a write", 2 * 1024 * 1024, "bytes", "413", REQUEST),
  idBytes: limit("The id of a document", 1023, "bytes", "400", ITEMS),
  keyBytes: limit("The values of a partition key", 2048, "bytes", "400", ITEMS),
  firstKeyBytes: limit("The values of a partition key of version 1", 101, "bytes", "400", ITEMS),
  nesting: limit("Levels of objects and arrays in a document", 128, "", "400", ITEMS),
  ttl: limit("The time to live of a document or a container", 2_147_483_647, "s", "400", ITEMS),
  batchOperations: limit("The operations of a batch", 100, "", "400", BATCH),
  patchOperations: limit("The operations of a patch", 10, "", "400", PATCH),
  pageBytes: limit("The results of a page", 4 * 1024 * 1024, "bytes", "the page ends", REQUEST),
  queryCharacters: limit("The text of a query", 512 * 1024, "characters", "400", QUERIES),
  joins: limit("The joins of a query", 10, "", "400", QUERIES),
  includedPaths: limit("The included paths of an indexing policy", 1500, "", "400", QUERIES),
  excludedPaths: limit("The excluded paths of an indexing policy", 1500, "", "400", QUERIES),
  compositePaths: limit("The paths of a composite index", 8, "", "400", QUERIES),
  composites: limit("The composite indexes of a container", 100, "", "400", QUERIES),
  uniqueKeys: limit("The unique keys of a container", 10, "", "400", UNIQUE),
  uniquePaths: limit("The paths of a unique key", 16, "", "400", UNIQUE),
} as const satisfies Readonly<Record<string, Limit>>;
