// Why tests of a suite do not pass that the stack does not refuse either, as far as it is known.
import type { SuiteName } from "./page.ts";

interface Known {
  readonly suite: SuiteName;
  /** Of the file and the full name. */
  readonly tests: RegExp;
  readonly reason: string;
}

const INSIDE = "the test looks inside of the client of its own version (4.3), which is another in the published one";
const SIGN_IN = "it wants a sign-in with Entra; the server has one key";
const ONE_PARTITION = "it wants several physical partitions; the server has one";

/** The first that fits. */
export const KNOWN: readonly Known[] = [
  { suite: "cosmos-js", tests: /EndpointComponent\.spec/, reason: INSIDE },
  {
    suite: "cosmos-js",
    tests: /test diagnostics for bulk|database CRUD operations successfully name based/,
    reason: "it counts the requests that version 4.3 of the client made; not looked into further",
  },
  { suite: "cosmos-js", tests: /AAD|aadCredentials/, reason: SIGN_IN },
  {
    suite: "cosmos-js",
    tests: /itemIdEncoding.*RGW_/,
    reason: "it wants ids refused that Azure's routing gateway cannot pass on; they work here",
  },
  {
    suite: "cosmos-js",
    tests:
      /breadth first|Hierarchical partitions asyncIterator|changefeed for feed range|check multiple partition splits|Change Feed Iterator/,
    reason: ONE_PARTITION,
  },
  {
    suite: "cosmos-js",
    tests: /startFromBeginning is not supported/,
    reason: "the change feed of all versions and deletes is refused, with another text than the suite looks for",
  },
  {
    suite: "cosmos-js",
    tests: /composite Index defined/,
    reason: "the test does not wait for its own writes",
  },
  {
    suite: "cosmos-js",
    tests: /GROUP BY/,
    reason: "it compares properties whose value is undefined, which only the client's own merging of partitions makes",
  },
  {
    suite: "cosmos-js",
    tests: /VectorEmbeddingPolicy should fail/,
    reason: "vector search is refused, with another text than the suite looks for",
  },
  {
    suite: "cosmos-dotnet",
    tests: /feed range of one partition key/,
    reason: "the client fails before it sends a request",
  },
  {
    suite: "service-bus-js",
    tests: /session id of empty string/,
    reason: "the published client takes an empty id for none; the suite is of a later one",
  },
  {
    suite: "service-bus-js",
    tests: /Abort (?:cancel|schedule)/,
    reason: "the suite gives up after 1 ms; the answer was there before",
  },
  {
    suite: "service-bus-js",
    tests: /Authentication|DefaultAzureCredential/,
    reason: "it compares the namespace's name in Azure",
  },
];
