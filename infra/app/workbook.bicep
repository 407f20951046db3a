// The operator's view: jobs, agents, supervisor, queues and what a job costs.
param location string
param tags object
param workspaceName string

var words = loadJsonContent('../words.json')
var content = string(loadJsonContent('../workbook/jobs.json'))

resource workspace 'Microsoft.OperationalInsights/workspaces@2026-03-01' existing = {
  name: workspaceName
}

resource workbook 'Microsoft.Insights/workbooks@2023-06-01' = {
  name: guid(workspace.id, words.many)
  location: location
  tags: union(tags, { 'hidden-title': words.title })
  kind: 'shared'
  properties: {
    displayName: words.title
    category: 'workbook'
    sourceId: workspace.id
    version: '1.0'
    serializedData: reduce(items(words), content, (text, word) => replace(text, '{${word.key}}', word.value))
  }
}
