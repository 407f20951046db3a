// The operator's view: orders, agents, supervisor, queues and what an order costs.
param location string
param tags object
param workspaceId string

resource workbook 'Microsoft.Insights/workbooks@2023-06-01' = {
  name: guid(workspaceId, 'orders')
  location: location
  tags: union(tags, { 'hidden-title': 'Orders' })
  kind: 'shared'
  properties: {
    displayName: 'Orders'
    category: 'workbook'
    sourceId: workspaceId
    version: '1.0'
    serializedData: string(loadJsonContent('../workbook/orders.json'))
  }
}
