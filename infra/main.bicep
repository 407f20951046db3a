// Everything that the app needs, from an empty subscription. `azd up` deploys it.
targetScope = 'subscription'

@minLength(1)
@maxLength(64)
@description('Name of the environment; with the subscription and the region it makes the names of all resources.')
param environmentName string

@minLength(1)
@description('Region; one that has Flex Consumption.')
@metadata({ azd: { type: 'location' } })
param location string

@description('Object id of who deploys: may send orders, read their answers and read the orders. Empty: nobody may.')
param principalId string = deployer().objectId

@allowed(['User', 'Group', 'ServicePrincipal'])
param principalType string = 'User'

@description('Where the inventory service answers, as in https://one.example;capacity=64, https://other.example')
@minLength(8)
param inventoryEndpoints string

@description('Where the payment service answers.')
@minLength(8)
param paymentEndpoints string

@description('Where the fraud service answers.')
@minLength(8)
param fraudEndpoints string

@description('Where the shipping service answers.')
@minLength(8)
param shippingEndpoints string

@description('Who is told of alerts. Empty: they stand in the portal alone.')
param alertEmail string = ''

@description('Client id of the app registration by which operators sign in. Empty: built-in authentication is off.')
param authClientId string = ''

@description('Where Durable Functions keeps its orchestrations. There is no way to move them from one to the other.')
@allowed(['azureStorage', 'durableTaskScheduler'])
param durableBackend string = 'azureStorage'

@allowed(['Consumption', 'Dedicated'])
param durableTaskSku string = 'Consumption'

@minValue(1)
param durableTaskCapacity int = 1

@description('private: the app reaches storage, bus and store over private endpoints alone; needs Service Bus Premium.')
@allowed(['none', 'private'])
param network string = 'none'

@allowed(['Standard', 'Premium'])
param serviceBusSku string = 'Standard'

@description('Messaging units; Premium only.')
@allowed([1, 2, 4, 8, 16])
param serviceBusCapacity int = 1

@description('Regions to which the bus is replicated; Premium only.')
param serviceBusReplicaLocations string[] = []

@allowed(['serverless', 'autoscale'])
param cosmosCapacityMode string = 'serverless'

@description('Request units a second up to which each container scales; autoscale only.')
@minValue(1000)
param cosmosMaxThroughput int = 1000

@description('Regions that hold a copy of the store and take over in this order; autoscale only.')
param cosmosSecondaryLocations string[] = []

@description('Spreads app, store and storage over the region\'s zones. Service Bus is spread by itself; see operations.md for the scheduler.')
param zoneRedundant bool = false

@allowed([512, 2048, 4096])
param instanceMemoryMB int = 2048

@description('For each function, or group of functions, that scales by itself.')
@minValue(40)
@maxValue(1000)
param maximumInstanceCount int = 100

@minValue(0)
param alwaysReadyDurable int = 1

@minValue(0)
param alwaysReadyHttp int = 0

@description('When the supervisor looks, in NCRONTAB with seconds.')
param supervisorSchedule string = '*/10 * * * * *'

@description('App settings that go over those of infra/app/function-app.bicep, by name.')
param settingOverrides object = {}

@minValue(30)
@maxValue(730)
param logRetentionDays int = 30

@description('Gigabytes of logs a day after which no more are taken; -1: no limit. Alerts are blind past it.')
param logDailyQuotaGb int = -1

var abbreviations = loadJsonContent('abbreviations.json')
var token = toLower(uniqueString(subscription().id, environmentName, location))
var tags = { 'azd-env-name': environmentName }
var deploymentContainer = 'app-package'
var taskHubName = 'OrderScheduler'
var privateOnly = network == 'private'
var usesScheduler = durableBackend == 'durableTaskScheduler'
var busSku = serviceBusSku == 'Standard' && (privateOnly || !empty(serviceBusReplicaLocations))
  ? fail('Private endpoints and replicas of Service Bus need serviceBusSku Premium.')
  : serviceBusSku
var storeMode = cosmosCapacityMode == 'serverless' && !empty(cosmosSecondaryLocations)
  ? fail('A store in several regions needs cosmosCapacityMode autoscale.')
  : cosmosCapacityMode

resource group 'Microsoft.Resources/resourceGroups@2025-04-01' = {
  name: '${abbreviations.resourceGroup}${environmentName}'
  location: location
  tags: tags
}

module identity 'app/identity.bicep' = {
  scope: group
  params: {
    name: '${abbreviations.managedIdentity}${token}'
    location: location
    tags: tags
  }
}

module monitoring 'app/monitoring.bicep' = {
  scope: group
  params: {
    workspaceName: '${abbreviations.logAnalyticsWorkspace}${token}'
    applicationInsightsName: '${abbreviations.applicationInsights}${token}'
    actionGroupName: '${abbreviations.actionGroup}${token}'
    location: location
    tags: tags
    appPrincipalId: identity.outputs.principalId
    alertEmail: alertEmail
    retentionInDays: logRetentionDays
    dailyQuotaGb: logDailyQuotaGb
  }
}

module storage 'app/storage.bicep' = {
  scope: group
  params: {
    name: '${abbreviations.storageAccount}${token}'
    location: location
    tags: tags
    appPrincipalId: identity.outputs.principalId
    workspaceId: monitoring.outputs.workspaceId
    zoneRedundant: zoneRedundant
    privateOnly: privateOnly
    deploymentContainer: deploymentContainer
    holdsTaskHub: !usesScheduler
  }
}

module serviceBus 'app/service-bus.bicep' = {
  scope: group
  params: {
    name: '${abbreviations.serviceBusNamespace}${token}'
    location: location
    tags: tags
    appPrincipalId: identity.outputs.principalId
    developerPrincipalId: principalId
    developerPrincipalType: principalType
    workspaceId: monitoring.outputs.workspaceId
    privateOnly: privateOnly
    sku: busSku
    capacity: serviceBusCapacity
    replicaLocations: serviceBusReplicaLocations
  }
}

module cosmos 'app/cosmos.bicep' = {
  scope: group
  params: {
    name: '${abbreviations.cosmosAccount}${token}'
    location: location
    tags: tags
    appPrincipalId: identity.outputs.principalId
    developerPrincipalId: principalId
    workspaceId: monitoring.outputs.workspaceId
    zoneRedundant: zoneRedundant
    privateOnly: privateOnly
    capacityMode: storeMode
    maxThroughput: cosmosMaxThroughput
    secondaryLocations: cosmosSecondaryLocations
  }
}

module durableTask 'app/durable-task.bicep' = if (usesScheduler) {
  scope: group
  params: {
    name: '${abbreviations.durableTaskScheduler}${token}'
    taskHubName: taskHubName
    location: location
    tags: tags
    appPrincipalId: identity.outputs.principalId
    sku: durableTaskSku
    capacity: durableTaskCapacity
  }
}

module privateNetwork 'app/network.bicep' = if (privateOnly) {
  scope: group
  params: {
    name: '${abbreviations.virtualNetwork}${token}'
    securityGroupName: '${abbreviations.networkSecurityGroup}${token}'
    endpointPrefix: '${abbreviations.privateEndpoint}${token}-'
    location: location
    tags: tags
    links: [
      {
        name: 'blob'
        targetId: storage.outputs.id
        groupId: 'blob'
        zone: 'privatelink.blob.${environment().suffixes.storage}'
      }
      {
        name: 'queue'
        targetId: storage.outputs.id
        groupId: 'queue'
        zone: 'privatelink.queue.${environment().suffixes.storage}'
      }
      {
        name: 'table'
        targetId: storage.outputs.id
        groupId: 'table'
        zone: 'privatelink.table.${environment().suffixes.storage}'
      }
      {
        name: 'service-bus'
        targetId: serviceBus.outputs.id
        groupId: 'namespace'
        zone: 'privatelink.servicebus.windows.net'
      }
      {
        name: 'cosmos'
        targetId: cosmos.outputs.id
        groupId: 'Sql'
        zone: 'privatelink.documents.azure.com'
      }
    ]
  }
}

module app 'app/function-app.bicep' = {
  scope: group
  params: {
    name: '${abbreviations.functionApp}${token}'
    planName: '${abbreviations.plan}${token}'
    location: location
    tags: tags
    workspaceId: monitoring.outputs.workspaceId
    identity: {
      id: identity.outputs.id
      clientId: identity.outputs.clientId
    }
    uses: {
      storageName: storage.outputs.name
      storageEndpoints: storage.outputs.endpoints
      serviceBus: serviceBus.outputs.fullyQualifiedNamespace
      cosmos: cosmos.outputs.endpoint
      applicationInsights: monitoring.outputs.connectionString
      durableTaskScheduler: usesScheduler ? durableTask!.outputs.endpoint : ''
    }
    agentEndpoints: {
      inventory: inventoryEndpoints
      payment: paymentEndpoints
      fraud: fraudEndpoints
      shipping: shippingEndpoints
    }
    taskHubName: taskHubName
    supervisorSchedule: supervisorSchedule
    settingOverrides: settingOverrides
    deploymentContainer: deploymentContainer
    subnetId: privateOnly ? privateNetwork!.outputs.appSubnetId : ''
    zoneRedundant: zoneRedundant
    instanceMemoryMB: instanceMemoryMB
    maximumInstanceCount: maximumInstanceCount
    alwaysReady: {
      durable: alwaysReadyDurable
      http: alwaysReadyHttp
    }
    authClientId: authClientId
  }
}

module alerts 'app/alerts.bicep' = {
  scope: group
  params: {
    location: location
    tags: tags
    workspaceId: monitoring.outputs.workspaceId
    actionGroupId: monitoring.outputs.actionGroupId
    serviceBusId: serviceBus.outputs.id
    cosmosId: cosmos.outputs.id
  }
}

module workbook 'app/workbook.bicep' = {
  scope: group
  params: {
    location: location
    tags: tags
    workspaceId: monitoring.outputs.workspaceId
  }
}

output AZURE_LOCATION string = location
output AZURE_TENANT_ID string = tenant().tenantId
output AZURE_RESOURCE_GROUP string = group.name
output SERVICE_APP_NAME string = app.outputs.name
output SERVICE_APP_URI string = app.outputs.uri
output SERVICE_BUS_NAMESPACE string = serviceBus.outputs.fullyQualifiedNamespace
output COSMOS_ENDPOINT string = cosmos.outputs.endpoint
