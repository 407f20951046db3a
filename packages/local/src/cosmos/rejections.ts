// What Azure Cosmos DB refuses whatever its size, and what this server answers.
import { type Rejection, rejection } from "../limit.ts";

const IDS =
  "https://github.com/Azure/azure-sdk-for-js/blob/main/sdk/cosmosdb/cosmos/test/public/functional/item/itemIdEncoding.spec.ts";
const TILDE = "https://github.com/Azure/azure-cosmos-dotnet-v3/issues/2921";
const NOSQL = "https://learn.microsoft.com/azure/cosmos-db";
const ORDER = `${NOSQL}/nosql/query/order-by`;
const OFFSET = `${NOSQL}/nosql/query/offset-limit`;
const INDEXING = `${NOSQL}/index-policy`;
const GEO = `${NOSQL}/nosql/query/geospatial-index`;
const KEYS = `${NOSQL}/partitioning-overview`;
const TTL = `${NOSQL}/nosql/time-to-live`;
const HEADERS = "https://learn.microsoft.com/rest/api/cosmos-db/common-cosmosdb-rest-request-headers";
const UNIQUE = `${NOSQL}/unique-keys`;
const CONFLICTS = `${NOSQL}/conflict-resolution-policies`;
const THROUGHPUT = `${NOSQL}/set-throughput`;
const NAMES = "https://github.com/Azure/azure-sdk-for-js/blob/main/sdk/cosmosdb/cosmos/src/common/helper.ts";
const UNKNOWN = "https://learn.microsoft.com/azure/azure-resource-manager/bicep/diagnostics/bcp037";
const DIGITS = "https://github.com/Azure/azure-cosmos-dotnet-v3/issues/5154";

export const COSMOS_REJECTIONS = {
  idEnd: rejection(
    "An id of a document that ends with a space or has an escape such as %20, in the path of a request",
    "401: the document was created, and only queries and batches find it",
    IDS,
  ),
  idControl: rejection(
    "An id of a document with a tab or a line break, in the path of a request",
    "400: the document was created, and only queries and batches find it",
    IDS,
  ),
  patchTilde: rejection("A path of a patch with a ~ that is not part of ~0 or ~1", "400", TILDE),
  patchDigits: rejection("A part of 20 digits or more in the path of a patch", "400", DIGITS),
  patchIdentity: rejection(
    "A patch of the id, the partition key or a system property, also as what is moved",
    "400",
    `${NOSQL}/partial-document-update-faq`,
  ),
  ttl: rejection("A time to live of a document that is 0 or null, or of a container that is 0", "400", TTL),
  ttlIndex: rejection(
    "A time to live of a container whose indexing mode is none",
    "400",
    `${INDEXING}#indexing-policy-and-ttl`,
  ),
  consistency: rejection("A stronger consistency of a request than the account's, which is Session", "400", HEADERS),
  missingComposite: rejection("An ORDER BY over several properties without a composite index", "400", ORDER),
  orderPath: rejection("An ORDER BY on a path that is not indexed", "400", ORDER),
  topOffset: rejection("TOP with OFFSET LIMIT", "400", OFFSET),
  indexingPath: rejection("A path of an indexing policy that does not end in ?, * or []", "400", INDEXING),
  samePath: rejection("A path that stands twice in an indexing policy", "400", INDEXING),
  spatialIndex: rejection("A spatial index without an end, or of an unknown type", "400", GEO),
  geospatial: rejection("An unknown kind of geospatial data", "400", GEO),
  systemKey: rejection("A partition key that is a system property", "400", KEYS),
  fixedKey: rejection("Another partition key than at the creation of the container", "400", KEYS),
  uniquePath: rejection("A unique key with a trailing slash or a wildcard", "400", UNIQUE),
  conflicts: rejection(
    "A policy for conflicts of an unknown mode, or with a path or a procedure that its mode does not have",
    "400",
    CONFLICTS,
  ),
  nameEnd: rejection("An id of a container that ends with a space", "400", NAMES),
  throughputStep: rejection("A throughput that is no multiple of 100 RU/s", "400", THROUGHPUT),
  unknownMember: rejection("An unknown member of a declared container", "an error at the start", UNKNOWN),
} as const satisfies Readonly<Record<string, Rejection>>;
