// The bus: the queues of infra/entities/service-bus.json, and where a developer may listen and send.
param name string
param location string
param tags object
param workspaceId string
param privateOnly bool

@allowed(['Standard', 'Premium'])
param sku string

@description('Messaging units; Premium only.')
param capacity int

@description('Regions to which the namespace is replicated; Premium only.')
param replicaLocations string[]

@description('Seconds by which a replica may be behind.')
param replicationLag int

@description('Object id of whoever sends jobs and reads the answers manually; empty for nobody.')
param developerPrincipalId string

@allowed(['User', 'Group', 'ServicePrincipal'])
param developerPrincipalType string

@description('Object ids of the managed identities of clients, and of teams that run agents, by the names that they have in the list of queues.')
param partyPrincipals object

@description('Whether the namespace cannot be deleted before its lock is.')
param locked bool

var entities = loadJsonContent('../entities/service-bus.json').queues
var roles = loadJsonContent('../roles.json')
var premium = sku == 'Premium'
var replicated = premium && !empty(replicaLocations)
// What a developer stands in for.
var words = loadJsonContent('../words.json')
var developerIs = empty(developerPrincipalId) ? [] : [words.client, 'operator']
// Each party sends to the queues that name it as a sender, listens on those that name it as a listener, and may do nothing else.
var parties = map(items(partyPrincipals), party => party.key)
var sends = flatten(map(
  entities,
  queue => map(intersection(queue.senders, parties), party => { queue: queue.name, principalId: partyPrincipals[party] })
))
var listens = flatten(map(
  entities,
  queue => map(intersection(queue.listeners, parties), party => { queue: queue.name, principalId: partyPrincipals[party] })
))

resource namespace 'Microsoft.ServiceBus/namespaces@2026-01-01' = {
  name: name
  location: location
  tags: tags
  sku: premium ? { name: 'Premium', tier: 'Premium', capacity: capacity } : { name: 'Standard', tier: 'Standard' }
  properties: {
    disableLocalAuth: true
    minimumTlsVersion: '1.2'
    publicNetworkAccess: privateOnly ? 'Disabled' : 'Enabled'
    geoDataReplication: replicated
      ? {
          // "Azure Service Bus Geo-Replication", Replication modes: with 0 no acknowledged message is lost, and the loss of either region
          // stops the bus.
          maxReplicationLagDurationInSeconds: replicationLag
          locations: concat(
            [{ locationName: location, roleType: 'Primary' }],
            map(replicaLocations, replica => { locationName: replica, roleType: 'Secondary' })
          )
        }
      : null
  }
}

resource queues 'Microsoft.ServiceBus/namespaces/queues@2026-01-01' = [
  for queue in entities: {
    parent: namespace
    name: queue.name
    properties: queue.properties
  }
]

resource developerSends 'Microsoft.Authorization/roleAssignments@2022-04-01' = [
  for (queue, index) in entities: if (!empty(intersection(queue.senders, developerIs))) {
    name: guid(namespace.id, queue.name, developerPrincipalId, roles.serviceBusDataSender)
    scope: queues[index]
    properties: {
      roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', roles.serviceBusDataSender)
      principalId: developerPrincipalId
      principalType: developerPrincipalType
    }
  }
]

resource developerListens 'Microsoft.Authorization/roleAssignments@2022-04-01' = [
  for (queue, index) in entities: if (!empty(intersection(queue.listeners, developerIs))) {
    name: guid(namespace.id, queue.name, developerPrincipalId, roles.serviceBusDataReceiver)
    scope: queues[index]
    properties: {
      roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', roles.serviceBusDataReceiver)
      principalId: developerPrincipalId
      principalType: developerPrincipalType
    }
  }
]

resource sentTo 'Microsoft.ServiceBus/namespaces/queues@2026-01-01' existing = [
  for right in sends: {
    parent: namespace
    name: right.queue
  }
]

resource partySends 'Microsoft.Authorization/roleAssignments@2022-04-01' = [
  for (right, index) in sends: {
    name: guid(namespace.id, right.queue, right.principalId, roles.serviceBusDataSender)
    scope: sentTo[index]
    properties: {
      roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', roles.serviceBusDataSender)
      principalId: right.principalId
      principalType: 'ServicePrincipal'
    }
    dependsOn: [queues]
  }
]

resource listenedOn 'Microsoft.ServiceBus/namespaces/queues@2026-01-01' existing = [
  for right in listens: {
    parent: namespace
    name: right.queue
  }
]

resource partyListens 'Microsoft.Authorization/roleAssignments@2022-04-01' = [
  for (right, index) in listens: {
    name: guid(namespace.id, right.queue, right.principalId, roles.serviceBusDataReceiver)
    scope: listenedOn[index]
    properties: {
      roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', roles.serviceBusDataReceiver)
      principalId: right.principalId
      principalType: 'ServicePrincipal'
    }
    dependsOn: [queues]
  }
]

// Before anything of it is deleted, azd down included, the lock has to be: docs/how-to/deploy.md.
resource lock 'Microsoft.Authorization/locks@2020-05-01' = if (locked) {
  name: 'keep'
  scope: namespace
  properties: {
    level: 'CanNotDelete'
    notes: 'Holds jobs that are not recorded yet.'
  }
}

#disable-next-line use-recent-api-versions
resource toWorkspace 'Microsoft.Insights/diagnosticSettings@2021-05-01-preview' = {
  name: 'to-workspace'
  scope: namespace
  properties: {
    workspaceId: workspaceId
    logs: [{ categoryGroup: 'allLogs', enabled: true }]
    metrics: [{ category: 'AllMetrics', enabled: true }]
  }
}
