// Alert rules: infra/alerts/alerts.json says what they are, and the .kql files beside it what they ask.
param location string
param tags object
param workspaceId string
param actionGroupId string

@description('Where the runbooks are: the address of a page, whose sections have the alerts\' names; empty where there is none.')
param runbooks string

@description('Address of the app, without a slash at its end: its console shows what an alert is about.')
param appUri string

@description('Whether there are alerts on metrics of bus and store; where two regions share these, the first one has them.')
param watchesMetrics bool
param serviceBusId string
param cosmosId string

var alerts = loadJsonContent('../alerts/alerts.json')
// The view of the console that shows what an alert is about.
var views = loadJsonContent('../alerts/views.json')
// What a job is called, in titles.
var words = items(loadJsonContent('../words.json'))
var all = map(concat(alerts.log, alerts.metric), alert => union(alert, {
  title: reduce(words, alert.title, (text, word) => replace(text, '{${word.key}}', word.value))
  // Without an address no runbook is named: what is relative leads nowhere from Azure.
  addresses: union(
    { console: '${appUri}/console${views[alert.name]}' },
    empty(runbooks) ? {} : { runbook: '${runbooks}#${alert.name}' }
  )
}))
var queries = {
  'job-in-error': loadTextContent('../alerts/job-in-error.kql')
  'jobs-left-in-error': loadTextContent('../alerts/jobs-left-in-error.kql')
  'jobs-rejected': loadTextContent('../alerts/jobs-rejected.kql')
  'jobs-not-done': loadTextContent('../alerts/jobs-not-done.kql')
  'supervisor-stopped': loadTextContent('../alerts/supervisor-stopped.kql')
  'gauges-stopped': loadTextContent('../alerts/gauges-stopped.kql')
  'slo-critical-time': loadTextContent('../alerts/slo-critical-time.kql')
  'slo-ended-right': loadTextContent('../alerts/slo-ended-right.kql')
  'jobs-overdue': loadTextContent('../alerts/jobs-overdue.kql')
  'queue-age': loadTextContent('../alerts/queue-age.kql')
  'agent-held-up': loadTextContent('../alerts/agent-held-up.kql')
  'breaker-open': loadTextContent('../alerts/breaker-open.kql')
  'endpoint-misconfigured': loadTextContent('../alerts/endpoint-misconfigured.kql')
  'code-failed': loadTextContent('../alerts/code-failed.kql')
  'compensation-incomplete': loadTextContent('../alerts/compensation-incomplete.kql')
  'function-failures': loadTextContent('../alerts/function-failures.kql')
  'housekeeping-behind': loadTextContent('../alerts/housekeeping-behind.kql')
  'outbox-stuck': loadTextContent('../alerts/outbox-stuck.kql')
  'client-unreachable': loadTextContent('../alerts/client-unreachable.kql')
  'audit-log-unwritten': loadTextContent('../alerts/audit-log-unwritten.kql')
}

// Each query answers with the rows that somebody has to look at: one row is an alert, none resolves it, unless a person has to close it.
resource logAlerts 'Microsoft.Insights/scheduledQueryRules@2026-03-01' = [
  for alert in filter(all, each => !contains(each, 'metric')): {
    name: alert.name
    location: location
    tags: tags
    kind: 'LogAlert'
    properties: {
      displayName: alert.title
      description: '${alert.title}. See ${join(map(items(alert.addresses), each => each.value), ' and ')}'
      severity: alert.severity
      enabled: true
      scopes: [workspaceId]
      evaluationFrequency: alert.frequency
      windowSize: alert.window
      // The tables and what is in them come with the first telemetry.
      skipQueryValidation: true
      // What does not resolve itself would be raised anew by each evaluation.
      autoMitigate: !contains(alert, 'closedBy')
      muteActionsDuration: contains(alert, 'closedBy') ? alert.mutedFor : null
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
        customProperties: alert.addresses
      }
    }
  }
]

resource metricAlerts 'Microsoft.Insights/metricAlerts@2026-01-01' = [
  for alert in filter(all, each => contains(each, 'metric')): if (watchesMetrics) {
    name: alert.name
    location: 'global'
    tags: tags
    properties: {
      description: '${alert.title}. See ${join(map(items(alert.addresses), each => each.value), ' and ')}'
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
          webHookProperties: alert.addresses
        }
      ]
    }
  }
]
