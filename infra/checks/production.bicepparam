// What PSRule for Azure judges: the choices of a production environment. Nothing is deployed with it.
using '../main.bicep'

param environmentName = 'checks'
param location = 'westus3'
param principalId = '00000000-0000-0000-0000-000000000000'
param inventoryEndpoints = 'https://inventory.invalid'
param paymentEndpoints = 'https://payment.invalid'
param fraudEndpoints = 'https://fraud.invalid'
param shippingEndpoints = 'https://shipping.invalid'
param alertEmail = 'operators@example.com'
param authClientId = '00000000-0000-0000-0000-000000000000'
param durableBackend = 'durableTaskScheduler'
param durableTaskSku = 'Dedicated'
param durableTaskCapacity = 3
param network = 'private'
param serviceBusSku = 'Premium'
param serviceBusReplicaLocations = ['eastus2']
param cosmosCapacityMode = 'autoscale'
param cosmosSecondaryLocations = ['eastus2']
param zoneRedundant = true
