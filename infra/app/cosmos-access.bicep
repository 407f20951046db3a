// Who may do what with the state store: the app of this region and, manually, a developer. Two regions share one store.
// main.bicep calls it after resources that take a while: the store rejects an identity that is seconds old, "principal ID was not found"
// (pulumi/pulumi-azure-native#2816).
param accountName string
param appPrincipalId string

@description('Of the identity, known before anything is deployed: role assignments are named by it, so that what-if can show them.')
param appIdentityName string

@description('Object id of whoever may read the jobs manually; empty for nobody.')
param developerPrincipalId string

var entities = loadJsonContent('../entities/cosmos.json')
var roles = loadJsonContent('../roles.json')
// What the app may change; to the others it may only add.
var changeable = filter(entities.containers, container => !contains(entities.appendOnly, container.id))

resource account 'Microsoft.DocumentDB/databaseAccounts@2026-03-15' existing = {
  name: accountName
}

// The SDK reads the account's regions before anything else: allowed over the account, and it shows no item.
resource metadataReader 'Microsoft.DocumentDB/databaseAccounts/sqlRoleDefinitions@2026-03-15' = {
  parent: account
  name: guid(account.id, 'metadata')
  properties: {
    roleName: 'Metadata reader'
    type: 'CustomRole'
    assignableScopes: [account.id]
    permissions: [{ dataActions: ['Microsoft.DocumentDB/databaseAccounts/readMetadata'] }]
  }
}

@batchSize(1)
resource readsMetadata 'Microsoft.DocumentDB/databaseAccounts/sqlRoleAssignments@2026-03-15' = [
  for reader in concat([appIdentityName], empty(developerPrincipalId) ? [] : [developerPrincipalId]): {
    parent: account
    name: guid(account.id, reader, 'metadata')
    properties: {
      roleDefinitionId: metadataReader.id
      principalId: reader == appIdentityName ? appPrincipalId : reader
      scope: account.id
    }
  }
]

// The store's own roles, which are not Azure's. To work on a container and to add to one are two of them.
@batchSize(1)
resource appWrites 'Microsoft.DocumentDB/databaseAccounts/sqlRoleAssignments@2026-03-15' = [
  for container in changeable: {
    parent: account
    name: guid(account.id, container.id, appIdentityName, roles.cosmosDataContributor)
    properties: {
      roleDefinitionId: '${account.id}/sqlRoleDefinitions/${roles.cosmosDataContributor}'
      principalId: appPrincipalId
      scope: '${account.id}/dbs/${entities.database}/colls/${container.id}'
    }
    dependsOn: [readsMetadata]
  }
]

// Neither delete nor replace nor upsert: what is in an audit log stays as it was written.
resource appender 'Microsoft.DocumentDB/databaseAccounts/sqlRoleDefinitions@2026-03-15' = {
  parent: account
  name: guid(account.id, 'append only')
  properties: {
    roleName: 'Append only'
    type: 'CustomRole'
    assignableScopes: [account.id]
    permissions: [
      {
        dataActions: [
          'Microsoft.DocumentDB/databaseAccounts/readMetadata'
          'Microsoft.DocumentDB/databaseAccounts/sqlDatabases/containers/executeQuery'
          'Microsoft.DocumentDB/databaseAccounts/sqlDatabases/containers/items/create'
          'Microsoft.DocumentDB/databaseAccounts/sqlDatabases/containers/items/read'
        ]
      }
    ]
  }
  dependsOn: [appWrites]
}

@batchSize(1)
resource appAppends 'Microsoft.DocumentDB/databaseAccounts/sqlRoleAssignments@2026-03-15' = [
  for container in entities.appendOnly: {
    parent: account
    name: guid(account.id, container, appIdentityName, 'append only')
    properties: {
      roleDefinitionId: appender.id
      principalId: appPrincipalId
      scope: '${account.id}/dbs/${entities.database}/colls/${container}'
    }
  }
]

resource developerReads 'Microsoft.DocumentDB/databaseAccounts/sqlRoleAssignments@2026-03-15' = if (!empty(developerPrincipalId)) {
  parent: account
  name: guid(account.id, developerPrincipalId, roles.cosmosDataReader)
  properties: {
    roleDefinitionId: '${account.id}/sqlRoleDefinitions/${roles.cosmosDataReader}'
    principalId: developerPrincipalId
    scope: '${account.id}/dbs/${entities.database}'
  }
  dependsOn: [appAppends]
}

output id string = account.id
output endpoint string = account.properties.documentEndpoint
