// Where telemetry goes, and who is notified of an alert.
param workspaceName string
param applicationInsightsName string
param actionGroupName string
param location string
param tags object

@description('Object id of the app\'s identity: it alone may send telemetry.')
param appPrincipalId string

@description('Of the identity, known before anything is deployed: role assignments are named by it, so that what-if can show them.')
param appIdentityName string

@description('Who is notified of alerts. Empty: alerts are raised, and nobody is notified.')
param alertEmail string

@description('Gigabytes a day after which the workspace takes no more; -1: no limit. Alerts are blind past it.')
param dailyQuotaGb int

var roles = loadJsonContent('../roles.json')

resource workspace 'Microsoft.OperationalInsights/workspaces@2026-03-01' = {
  name: workspaceName
  location: location
  tags: tags
  properties: {
    sku: { name: 'PerGB2018' }
    retentionInDays: 30
    workspaceCapping: { dailyQuotaGb: dailyQuotaGb }
    features: {
      disableLocalAuth: true
      enableLogAccessUsingOnlyResourcePermissions: true
    }
  }
}

resource applicationInsights 'Microsoft.Insights/components@2020-02-02' = {
  name: applicationInsightsName
  location: location
  tags: tags
  kind: 'web'
  properties: {
    Application_Type: 'web'
    WorkspaceResourceId: workspace.id
    IngestionMode: 'LogAnalytics'
    DisableLocalAuth: true
  }
}

resource appSendsTelemetry 'Microsoft.Authorization/roleAssignments@2022-04-01' = {
  name: guid(applicationInsights.id, appIdentityName, roles.monitoringMetricsPublisher)
  scope: applicationInsights
  properties: {
    roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', roles.monitoringMetricsPublisher)
    principalId: appPrincipalId
    principalType: 'ServicePrincipal'
  }
}

resource operators 'Microsoft.Insights/actionGroups@2023-01-01' = {
  name: actionGroupName
  location: 'global'
  tags: tags
  properties: {
    groupShortName: 'operators'
    enabled: true
    emailReceivers: empty(alertEmail)
      ? []
      : [{ name: 'operators', emailAddress: alertEmail, useCommonAlertSchema: true }]
  }
}

output workspaceId string = workspace.id
output workspaceCustomerId string = workspace.properties.customerId
output connectionString string = applicationInsights.properties.ConnectionString
output actionGroupId string = operators.id
