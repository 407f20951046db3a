// What PSRule for Azure judges: the choices of a production environment. Nothing is deployed with it.
using '../main.bicep'

param environmentName = 'checks'
param location = 'westus3'
param principalId = '00000000-0000-0000-0000-000000000000'
param agentEndpoints = {
  inventory: 'https://inventory.invalid'
  payment: 'https://payment.invalid'
  fraud: 'https://fraud.invalid'
  shipping: 'https://shipping.invalid'
  hotel: 'https://hotel.invalid'
  flight: 'https://flight.invalid'
  car: 'https://car.invalid'
  approval: 'https://approval.invalid'
}
param alertEmail = 'operators@example.com'
param authClientId = '00000000-0000-0000-0000-000000000000'
param durableBackend = 'durableTaskScheduler'
param durableTaskCapacity = 3
param network = 'private'
param serviceBusSku = 'Premium'
param serviceBusReplicaLocations = ['eastus2']
param cosmosCapacityMode = 'autoscale'
param cosmosSecondaryLocations = ['eastus2']
param zoneRedundant = true
param lockData = true
