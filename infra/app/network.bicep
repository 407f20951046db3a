// The private network: a subnet for the app, one for the private endpoints, and the zones that lead to them; each can be there already.
param name string
param securityGroupName string
param endpointPrefix string

@description('Empty: what the app calls sees an address that may change.')
param natGatewayName string

param location string
param tags object

@description('Ids of subnets that are there, by the names app and endpoints. Empty: the network is made here.')
param subnets object

@description('Id of the resource group whose zones are used; none: endpoints get their names elsewhere. Empty: the zones are made here.')
param dnsZones string

@description('Whether there is a scheduler; the orchestrations are kept in storage otherwise.')
param usesScheduler bool

@description('What is to be reached privately.')
param storageId string
param packageStorageId string
param serviceBusId string
param cosmosId string
param durableTaskId string

// Of at least /23: each subnet takes a /24. It must not overlap the networks that you connect.
var addressPrefix = '10.0.0.0/16'
var makesNetwork = empty(subnets)
var makesZones = empty(dnsZones)
var translates = !empty(natGatewayName)
var zoneNames = {
  blob: 'privatelink.blob.${environment().suffixes.storage}'
  queue: 'privatelink.queue.${environment().suffixes.storage}'
  table: 'privatelink.table.${environment().suffixes.storage}'
  serviceBus: 'privatelink.servicebus.windows.net'
  cosmos: 'privatelink.documents.azure.com'
  scheduler: 'privatelink.durabletask.io'
}
// Sub-resources and zones: "Azure Private Endpoint private DNS zone values", and for the last "Private endpoints for Durable Task
// Scheduler", which names the sub-resource; its zone is the one of Microsoft's samples. Without ids, which are not known before the
// deployment: how many endpoints there are has to be.
var links = concat(
  [
    { name: 'blob', target: 'storage', groupId: 'blob', zone: 'blob' }
    { name: 'package-blob', target: 'packageStorage', groupId: 'blob', zone: 'blob' }
    { name: 'queue', target: 'storage', groupId: 'queue', zone: 'queue' }
    { name: 'table', target: 'storage', groupId: 'table', zone: 'table' }
    { name: 'service-bus', target: 'serviceBus', groupId: 'namespace', zone: 'serviceBus' }
    { name: 'cosmos', target: 'cosmos', groupId: 'Sql', zone: 'cosmos' }
  ],
  usesScheduler
    ? [{ name: 'scheduler', target: 'durableTask', groupId: 'scheduler', zone: 'scheduler' }]
    : []
)
var targets = {
  storage: storageId
  packageStorage: packageStorageId
  serviceBus: serviceBusId
  cosmos: cosmosId
  durableTask: durableTaskId
}
var appSubnetId = makesNetwork ? resourceId('Microsoft.Network/virtualNetworks/subnets', name, 'app') : subnets.app
var endpointSubnetId = makesNetwork ? resourceId('Microsoft.Network/virtualNetworks/subnets', name, 'endpoints') : subnets.endpoints
// A subnet's id is its network's, and /subnets/NAME.
var networkId = makesNetwork ? resourceId('Microsoft.Network/virtualNetworks', name) : split(subnets.endpoints, '/subnets/')[0]
// Two storage accounts share a zone.
var zonesUsed = union(map(links, link => link.zone), [])

// Without rules of its own: the usual ones let in what comes from this network and nothing else.
resource securityGroup 'Microsoft.Network/networkSecurityGroups@2025-09-01' = if (makesNetwork) {
  name: securityGroupName
  location: location
  tags: tags
  properties: {}
}

resource address 'Microsoft.Network/publicIPAddresses@2025-09-01' = if (translates) {
  name: natGatewayName
  location: location
  tags: tags
  sku: { name: 'Standard' }
  properties: { publicIPAllocationMethod: 'Static' }
}

resource natGateway 'Microsoft.Network/natGateways@2025-09-01' = if (translates) {
  name: natGatewayName
  location: location
  tags: tags
  sku: { name: 'Standard' }
  properties: {
    publicIpAddresses: [{ id: address.id }]
  }
}

resource network 'Microsoft.Network/virtualNetworks@2025-09-01' = if (makesNetwork) {
  name: name
  location: location
  tags: tags
  properties: {
    addressSpace: { addressPrefixes: [addressPrefix] }
    subnets: [
      {
        name: 'app'
        properties: {
          addressPrefix: cidrSubnet(addressPrefix, 24, 0)
          natGateway: translates ? { id: natGateway.id } : null
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
          addressPrefix: cidrSubnet(addressPrefix, 24, 1)
          networkSecurityGroup: { id: securityGroup.id }
          privateEndpointNetworkPolicies: 'NetworkSecurityGroupEnabled'
        }
      }
    ]
  }
}

resource zones 'Microsoft.Network/privateDnsZones@2024-06-01' = [
  for zone in zonesUsed: if (makesZones) {
    name: zoneNames[zone]
    location: 'global'
    tags: tags
  }
]

resource zoneLinks 'Microsoft.Network/privateDnsZones/virtualNetworkLinks@2024-06-01' = [
  for (zone, index) in zonesUsed: if (makesZones) {
    parent: zones[index]
    name: name
    location: 'global'
    tags: tags
    properties: {
      registrationEnabled: false
      virtualNetwork: { id: networkId }
    }
    dependsOn: [network]
  }
]

resource endpoints 'Microsoft.Network/privateEndpoints@2025-09-01' = [
  for link in links: {
    name: '${endpointPrefix}${link.name}'
    location: location
    tags: tags
    properties: {
      #disable-next-line use-resource-id-functions
      subnet: { id: endpointSubnetId }
      privateLinkServiceConnections: [
        {
          name: link.name
          properties: {
            privateLinkServiceId: targets[link.target]
            groupIds: [link.groupId]
          }
        }
      ]
    }
    dependsOn: [network]
  }
]

resource endpointNames 'Microsoft.Network/privateEndpoints/privateDnsZoneGroups@2025-09-01' = [
  for (link, index) in links: if (dnsZones != 'none') {
    parent: endpoints[index]
    name: 'default'
    properties: {
      privateDnsZoneConfigs: [
        {
          name: link.name
          properties: {
            privateDnsZoneId: makesZones
              ? zones[indexOf(zonesUsed, link.zone)].id
              : '${dnsZones}/providers/Microsoft.Network/privateDnsZones/${zoneNames[link.zone]}'
          }
        }
      ]
    }
  }
]

output appSubnetId string = appSubnetId
output endpointSubnetId string = endpointSubnetId
output networkId string = networkId
