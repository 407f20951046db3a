// Durable Task Scheduler: keeps the orchestrations where Azure Storage does not.
param name string
param taskHubName string
param location string
param tags object
param appPrincipalId string

@description('Of the identity, known before anything is deployed: role assignments are named by it, so that what-if can show them.')
param appIdentityName string
param privateOnly bool

@description('Instances of the SKU Dedicated, of which three are spread over zones. 0: the SKU Consumption.')
param capacity int

var roles = loadJsonContent('../roles.json')

resource scheduler 'Microsoft.DurableTask/schedulers@2026-02-01' = {
  name: name
  location: location
  tags: tags
  properties: {
    // Whoever calls needs a token of Entra ID: addresses are no wall here.
    ipAllowlist: ['0.0.0.0/0']
    publicNetworkAccess: privateOnly ? 'Disabled' : 'Enabled'
    sku: capacity > 0 ? { name: 'Dedicated', capacity: capacity } : { name: 'Consumption' }
  }

  resource taskHub 'taskHubs' = {
    name: taskHubName
  }

  resource retention 'retentionPolicies' = {
    name: 'default'
    properties: {
      retentionPolicies: [{ retentionPeriodInDays: 30 }]
    }
  }
}

resource appSchedules 'Microsoft.Authorization/roleAssignments@2022-04-01' = {
  name: guid(scheduler::taskHub.id, appIdentityName, roles.durableTaskDataContributor)
  scope: scheduler::taskHub
  properties: {
    roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', roles.durableTaskDataContributor)
    principalId: appPrincipalId
    principalType: 'ServicePrincipal'
  }
}

output id string = scheduler.id
output endpoint string = scheduler.properties.endpoint
