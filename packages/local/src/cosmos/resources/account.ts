// The account document, from which the SDK learns where to send everything else.
import type { Call, Reply } from "../request.ts";

/** What clients may ask of the query engine; the .NET client refuses to query without it. */
const QUERY_ENGINE = JSON.stringify({
  maxSqlQueryInputLength: 524288,
  maxJoinsPerSqlQuery: 10,
  maxLogicalAndPerSqlQuery: 2000,
  maxLogicalOrPerSqlQuery: 2000,
  maxUdfRefPerSqlQuery: 10,
  maxInExpressionItemsCount: 16000,
  queryMaxGroupByTableCellCount: 500000,
  queryMaxInMemorySortDocumentCount: 500,
  maxQueryRequestTimeoutFraction: 0.9,
  sqlAllowNonFiniteNumbers: false,
  sqlAllowAggregateFunctions: true,
  sqlAllowSubQuery: true,
  sqlAllowScalarSubQuery: false,
  allowNewKeywords: true,
  sqlAllowLike: false,
  sqlAllowGroupByClause: true,
  maxSpatialQueryCells: 12,
  spatialMaxGeometryPointCount: 256,
  sqlDisableQueryILOptimization: false,
  sqlDisableFilterPlanOptimization: false,
});

export function readAccount(call: Call): Reply {
  // The SDK takes these addresses for all further requests: they must be the ones it came by.
  const location = { name: "local", databaseAccountEndpoint: `${call.origin}/` };
  const body = JSON.stringify({
    id: "local",
    _self: "",
    _rid: "local",
    _dbs: "//dbs/",
    media: "//media/",
    addresses: "//addresses/",
    writableLocations: [location],
    readableLocations: [location],
    enableMultipleWriteLocations: false,
    userConsistencyPolicy: { defaultConsistencyLevel: "Session" },
    userReplicationPolicy: { asyncReplication: false, minReplicaSetSize: 1, maxReplicasetSize: 1 },
    systemReplicationPolicy: { minReplicaSetSize: 1, maxReplicasetSize: 1 },
    readPolicy: { primaryReadCoefficient: 1, secondaryReadCoefficient: 1 },
    queryEngineConfiguration: QUERY_ENGINE,
  });
  return { status: 200, charge: 0, body };
}
