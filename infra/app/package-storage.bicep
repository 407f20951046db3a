// Storage of the app's package, apart from the app's own: what the app runs can't be changed or deleted by its identity.
param name string
param location string
param tags object
param packagePrincipalId string
param packageIdentityName string
param workspaceId string
param zoneRedundant bool
param privateOnly bool
param containerName string

var roles = loadJsonContent('../roles.json')

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
    properties: {
      deleteRetentionPolicy: { enabled: true, days: 7 }
      containerDeleteRetentionPolicy: { enabled: true, days: 7 }
    }

    resource packages 'containers' = {
      name: containerName
    }
  }
}

resource packageWritten 'Microsoft.Authorization/roleAssignments@2022-04-01' = {
  name: guid(account.id, packageIdentityName, roles.storageBlobDataContributor)
  scope: account
  properties: {
    roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', roles.storageBlobDataContributor)
    principalId: packagePrincipalId
    principalType: 'ServicePrincipal'
  }
}

#disable-next-line use-recent-api-versions
resource toWorkspace 'Microsoft.Insights/diagnosticSettings@2021-05-01-preview' = {
  name: 'to-workspace'
  scope: account::blobs
  properties: {
    workspaceId: workspaceId
    logs: [
      { category: 'StorageWrite', enabled: true }
      { category: 'StorageDelete', enabled: true }
    ]
  }
}

output id string = account.id
output containerUri string = '${account.properties.primaryEndpoints.blob}${containerName}'
output roleAssignmentId string = packageWritten.id
