// The app's identity, under which it reaches everything, and one more that only fetches and writes the app's package. No key
// and no secret stands anywhere.
param name string
param packageIdentityName string
param location string
param tags object

resource identity 'Microsoft.ManagedIdentity/userAssignedIdentities@2024-11-30' = {
  name: name
  location: location
  tags: tags
}

resource packageIdentity 'Microsoft.ManagedIdentity/userAssignedIdentities@2024-11-30' = {
  name: packageIdentityName
  location: location
  tags: tags
}

output id string = identity.id
output principalId string = identity.properties.principalId
output clientId string = identity.properties.clientId
output packageIdentityId string = packageIdentity.id
output packagePrincipalId string = packageIdentity.properties.principalId
