// The state store: the containers of infra/entities/cosmos.json, in one region or several.
param name string
param location string
param tags object
param workspaceId string
param zoneRedundant bool
param privateOnly bool

@allowed(['serverless', 'autoscale'])
param capacityMode string

@description('Request units a second up to which each container scales; autoscale only.')
param maxThroughput int

@description('Regions that hold a copy and take over in this order; autoscale only.')
param secondaryLocations string[]

@description('Whether the account cannot be deleted before its lock is.')
param locked bool

var entities = loadJsonContent('../entities/cosmos.json')
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
    // One region writes: a job's lock is a conditional write, which two writing regions would both grant.
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

// One after the other, and the roles of cosmos-access.bicep after them: changes to one account at once get 412, "exclusive lock".
@batchSize(1)
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

// Before anything of it is deleted, azd down included, the lock has to be: docs/how-to/deploy.md.
resource lock 'Microsoft.Authorization/locks@2020-05-01' = if (locked) {
  name: 'keep'
  scope: account
  properties: {
    level: 'CanNotDelete'
    notes: 'Holds the jobs.'
  }
}

// With the category DataPlaneRequests each request is logged, with who asked: it costs more than the requests.
#disable-next-line use-recent-api-versions
resource toWorkspace 'Microsoft.Insights/diagnosticSettings@2021-05-01-preview' = {
  name: 'to-workspace'
  scope: account
  properties: {
    workspaceId: workspaceId
    logs: [{ category: 'ControlPlaneRequests', enabled: true }]
    metrics: [{ category: 'Requests', enabled: true }]
  }
}
