// The choices of a deployment by Bicep alone (docs/how-to/deploy-bicep.md): a parameter for each choice of azd, as zoneRedundant for ZONE_REDUNDANT.
// It stands here because azd would take infra/main.bicepparam in the place of its own infra/main.parameters.json.
using '../main.bicep'

param environmentName = 'my-app'
param location = 'westus3'
param agentEndpoints = {
  inventory: 'https://inventory.example'
  payment: 'https://payment.example'
  fraud: 'https://fraud.example'
  shipping: 'https://shipping.example'
  hotel: ''
  flight: ''
  car: ''
  approval: ''
}
// param alertEmail = 'operators@one.example'
// param runbooks = 'https://one.example/runbooks.md'
