// What Azure Cosmos DB allows at most, and what this server answers beyond it.
import { type Limit, limit, type OtherLimit, otherLimit } from "../limit.ts";

const QUOTAS = "https://learn.microsoft.com/azure/cosmos-db/concepts-limits";
const ITEMS = `${QUOTAS}#per-item-limits`;
const QUERIES = `${QUOTAS}#sql-query-limits`;
const BATCH = "https://learn.microsoft.com/azure/cosmos-db/nosql/transactional-batch#limitations";
const PATCH = "https://learn.microsoft.com/azure/cosmos-db/partial-document-update-faq";
const REQUEST = `${QUOTAS}#per-request-limits`;
const ACCOUNT = `${QUOTAS}#per-account-limits`;
const CONTAINER = `${QUOTAS}#per-container-limits`;
const THROUGHPUT = `${QUOTAS}#provisioned-throughput`;
const HIERARCHY = "https://learn.microsoft.com/azure/cosmos-db/hierarchical-partition-keys";
const COMPOSITES = "https://learn.microsoft.com/azure/cosmos-db/index-policy#composite-indexes";
const GROUPS = "https://learn.microsoft.com/azure/cosmos-db/nosql/query/group-by";
const UNIQUE = "https://learn.microsoft.com/azure/cosmos-db/unique-keys";
const METADATA = `${QUOTAS}#request-limits`;
const TOO_OFTEN = "429, with `--like-azure`";

export const COSMOS_LIMITS = {
  documentBytes: limit("A document in UTF-8, also after a patch", 2 * 1024 * 1024, "bytes", "413", ITEMS),
  requestBytes: limit("The body of a write", 2 * 1024 * 1024, "bytes", "413", REQUEST),
  idBytes: limit("The id of a document", 1023, "bytes", "400", ITEMS),
  keyBytes: limit("The values of a partition key", 2048, "bytes", "400", ITEMS),
  keyGigabytes: limit("The documents of one partition key, in GB", 20, "", "403", THROUGHPUT),
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
  leastCompositePaths: { ...limit("The fewest paths of a composite index", 2, "", "400", COMPOSITES), isLeast: true },
  groupedAggregates: limit("The aggregates of a query with GROUP BY over all partition keys", 21, "", "400", GROUPS),
  keyPaths: limit("The paths of a partition key", 3, "", "400", HIERARCHY),
  name: limit("The id of a database or a container", 255, "characters", "400", CONTAINER),
  resources: limit("The databases and the containers of an account together", 500, "", "403", ACCOUNT),
  throughput: limit("The throughput of a container, in RU/s", 1_000_000, "", "400", THROUGHPUT),
  leastThroughput: {
    ...limit("The least throughput of a container, in RU/s", 400, "", "400", THROUGHPUT),
    isLeast: true,
  },
  creations: limit("The creations of databases and containers in 5 minutes", 500, "", TOO_OFTEN, METADATA),
  metadataReads: limit("The reads and lists of databases and containers in 5 minutes", 500, "", TOO_OFTEN, METADATA),
  metadata: limit(
    "The requests for metadata in a second, each taken as 1 RU",
    240,
    "",
    TOO_OFTEN,
    `${QUOTAS}#resource-limits`,
  ),
  executionMs: limit(
    "The execution of a query whose results come in the order in which they are read",
    5000,
    "ms",
    "the page ends",
    REQUEST,
  ),
  clockMs: limit("The difference between the clocks of a client and the server", 15 * 60_000, "ms", "403", REQUEST),
  uniqueKeys: limit("The unique keys of a container", 10, "", "400", UNIQUE),
  uniquePaths: limit("The paths of a unique key", 16, "", "400", UNIQUE),
} as const satisfies Readonly<Record<string, Limit>>;

const LARGE_KEYS = "https://learn.microsoft.com/azure/cosmos-db/large-partition-keys";
const SERVERLESS = `${QUOTAS}#serverless`;

/** What passes here and not in Azure. */
export const COSMOS_NOT_KEPT = {
  largeKeys: otherLimit(
    "The values of a partition key of version 1",
    "101 bytes, beyond which keys share a logical partition",
    "2 KB, and each key is a partition",
    LARGE_KEYS,
  ),
  physicalPartition: otherLimit(
    "The throughput of a physical partition",
    "10,000 RU/s",
    "with `--throughput` a container has that, as a whole",
    THROUGHPUT,
  ),
  wholeExecution: otherLimit(
    "The execution of a query that sorts, groups or counts what it has read",
    "5 s, then the page ends",
    "as long as it takes, in slices",
    REQUEST,
  ),
  serverless: otherLimit(
    "The documents of a serverless container",
    "1 TB",
    "as much as the disk has room for",
    SERVERLESS,
  ),
} as const satisfies Readonly<Record<string, OtherLimit>>;

/** What passes in Azure up to a limit, and here not at all. */
export const COSMOS_STRICTER = {
  scripts: otherLimit(
    "Stored procedures, triggers and user defined functions",
    "100, 25 and 50 of a container",
    "400 to all of them",
    CONTAINER,
  ),
  functions: otherLimit("User defined functions of a query", "10", "400 to all of them", QUERIES),
  polygon: otherLimit("The points of a polygon", "4,096", "400 to all spatial functions", QUERIES),
} as const satisfies Readonly<Record<string, OtherLimit>>;
