// The private network: a subnet for the app, one for the private endpoints, and the zones that lead to them.
param name string
param securityGroupName string
param endpointPrefix string
param location string
param tags object

@description('What is to be reached privately.')
param storageId string
param packageStorageId string
param serviceBusId string
param cosmosId string

@description('Empty: the orchestrations are kept in storage.')
param durableTaskId string

var blobZone = 'privatelink.blob.${environment().suffixes.storage}'
var queueZone = 'privatelink.queue.${environment().suffixes.storage}'
var tableZone = 'privatelink.table.${environment().suffixes.storage}'
// Sub-resources and zones: "Azure Private Endpoint private DNS zone values", and for the last "Private endpoints for Durable Task
// Scheduler", which names the sub-resource; its zone is the one of Microsoft's samples.
var links = concat(
  [
    { name: 'blob', targetId: storageId, groupId: 'blob', zone: blobZone }
    { name: 'package-blob', targetId: packageStorageId, groupId: 'blob', zone: blobZone }
    { name: 'queue', targetId: storageId, groupId: 'queue', zone: queueZone }
    { name: 'table', targetId: storageId, groupId: 'table', zone: tableZone }
    { name: 'service-bus', targetId: serviceBusId, groupId: 'namespace', zone: 'privatelink.servicebus.windows.net' }
    { name: 'cosmos', targetId: cosmosId, groupId: 'Sql', zone: 'privatelink.documents.azure.com' }
  ],
  empty(durableTaskId)
    ? []
    : [{ name: 'scheduler', targetId: durableTaskId, groupId: 'scheduler', zone: 'privatelink.durabletask.io' }]
)
// Two storage accounts share a zone.
var zoneNames = union(map(links, link => link.zone), [])

// Without rules of its own: the usual ones let in what comes from this network and nothing else.
resource securityGroup 'Microsoft.Network/networkSecurityGroups@2025-09-01' = {
  name: securityGroupName
  location: location
  tags: tags
  properties: {}
}

resource network 'Microsoft.Network/virtualNetworks@2025-09-01' = {
  name: name
  location: location
  tags: tags
  properties: {
    addressSpace: { addressPrefixes: ['10.0.0.0/16'] }
    subnets: [
      {
        name: 'app'
        properties: {
          addressPrefix: '10.0.0.0/24'
          networkSecurityGroup: { id: securityGroup.id }
          delegations: [
            {
              name: 'functions'
              properties: { serviceName: 'Microsoft.App/environments' }
            }
          ]
        }
      }
      {
        name: 'endpoints'
        properties: {
          addressPrefix: '10.0.1.0/24'
          networkSecurityGroup: { id: securityGroup.id }
          privateEndpointNetworkPolicies: 'NetworkSecurityGroupEnabled'
        }
      }
    ]
  }
}

resource zones 'Microsoft.Network/privateDnsZones@2024-06-01' = [
  for zone in zoneNames: {
    name: zone
    location: 'global'
    tags: tags
  }
]

resource zoneLinks 'Microsoft.Network/privateDnsZones/virtualNetworkLinks@2024-06-01' = [
  for (zone, index) in zoneNames: {
    parent: zones[index]
    name: name
    location: 'global'
    tags: tags
    properties: {
      registrationEnabled: false
      virtualNetwork: { id: network.id }
    }
  }
]

resource endpoints 'Microsoft.Network/privateEndpoints@2025-09-01' = [
  for link in links: {
    name: '${endpointPrefix}${link.name}'
    location: location
    tags: tags
    properties: {
      #disable-next-line use-resource-id-functions
      subnet: { id: resourceId('Microsoft.Network/virtualNetworks/subnets', network.name, 'endpoints') }
      privateLinkServiceConnections: [
        {
          name: link.name
          properties: {
            privateLinkServiceId: link.targetId
            groupIds: [link.groupId]
          }
        }
      ]
    }
  }
]

resource endpointNames 'Microsoft.Network/privateEndpoints/privateDnsZoneGroups@2025-09-01' = [
  for (link, index) in links: {
    parent: endpoints[index]
    name: 'default'
    properties: {
      privateDnsZoneConfigs: [
        {
          name: link.name
          properties: { privateDnsZoneId: zones[indexOf(zoneNames, link.zone)].id }
        }
      ]
    }
  }
]

output appSubnetId string = resourceId('Microsoft.Network/virtualNetworks/subnets', network.name, 'app')
