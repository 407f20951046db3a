// Storage of the app: the host's own blobs, the supervisor's lease and, where they are kept here, the orchestrations.
param name string
param location string
param tags object
param appPrincipalId string

@description('Of the identity, known before anything is deployed: role assignments are named by it, so that what-if can show them.')
param appIdentityName string
param workspaceId string
param zoneRedundant bool
param privateOnly bool

@description('Whether Durable Functions keeps its task hub here.')
param holdsTaskHub bool

var roles = loadJsonContent('../roles.json')
// Blobs for the host and the lease, tables for the host's diagnostic events in any case; queues are the task hub's.
var appRoles = concat(
  [roles.storageBlobDataOwner, roles.storageTableDataContributor],
  holdsTaskHub ? [roles.storageQueueDataContributor] : []
)

resource account 'Microsoft.Storage/storageAccounts@2026-04-01' = {
  name: name
  location: location
  tags: tags
  kind: 'StorageV2'
  sku: { name: zoneRedundant ? 'Standard_ZRS' : 'Standard_LRS' }
  properties: {
    accessTier: 'Hot'
    allowBlobPublicAccess: false
    allowCrossTenantReplication: false
    allowSharedKeyAccess: false
    defaultToOAuthAuthentication: true
    isLocalUserEnabled: false
    minimumTlsVersion: 'TLS1_2'
    supportsHttpsTrafficOnly: true
    publicNetworkAccess: privateOnly ? 'Disabled' : 'Enabled'
    networkAcls: {
      bypass: 'None'
      defaultAction: privateOnly ? 'Deny' : 'Allow'
    }
  }

  resource blobs 'blobServices' = {
    name: 'default'
  }
}

resource appUses 'Microsoft.Authorization/roleAssignments@2022-04-01' = [
  for role in appRoles: {
    name: guid(account.id, appIdentityName, role)
    scope: account
    properties: {
      roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', role)
      principalId: appPrincipalId
      principalType: 'ServicePrincipal'
    }
  }
]

#disable-next-line use-recent-api-versions
resource toWorkspace 'Microsoft.Insights/diagnosticSettings@2021-05-01-preview' = {
  name: 'to-workspace'
  scope: account::blobs
  properties: {
    workspaceId: workspaceId
    logs: [{ category: 'StorageDelete', enabled: true }]
    metrics: [{ category: 'Transaction', enabled: true }]
  }
}

output id string = account.id
output name string = account.name
output endpoints object = account.properties.primaryEndpoints
