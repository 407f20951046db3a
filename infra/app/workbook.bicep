// The operator's view: orders, agents, supervisor, queues and what an order costs.
param location string
param tags object
param workspaceName string

resource workspace 'Microsoft.OperationalInsights/workspaces@2026-03-01' existing = {
  name: workspaceName
}

resource workbook 'Microsoft.Insights/workbooks@2023-06-01' = {
  name: guid(workspace.id, 'orders')
  location: location
  tags: union(tags, { 'hidden-title': 'Orders' })
  kind: 'shared'
  properties: {
    displayName: 'Orders'
    category: 'workbook'
    sourceId: workspace.id
    version: '1.0'
    serializedData: string(loadJsonContent('../workbook/orders.json'))
  }
}
