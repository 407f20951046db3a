// The private endpoint of the app itself, over which operators, services that report and deployments come.
param name string
param location string
param tags object
param appId string
param subnetId string
param networkId string

@description('Whether the zone is made here, in the network.')
param makesZone bool
@description('Whether the endpoint gets its name here.')
param namesEndpoint bool
@description('Id of the resource group whose zone is used where none is made.')
param dnsZones string

var zoneName = 'privatelink.azurewebsites.net'

resource endpoint 'Microsoft.Network/privateEndpoints@2025-09-01' = {
  name: name
  location: location
  tags: tags
  properties: {
    subnet: { id: subnetId }
    privateLinkServiceConnections: [
      {
        name: 'app'
        properties: {
          privateLinkServiceId: appId
          groupIds: ['sites']
        }
      }
    ]
  }
}

resource zone 'Microsoft.Network/privateDnsZones@2024-06-01' = if (makesZone) {
  name: zoneName
  location: 'global'
  tags: tags
}

resource zoneLink 'Microsoft.Network/privateDnsZones/virtualNetworkLinks@2024-06-01' = if (makesZone) {
  parent: zone
  name: name
  location: 'global'
  tags: tags
  properties: {
    registrationEnabled: false
    virtualNetwork: { id: networkId }
  }
}

resource endpointName 'Microsoft.Network/privateEndpoints/privateDnsZoneGroups@2025-09-01' = if (namesEndpoint) {
  parent: endpoint
  name: 'default'
  properties: {
    privateDnsZoneConfigs: [
      {
        name: 'app'
        properties: {
          privateDnsZoneId: makesZone ? zone.id : '${dnsZones}/providers/Microsoft.Network/privateDnsZones/${zoneName}'
        }
      }
    ]
  }
}
