// Where the app of this region may listen and send. Two regions share one bus.
param namespaceName string
param appPrincipalId string

@description('Of the identity, known before anything is deployed: role assignments are named by it, so that what-if can show them.')
param appIdentityName string

var entities = loadJsonContent('../entities/service-bus.json').queues
var roles = loadJsonContent('../roles.json')

resource namespace 'Microsoft.ServiceBus/namespaces@2026-01-01' existing = {
  name: namespaceName
}

resource queues 'Microsoft.ServiceBus/namespaces/queues@2026-01-01' existing = [
  for queue in entities: {
    parent: namespace
    name: queue.name
  }
]

// Owner of the queue and not Receiver: the scaler has to read its length, which takes the right to manage.
resource appListens 'Microsoft.Authorization/roleAssignments@2022-04-01' = [
  for (queue, index) in entities: if (contains(queue.listeners, 'app')) {
    name: guid(namespace.id, queue.name, appIdentityName, roles.serviceBusDataOwner)
    scope: queues[index]
    properties: {
      roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', roles.serviceBusDataOwner)
      principalId: appPrincipalId
      principalType: 'ServicePrincipal'
    }
  }
]

// To the whole namespace: clients name their reply queues in their jobs, and one that is missing has to be answered with
// "not found", which the app lives with. Without the right it would be "unauthorized", as while roles still spread.
resource appSends 'Microsoft.Authorization/roleAssignments@2022-04-01' = {
  name: guid(namespace.id, appIdentityName, roles.serviceBusDataSender)
  scope: namespace
  properties: {
    roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', roles.serviceBusDataSender)
    principalId: appPrincipalId
    principalType: 'ServicePrincipal'
  }
}

output id string = namespace.id
output fullyQualifiedNamespace string = split(split(namespace.properties.serviceBusEndpoint, '://')[1], ':')[0]
