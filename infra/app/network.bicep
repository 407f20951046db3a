// The private network: a subnet for the app, one for the private endpoints, and the zones that lead to them.
param name string
param securityGroupName string
param endpointPrefix string
param location string
param tags object

@description('What is to be reached privately: the resource, its sub-resource and the zone of its names.')
param links {
  name: string
  targetId: string
  groupId: string
  zone: string
}[]

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
  for link in links: {
    name: link.zone
    location: 'global'
    tags: tags
  }
]

resource zoneLinks 'Microsoft.Network/privateDnsZones/virtualNetworkLinks@2024-06-01' = [
  for (link, index) in links: {
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
          properties: { privateDnsZoneId: zones[index].id }
        }
      ]
    }
  }
]

output appSubnetId string = resourceId('Microsoft.Network/virtualNetworks/subnets', network.name, 'app')
