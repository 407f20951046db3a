// The state store: the containers of infra/entities/cosmos.json, in one region or several.
param name string
param location string
param tags object
param appPrincipalId string
param workspaceId string
param zoneRedundant bool
param privateOnly bool

@allowed(['serverless', 'autoscale'])
param capacityMode string

@description('Request units a second up to which each container scales; autoscale only.')
param maxThroughput int

@description('Regions that hold a copy and take over in this order; autoscale only.')
param secondaryLocations string[]

@description('Object id of whoever may read the orders by hand; empty for nobody.')
param developerPrincipalId string

var entities = loadJsonContent('../entities/cosmos.json')
var roles = loadJsonContent('../roles.json')
var serverless = capacityMode == 'serverless'

resource account 'Microsoft.DocumentDB/databaseAccounts@2026-03-15' = {
  name: name
  location: location
  tags: tags
  kind: 'GlobalDocumentDB'
  properties: {
    databaseAccountOfferType: 'Standard'
    capabilities: serverless ? [{ name: 'EnableServerless' }] : []
    consistencyPolicy: { defaultConsistencyLevel: 'Session' }
    locations: concat(
      [{ locationName: location, failoverPriority: 0, isZoneRedundant: zoneRedundant }],
      map(secondaryLocations, (secondary, index) => {
        locationName: secondary
        failoverPriority: index + 1
        isZoneRedundant: zoneRedundant
      })
    )
    enableAutomaticFailover: !empty(secondaryLocations)
    // One region writes: an order's lock is a conditional write, which two writing regions would both grant.
    enableMultipleWriteLocations: false
    disableLocalAuth: true
    disableKeyBasedMetadataWriteAccess: true
    minimalTlsVersion: 'Tls12'
    publicNetworkAccess: privateOnly ? 'Disabled' : 'Enabled'
    backupPolicy: {
      type: 'Continuous'
      continuousModeProperties: { tier: 'Continuous7Days' }
    }
  }
}

resource database 'Microsoft.DocumentDB/databaseAccounts/sqlDatabases@2026-03-15' = {
  parent: account
  name: entities.database
  properties: {
    resource: { id: entities.database }
  }
}

resource containers 'Microsoft.DocumentDB/databaseAccounts/sqlDatabases/containers@2026-03-15' = [
  for container in entities.containers: {
    parent: database
    name: container.id
    properties: {
      resource: container
      options: serverless ? {} : { autoscaleSettings: { maxThroughput: maxThroughput } }
    }
  }
]

// The store's own roles, which are not Azure's: over this database, not the account.
resource appWrites 'Microsoft.DocumentDB/databaseAccounts/sqlRoleAssignments@2026-03-15' = {
  parent: account
  name: guid(account.id, appPrincipalId, roles.cosmosDataContributor)
  properties: {
    roleDefinitionId: '${account.id}/sqlRoleDefinitions/${roles.cosmosDataContributor}'
    principalId: appPrincipalId
    scope: '${account.id}/dbs/${database.name}'
  }
}

resource developerReads 'Microsoft.DocumentDB/databaseAccounts/sqlRoleAssignments@2026-03-15' = if (!empty(developerPrincipalId)) {
  parent: account
  name: guid(account.id, developerPrincipalId, roles.cosmosDataReader)
  properties: {
    roleDefinitionId: '${account.id}/sqlRoleDefinitions/${roles.cosmosDataReader}'
    principalId: developerPrincipalId
    scope: '${account.id}/dbs/${database.name}'
  }
}

// Not the log of every request: it would be longer than the requests.
resource toWorkspace 'Microsoft.Insights/diagnosticSettings@2021-05-01-preview' = {
  name: 'to-workspace'
  scope: account
  properties: {
    workspaceId: workspaceId
    logs: [{ category: 'ControlPlaneRequests', enabled: true }]
    metrics: [{ category: 'Requests', enabled: true }]
  }
}

output id string = account.id
output endpoint string = account.properties.documentEndpoint
