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

@description('Object id of who deploys.')
param principalId string = deployer().objectId

@allowed(['User', 'Group', 'ServicePrincipal'])
param principalType string = 'User'

@description('Whether who deploys may send jobs, read their answers and read the jobs. Off where a pipeline deploys.')
param grantDeveloperAccess bool = true

@description('Object ids of the identities of clients and of teams that run agents, as in { "client": "<object id>" }: see infra/entities/service-bus.json.')
param partyPrincipals object = {}

@description('Where the services of the agents answer, by the agents of infra/entities/agents.json, as in { mail: \'https://one.example;capacity=64, https://other.example\' }. Empty: this deployment goes without that service.')
param agentEndpoints object

@description('Deploys the simulated services of samples/remotes.json as a function app of their own, and gives their addresses to agents without one: for a demonstration. Anybody may call them.')
param simulatedServices bool = false

@description('The address that alerts go to. Empty: they stand in the portal alone.')
param alertEmail string = ''

@description('Makes the app registration by which operators sign in. Takes the right to make one in the tenant.')
param createSignIn bool = false

@description('Client id of an app registration that is there already. Empty, and none made: built-in authentication is off.')
param authClientId string = ''

@description('Where Durable Functions keeps its orchestrations. There is no way to move them from one to the other.')
@allowed(['azureStorage', 'durableTaskScheduler'])
param durableBackend string = 'azureStorage'
@description('Of Durable Task Scheduler: capacity units of the SKU Dedicated, which is redundant with 3. 0: the SKU Consumption.')
@minValue(0)
param durableTaskCapacity int = 0

@description('private: the app reaches storage, bus, store and scheduler over private endpoints alone; needs Service Bus Premium.')
@allowed(['none', 'private'])
param network string = 'none'

@description('Subnets of a network that is there already, as in { app: \'<id>\', endpoints: \'<id>\' }; the first is delegated to Microsoft.App/environments and used by nothing else. Empty: the template makes a network.')
param networkSubnets object = {}
@description('Id of the resource group whose private DNS zones, linked to the network already, are used; none: a policy of yours gives endpoints their names. Empty: the template makes the zones.')
param networkDnsZones string = ''
@description('Whether what the app calls sees one address, which stays: a NAT gateway. Not with networkSubnets.')
param staticOutbound bool = false
@description('Whether the app itself is reached over a private endpoint alone. Deploy from inside the network then.')
param inboundPrivate bool = false

@description('A namespace cannot be changed from one to the other.')
@allowed(['Standard', 'Premium'])
param serviceBusSku string = 'Standard'
@description('Messaging units; Premium only.')
@allowed([1, 2, 4, 8, 16])
param serviceBusCapacity int = 1
@description('The region to which the bus is replicated; Premium only. Service Bus takes one.')
@maxLength(1)
param serviceBusReplicaLocations string[] = []
@description('Seconds by which the replica may be behind; past it the bus takes nothing more. 0, or 300 to 86400; 0: a message is acknowledged when both regions have it.')
param serviceBusReplicationLag int = 0

@description('The template cannot change serverless to autoscale.')
@allowed(['serverless', 'autoscale'])
param cosmosCapacityMode string = 'serverless'
@description('Request units a second up to which each container scales; autoscale only.')
@minValue(1000)
param cosmosMaxThroughput int = 1000
@description('Regions that hold a copy of the store and take over in this order; autoscale only.')
param cosmosSecondaryLocations string[] = []
@description('Another environment whose bus and store this one uses too, as the same app in a second region. Empty: its own.')
param sharedEnvironmentName string = ''
@description('The region of that environment.')
param sharedLocation string = ''

@description('Spreads app, store and storage over the region\'s zones. Service Bus is spread by itself; see durableTaskCapacity for the scheduler.')
param zoneRedundant bool = false

@description('Version of Node. Not every region offers the newest.')
@allowed(['22', '24'])
param nodeVersion string = '24'

@description('Memory of each instance.')
@allowed([512, 2048, 4096])
param instanceMemoryMb int = 2048

@description('For each function, or group of functions, that scales by itself.')
@minValue(1)
@maxValue(1000)
param maximumInstanceCount int = 100

@description('Instances that always run, by what scales by itself: durable (orchestrations and activities), http, and the functions submission, submissionPriority, agentReplies, startAttempt and those of agents with a queue. In zones at least two of each.')
param alwaysReady object = { durable: 1 }

@description('App settings that go over those of infra/app/function-app.bicep, by name.')
param settingOverrides object = {}

@description('Whether alert rules are made; each costs by the month. Off, it does not delete those that there are.')
param raiseAlerts bool = true

@description('Gigabytes of logs a day after which no more are taken; -1: no limit. Alerts are blind past it.')
param logDailyQuotaGb int = -1

@description('Whether store and bus cannot be deleted before their locks are. Takes the right to make locks: Owner, or User Access Administrator.')
param lockData bool = false

@description('Name of the store\'s account, as of one that was restored into this group. Empty: the one that the template makes. Roles, network and alerts follow.')
param cosmosAccountName string = ''

@description('Address of the page with the runbooks, whose sections have the alerts\' names. Empty: alerts name none.')
param runbooks string = ''

var abbreviations = loadJsonContent('abbreviations.json')
// What a job is called, and its clients: alerts, workbook and sign-in say so.
var words = loadJsonContent('words.json')
var token = toLower(uniqueString(subscription().id, environmentName, location))
var tags = { 'azd-env-name': environmentName }
var joins = !empty(sharedEnvironmentName)
var groupName = '${abbreviations.resourceGroup}${environmentName}'
// Where bus and store are, and what the names there end in.
var sharedGroupName = joins ? '${abbreviations.resourceGroup}${sharedEnvironmentName}' : groupName
var sharedToken = joins ? toLower(uniqueString(subscription().id, sharedEnvironmentName, sharedLocation)) : token
var namespaceName = '${abbreviations.serviceBusNamespace}${sharedToken}'
var storeName = empty(cosmosAccountName) ? '${abbreviations.cosmosAccount}${sharedToken}' : cosmosAccountName
// A job's lock names the task hub that works on it: two regions need two names.
var taskHubName = joins ? 'JobScheduler2' : 'JobScheduler'
var appName = '${abbreviations.functionApp}${token}'
var identityName = '${abbreviations.managedIdentity}${token}'
var servicesAppName = '${abbreviations.functionApp}services-${token}'
// An empty address counts as none: azd gives one for each choice that is not made.
var chosenEndpoints = toObject(filter(items(agentEndpoints), each => !empty(each.value)), each => each.key, each => each.value)
var simulatedEndpoints = toObject(
  loadJsonContent('entities/agents.json'),
  agent => agent.name,
  agent => 'https://${servicesAppName}.azurewebsites.net/${agent.name}'
)
var packageIdentityName = '${abbreviations.managedIdentity}package-${token}'
var workspaceName = '${abbreviations.logAnalyticsWorkspace}${token}'
var developerPrincipalId = grantDeveloperAccess ? principalId : ''
var privateOnly = network == 'private'
var usesScheduler = durableBackend == 'durableTaskScheduler'
var appPrivate = inboundPrivate && !privateOnly
  ? fail('inboundPrivate needs network private.')
  : inboundPrivate
var outboundStatic = staticOutbound && (!privateOnly || !empty(networkSubnets))
  ? fail('staticOutbound is for the network that the template makes: network private without networkSubnets. The address of yours is its own.')
  : staticOutbound
var busSku = !joins && serviceBusSku == 'Standard' && (privateOnly || !empty(serviceBusReplicaLocations))
  ? fail('Private endpoints and replicas of Service Bus need serviceBusSku Premium.')
  : serviceBusSku
var replicationLag = serviceBusReplicationLag != 0 && (serviceBusReplicationLag < 300 || serviceBusReplicationLag > 86400)
  ? fail('serviceBusReplicationLag is 0, or from 300 seconds to a day (86400).')
  : serviceBusReplicationLag
var storeMode = !joins && cosmosCapacityMode == 'serverless' && !empty(cosmosSecondaryLocations)
  ? fail('A store in several regions needs cosmosCapacityMode autoscale.')
  : cosmosCapacityMode
var makesSignIn = createSignIn && !empty(authClientId)
  ? fail('Either createSignIn makes the app registration, or authClientId names one that is there.')
  : createSignIn

resource group 'Microsoft.Resources/resourceGroups@2025-04-01' = {
  name: groupName
  location: location
  tags: tags
}

module identity 'app/identity.bicep' = {
  scope: group
  params: {
    name: identityName
    packageIdentityName: packageIdentityName
    location: location
    tags: tags
  }
}

module monitoring 'app/monitoring.bicep' = {
  scope: group
  params: {
    workspaceName: workspaceName
    applicationInsightsName: '${abbreviations.applicationInsights}${token}'
    actionGroupName: '${abbreviations.actionGroup}${token}'
    location: location
    tags: tags
    appPrincipalId: identity.outputs.principalId
    appIdentityName: identityName
    alertEmail: alertEmail
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
    appIdentityName: identityName
    workspaceId: monitoring.outputs.workspaceId
    zoneRedundant: zoneRedundant
    privateOnly: privateOnly
    holdsTaskHub: !usesScheduler
  }
}

module packageStorage 'app/package-storage.bicep' = {
  scope: group
  params: {
    name: '${abbreviations.storageAccount}pkg${token}'
    location: location
    tags: tags
    packagePrincipalId: identity.outputs.packagePrincipalId
    packageIdentityName: packageIdentityName
    workspaceId: monitoring.outputs.workspaceId
    zoneRedundant: zoneRedundant
    privateOnly: privateOnly
    containerName: 'app-package'
  }
}

module serviceBus 'app/service-bus.bicep' = if (!joins) {
  scope: group
  params: {
    name: namespaceName
    location: location
    tags: tags
    developerPrincipalId: developerPrincipalId
    developerPrincipalType: principalType
    partyPrincipals: partyPrincipals
    workspaceId: monitoring.outputs.workspaceId
    privateOnly: privateOnly
    sku: busSku
    capacity: serviceBusCapacity
    replicaLocations: serviceBusReplicaLocations
    replicationLag: replicationLag
    locked: lockData
  }
}

module busAccess 'app/service-bus-access.bicep' = {
  name: 'service-bus-access-${token}'
  scope: resourceGroup(sharedGroupName)
  params: {
    namespaceName: namespaceName
    appPrincipalId: identity.outputs.principalId
    appIdentityName: identityName
  }
  dependsOn: [serviceBus]
}

module cosmos 'app/cosmos.bicep' = if (!joins) {
  scope: group
  params: {
    name: storeName
    location: location
    tags: tags
    workspaceId: monitoring.outputs.workspaceId
    zoneRedundant: zoneRedundant
    privateOnly: privateOnly
    capacityMode: storeMode
    maxThroughput: cosmosMaxThroughput
    secondaryLocations: cosmosSecondaryLocations
    locked: lockData
  }
}

module storeAccess 'app/cosmos-access.bicep' = {
  name: 'cosmos-access-${token}'
  scope: resourceGroup(sharedGroupName)
  params: {
    accountName: storeName
    appPrincipalId: identity.outputs.principalId
    appIdentityName: identityName
    developerPrincipalId: joins ? '' : developerPrincipalId
  }
  dependsOn: [cosmos, packageStorage]
}

module durableTask 'app/durable-task.bicep' = if (usesScheduler) {
  scope: group
  params: {
    name: '${abbreviations.durableTaskScheduler}${token}'
    taskHubName: taskHubName
    location: location
    tags: tags
    appPrincipalId: identity.outputs.principalId
    appIdentityName: identityName
    privateOnly: privateOnly
    capacity: durableTaskCapacity
  }
}

module privateNetwork 'app/network.bicep' = if (privateOnly || outboundStatic) {
  scope: group
  params: {
    name: '${abbreviations.virtualNetwork}${token}'
    securityGroupName: '${abbreviations.networkSecurityGroup}${token}'
    endpointPrefix: '${abbreviations.privateEndpoint}${token}-'
    natGatewayName: outboundStatic ? '${abbreviations.natGateway}${token}' : ''
    location: location
    tags: tags
    subnets: networkSubnets
    dnsZones: networkDnsZones
    usesScheduler: usesScheduler
    storageId: storage.outputs.id
    packageStorageId: packageStorage.outputs.id
    serviceBusId: busAccess.outputs.id
    cosmosId: storeAccess.outputs.id
    durableTaskId: usesScheduler ? durableTask!.outputs.id : ''
  }
}

module app 'app/function-app.bicep' = {
  scope: group
  params: {
    name: appName
    planName: '${abbreviations.plan}${token}'
    location: location
    tags: tags
    workspaceId: monitoring.outputs.workspaceId
    identity: {
      id: identity.outputs.id
      clientId: identity.outputs.clientId
      packageId: identity.outputs.packageIdentityId
    }
    uses: {
      storageName: storage.outputs.name
      storageEndpoints: storage.outputs.endpoints
      serviceBus: busAccess.outputs.fullyQualifiedNamespace
      cosmos: storeAccess.outputs.endpoint
      applicationInsights: monitoring.outputs.connectionString
      durableTaskScheduler: usesScheduler ? durableTask!.outputs.endpoint : ''
    }
    agentEndpoints: simulatedServices ? union(simulatedEndpoints, chosenEndpoints) : agentEndpoints
    taskHubName: taskHubName
    settingOverrides: settingOverrides
    secondRegion: joins
    packageUri: packageStorage.outputs.containerUri
    nodeVersion: nodeVersion
    subnetId: privateOnly ? privateNetwork!.outputs.appSubnetId : ''
    inboundPrivateOnly: appPrivate
    zoneRedundant: zoneRedundant
    instanceMemoryMb: instanceMemoryMb
    maximumInstanceCount: maximumInstanceCount
    alwaysReady: alwaysReady
    signsIn: makesSignIn || !empty(authClientId)
    authClientId: makesSignIn ? signIn!.outputs.clientId : authClientId
    authAudience: makesSignIn ? signIn!.outputs.audience : 'api://${authClientId}'
  }
}

module services 'app/simulated-services.bicep' = if (simulatedServices) {
  scope: group
  params: {
    name: servicesAppName
    planName: '${abbreviations.plan}services-${token}'
    identityName: '${abbreviations.managedIdentity}services-${token}'
    storageName: '${abbreviations.storageAccount}svc${token}'
    location: location
    tags: tags
    nodeVersion: nodeVersion
  }
}

module inbound 'app/inbound.bicep' = if (appPrivate) {
  scope: group
  params: {
    name: '${abbreviations.privateEndpoint}${token}-app'
    location: location
    tags: tags
    appId: app.outputs.id
    subnetId: privateOnly ? privateNetwork!.outputs.endpointSubnetId : ''
    networkId: privateOnly ? privateNetwork!.outputs.networkId : ''
    makesZone: empty(networkDnsZones)
    namesEndpoint: networkDnsZones != 'none'
    dnsZones: networkDnsZones
  }
}

// Before the app, so its address is not asked for but said.
module signIn 'app/sign-in.bicep' = if (makesSignIn) {
  scope: group
  params: {
    uniqueName: '${replace(words.many, ' ', '-')}-${token}'
    displayName: '${words.title} (${environmentName})'
    appUri: 'https://${appName}.azurewebsites.net'
    appPrincipalId: identity.outputs.principalId
    operatorPrincipalId: developerPrincipalId
  }
}

module alerts 'app/alerts.bicep' = if (raiseAlerts) {
  scope: group
  params: {
    location: location
    tags: tags
    workspaceId: monitoring.outputs.workspaceId
    actionGroupId: monitoring.outputs.actionGroupId
    runbooks: empty(runbooks) || startsWith(runbooks, 'https://') ? runbooks : fail('runbooks is an address, as https://one.example/runbooks.md.')
    appUri: app.outputs.uri
    watchesMetrics: !joins
    serviceBusId: busAccess.outputs.id
    cosmosId: storeAccess.outputs.id
  }
}

module workbook 'app/workbook.bicep' = {
  scope: group
  params: {
    location: location
    tags: tags
    workspaceName: workspaceName
  }
  dependsOn: [monitoring]
}

output AZURE_LOCATION string = location
output AZURE_TENANT_ID string = tenant().tenantId
output AZURE_RESOURCE_GROUP string = group.name
output SERVICE_APP_NAME string = app.outputs.name
output SERVICE_APP_URI string = app.outputs.uri
output SERVICE_BUS_NAMESPACE string = busAccess.outputs.fullyQualifiedNamespace
output COSMOS_ENDPOINT string = storeAccess.outputs.endpoint
output LOG_WORKSPACE_ID string = monitoring.outputs.workspaceCustomerId
output TASK_HUB string = app.outputs.taskHub
output APP_PRINCIPAL_ID string = identity.outputs.principalId
output PACKAGE_ROLE_ASSIGNMENT_ID string = packageStorage.outputs.roleAssignmentId
output SIGN_IN_AUDIENCE string = makesSignIn
  ? signIn!.outputs.audience
  : empty(authClientId) ? '' : 'api://${authClientId}'
