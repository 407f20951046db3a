// The app on Flex Consumption, with every one of its settings.
param name string
param planName string
param location string
param tags object
param workspaceId string

@description('The app\'s identity, and the one that fetches and writes its package.')
param identity {
  id: string
  clientId: string
  packageId: string
}

@description('Where the parts are that the app uses.')
param uses {
  storageName: string
  storageEndpoints: object
  serviceBus: string
  cosmos: string
  applicationInsights: string
  @description('Empty where the orchestrations are kept in Azure Storage.')
  durableTaskScheduler: string
}

@description('Where the services of the agents answer, by the agents\' names.')
param agentEndpoints object

param taskHubName string

@description('Whether bus and store are another region\'s, which has the first queue for replies.')
param secondRegion bool

@description('Settings that go over those written here.')
param settingOverrides object

@description('Where the app\'s package lies.')
param packageUri string

param nodeVersion string

@description('Subnet for what the app calls; empty: none.')
param subnetId string

@description('Whether the app is reached over its private endpoint alone.')
param inboundPrivateOnly bool

param zoneRedundant bool
param instanceMemoryMb int
param maximumInstanceCount int

@description('Instances that always run: durable and http by these names, others by their functions\'.')
param alwaysReady object

@description('Whether built-in authentication is on: known before anything is deployed, unlike the next two.')
param signsIn bool

@description('Client id of the app registration by which operators sign in.')
param authClientId string

@description('What tokens name as their audience, beside the client id.')
param authAudience string

// any, because no queue need have these members.
var queues = any(loadJsonContent('../entities/service-bus.json').queues)
// The submission queues of one sender each: the app has a function for each.
var submissionQueues = map(
  filter(queues, queue => contains(queue, 'submission')),
  queue => union({ queue: queue.name }, queue.submission)
)
// What the app's definition says of its agents: `npm run agents -- --write` writes it.
var agents = loadJsonContent('../entities/agents.json')

// Every setting of packages/core/src/app/config.ts, and what the platform wants beside them; those of the agents follow. tests/infra compares.
var settings = {
  ServiceBus__fullyQualifiedNamespace: uses.serviceBus
  ServiceBus__credential: 'managedidentity'
  ServiceBus__clientId: identity.clientId
  SubmissionQueues: string(submissionQueues)
  AgentRepliesQueue: 'agent-replies'
  Cosmos__accountEndpoint: uses.cosmos
  Cosmos__credential: 'managedidentity'
  Cosmos__clientId: identity.clientId
  AzureWebJobsStorage__accountName: uses.storageName
  AzureWebJobsStorage__blobServiceUri: uses.storageEndpoints.blob
  AzureWebJobsStorage__queueServiceUri: uses.storageEndpoints.queue
  AzureWebJobsStorage__tableServiceUri: uses.storageEndpoints.table
  AzureWebJobsStorage__credential: 'managedidentity'
  AzureWebJobsStorage__clientId: identity.clientId
  SupervisorSchedule: '*/10 * * * * *'
  JobsInFlight: '200'
  FairShare: '0.5'
  StartWithin: 'PT30S'
  EndedJobsKeptFor: 'forever'
  ResubmitWithin: 'P7D'
  JobArchive: 'none'
  GaugesSchedule: '*/30 * * * * *'
  HousekeepingSchedule: '0 17 * * * *'
  OperatorSignIn: signsIn ? 'entra' : 'key'
  EnvironmentName: tags['azd-env-name']
  TaskHub: taskHubName
  AZURE_CLIENT_ID: identity.clientId
  APPLICATIONINSIGHTS_CONNECTION_STRING: uses.applicationInsights
  APPLICATIONINSIGHTS_AUTHENTICATION_STRING: 'ClientId=${identity.clientId};Authorization=AAD'
  // The host rejects a longer body before any function has read it. Without this four bodies of 90 MB, by anybody, take an instance down.
  FUNCTIONS_REQUEST_BODY_SIZE_LIMIT: '1048576'
  AzureWebJobsDisableHomepage: 'true'
  // The host's own spans, in the jobs' traces. Without the next two it would keep five traces a second. Events, metrics and exceptions are never sampled: alerts count them.
  AzureFunctionsJobHost__telemetryMode: 'OpenTelemetry'
  OTEL_TRACES_SAMPLER: 'microsoft.fixed_percentage'
  OTEL_TRACES_SAMPLER_ARG: '0.25'
  OTEL_BSP_SCHEDULE_DELAY: '5000'
  OTEL_METRIC_EXPORT_INTERVAL: '60000'
}

// An empty address counts as none: azd gives one for each choice that is not made.
var addresses = union(toObject(agents, agent => agent.name, agent => ''), agentEndpoints)
var lackingChoices = map(
  filter(filter(agents, agent => !agent.optional), agent => empty(addresses[agent.name])),
  agent => agent.choice
)
var agentSettings = !empty(lackingChoices)
  ? fail('The app needs the addresses of these services: azd env set ${join(lackingChoices, ', ')}.')
  : toObject(
      filter(agents, agent => !empty(addresses[agent.name])),
      agent => agent.setting,
      agent => string(addresses[agent.name])
    )

// host.json names this setting, as `npm run package` wrote it: the platform reads which provider scales the app there and nowhere else.
var durableTaskSettings = empty(uses.durableTaskScheduler)
  ? {}
  : {
      DURABLE_TASK_SCHEDULER_CONNECTION_STRING: 'Endpoint=${uses.durableTaskScheduler};Authentication=ManagedIdentity;ClientID=${identity.clientId}'
    }

// Replies go to where the attempt runs: a second region has a reply queue of its own.
var regionSettings = secondRegion ? { AgentRepliesQueue: 'agent-replies-host2' } : {}

// In place of a client secret: the app's identity vouches for the registration.
var signInSettings = signsIn
  ? {
      OVERRIDE_USE_MI_FIC_ASSERTION_CLIENTID: identity.clientId
      WEBSITE_AUTH_AAD_ALLOWED_TENANTS: tenant().tenantId
    }
  : {}

var wantedReady = map(items(alwaysReady), entry => {
  name: contains(['durable', 'http'], entry.key) ? entry.key : 'function:${entry.key}'
  instanceCount: int(entry.value)
})
// With zones Azure rejects one: "Reliability in Azure Functions", Flex Consumption. None is allowed, and costs two all the same.
var ready = map(filter(wantedReady, group => group.instanceCount > 0), group => {
  name: group.name
  instanceCount: zoneRedundant ? max(2, group.instanceCount) : group.instanceCount
})
var readyInstances = !empty(filter(ready, group => group.instanceCount > maximumInstanceCount))
  ? fail('maximumInstanceCount is below the instances that are always ready; with zoneRedundant these are at least two.')
  : ready

resource plan 'Microsoft.Web/serverfarms@2025-03-01' = {
  name: planName
  location: location
  tags: tags
  kind: 'functionapp'
  sku: { name: 'FC1', tier: 'FlexConsumption' }
  properties: {
    reserved: true
    zoneRedundant: zoneRedundant
  }
}

resource app 'Microsoft.Web/sites@2025-03-01' = {
  name: name
  location: location
  tags: union(tags, { 'azd-service-name': 'app' })
  kind: 'functionapp,linux'
  identity: {
    type: 'UserAssigned'
    userAssignedIdentities: {
      '${identity.id}': {}
      '${identity.packageId}': {}
    }
  }
  properties: {
    serverFarmId: plan.id
    httpsOnly: true
    clientAffinityEnabled: false
    keyVaultReferenceIdentity: identity.id
    virtualNetworkSubnetId: empty(subnetId) ? null : subnetId
    publicNetworkAccess: inboundPrivateOnly ? 'Disabled' : 'Enabled'
    functionAppConfig: {
      deployment: {
        storage: {
          type: 'blobContainer'
          value: packageUri
          authentication: {
            type: 'UserAssignedIdentity'
            userAssignedIdentityResourceId: identity.packageId
          }
        }
      }
      runtime: { name: 'node', version: nodeVersion }
      scaleAndConcurrency: {
        instanceMemoryMB: instanceMemoryMb
        maximumInstanceCount: maximumInstanceCount
        alwaysReady: readyInstances
      }
    }
    siteConfig: {
      minTlsVersion: '1.2'
      scmMinTlsVersion: '1.2'
      http20Enabled: true
      appSettings: map(items(union(settings, agentSettings, durableTaskSettings, signInSettings, regionSettings, settingOverrides)), setting => {
        name: setting.key
        value: setting.value
      })
    }
  }

  resource noPasswordForDeployment 'basicPublishingCredentialsPolicies' = {
    name: 'scm'
    properties: { allow: false }
  }

  resource noPasswordForFtp 'basicPublishingCredentialsPolicies' = {
    name: 'ftp'
    properties: { allow: false }
  }

  resource signIn 'config' = if (signsIn) {
    name: 'authsettingsV2'
    properties: {
      platform: { enabled: true, runtimeVersion: '~1' }
      globalValidation: {
        requireAuthentication: true
        unauthenticatedClientAction: 'RedirectToLoginPage'
        redirectToProvider: 'azureactivedirectory'
        // Services report there what they do later, by an address that only they know.
        excludedPaths: ['/api/completions/*']
      }
      httpSettings: { requireHttps: true }
      identityProviders: {
        azureActiveDirectory: {
          enabled: true
          registration: {
            clientId: authClientId
            clientSecretSettingName: 'OVERRIDE_USE_MI_FIC_ASSERTION_CLIENTID'
            openIdIssuer: '${environment().authentication.loginEndpoint}${tenant().tenantId}/v2.0'
          }
          validation: {
            allowedAudiences: [authClientId, authAudience]
          }
        }
      }
      login: {
        // The app uses no token of its callers: none is kept.
        tokenStore: { enabled: false }
      }
    }
  }
}

#disable-next-line use-recent-api-versions
resource toWorkspace 'Microsoft.Insights/diagnosticSettings@2021-05-01-preview' = {
  name: 'to-workspace'
  scope: app
  properties: {
    workspaceId: workspaceId
    // Who could not sign in: built-in authentication answers before the app does, so the app's own telemetry has none of it.
    logs: empty(authClientId) ? [] : [{ category: 'AppServiceAuthenticationLogs', enabled: true }]
    metrics: [{ category: 'AllMetrics', enabled: true }]
  }
}

output id string = app.id
output name string = app.name
output taskHub string = union({ TaskHub: taskHubName }, settingOverrides).TaskHub
output uri string = 'https://${app.properties.defaultHostName}'
