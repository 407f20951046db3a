// Alert rules: infra/alerts/alerts.json says what they are, and the .kql files beside it what they ask.
param location string
param tags object
param workspaceId string
param actionGroupId string

@description('What the metric alerts watch; empty: they are another region\'s affair.')
param serviceBusId string
param cosmosId string

var alerts = loadJsonContent('../alerts/alerts.json')
var queries = {
  'order-in-error': loadTextContent('../alerts/order-in-error.kql')
  'orders-left-in-error': loadTextContent('../alerts/orders-left-in-error.kql')
  'supervisor-stopped': loadTextContent('../alerts/supervisor-stopped.kql')
  'orders-overdue': loadTextContent('../alerts/orders-overdue.kql')
  'queue-age': loadTextContent('../alerts/queue-age.kql')
  'agent-held-up': loadTextContent('../alerts/agent-held-up.kql')
  'breaker-open': loadTextContent('../alerts/breaker-open.kql')
  'endpoint-misconfigured': loadTextContent('../alerts/endpoint-misconfigured.kql')
  'compensation-incomplete': loadTextContent('../alerts/compensation-incomplete.kql')
  'function-failures': loadTextContent('../alerts/function-failures.kql')
  'outbox-stuck': loadTextContent('../alerts/outbox-stuck.kql')
  'shop-unreachable': loadTextContent('../alerts/shop-unreachable.kql')
  'audit-log-unwritten': loadTextContent('../alerts/audit-log-unwritten.kql')
}

// Each query answers with the rows that somebody has to look at: one row is an alert, none resolves it.
resource logAlerts 'Microsoft.Insights/scheduledQueryRules@2026-03-01' = [
  for alert in alerts.log: {
    name: alert.name
    location: location
    tags: tags
    kind: 'LogAlert'
    properties: {
      displayName: alert.title
      description: '${alert.title}. What to do: docs/how-to/runbooks.md#${alert.name}'
      severity: alert.severity
      enabled: true
      scopes: [workspaceId]
      evaluationFrequency: alert.frequency
      windowSize: alert.window
      // The tables and what is in them come with the first telemetry.
      skipQueryValidation: true
      autoMitigate: true
      criteria: {
        allOf: [
          {
            criterionType: 'StaticThresholdCriterion'
            query: queries[alert.name]
            timeAggregation: 'Count'
            operator: 'GreaterThan'
            threshold: 0
            dimensions: map(alert.dimensions, dimension => { name: dimension, operator: 'Include', values: ['*'] })
            failingPeriods: { numberOfEvaluationPeriods: 1, minFailingPeriodsToAlert: 1 }
          }
        ]
      }
      actions: {
        actionGroups: [actionGroupId]
        customProperties: { runbook: 'docs/how-to/runbooks.md#${alert.name}' }
      }
    }
  }
]

resource metricAlerts 'Microsoft.Insights/metricAlerts@2026-01-01' = [
  for alert in alerts.metric: if (!empty(serviceBusId)) {
    name: alert.name
    location: 'global'
    tags: tags
    properties: {
      description: '${alert.title}. What to do: docs/how-to/runbooks.md#${alert.name}'
      severity: alert.severity
      enabled: true
      scopes: [alert.of == 'cosmos' ? cosmosId : serviceBusId]
      evaluationFrequency: alert.frequency
      windowSize: alert.window
      autoMitigate: true
      criteria: {
        'odata.type': 'Microsoft.Azure.Monitor.SingleResourceMultipleMetricCriteria'
        allOf: [
          {
            criterionType: 'StaticThresholdCriterion'
            name: alert.name
            metricName: alert.metric
            timeAggregation: alert.aggregation
            operator: 'GreaterThan'
            threshold: alert.threshold
            dimensions: map(items(alert.dimensions), dimension => {
              name: dimension.key
              operator: 'Include'
              values: dimension.value
            })
          }
        ]
      }
      actions: [
        {
          actionGroupId: actionGroupId
          webHookProperties: { runbook: 'docs/how-to/runbooks.md#${alert.name}' }
        }
      ]
    }
  }
]
