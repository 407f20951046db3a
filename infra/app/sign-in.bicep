// The app registration by which operators sign in, made with the Microsoft Graph extension: in a browser and, for scripts, with
// tokens of the Azure CLI, Azure PowerShell and Visual Studio Code. Whoever deploys needs Application.ReadWrite.All or the role
// Application Developer. docs/how-to/identity.md has the same as commands.
extension microsoftGraphV1

@description('What the registration is recognised by in the tenant.')
param uniqueName string

param displayName string

@description('Address of the app, without a slash at its end.')
param appUri string

@description('Principal id of the app\'s identity: it vouches for the registration in place of a secret.')
param appPrincipalId string

@description('Object id of who may operate jobs from the start; empty for nobody.')
param operatorPrincipalId string

var registration = loadJsonContent('../sign-in/registration.json')
// What a job is called, and its clients.
var words = items(loadJsonContent('../words.json'))
var scopeId = guid(uniqueName, registration.scope.value)

resource app 'Microsoft.Graph/applications@v1.0' = {
  uniqueName: uniqueName
  displayName: displayName
  signInAudience: 'AzureADMyOrg'
  identifierUris: ['api://${tenant().tenantId}/${uniqueName}']
  web: {
    redirectUris: ['${appUri}/.auth/login/aad/callback']
    implicitGrantSettings: { enableIdTokenIssuance: true }
  }
  api: {
    // Version 1, the usual, has another issuer than built-in authentication expects.
    requestedAccessTokenVersion: 2
    oauth2PermissionScopes: [
      {
        id: scopeId
        value: registration.scope.value
        type: 'User'
        isEnabled: true
        adminConsentDisplayName: registration.scope.name
        adminConsentDescription: registration.scope.description
        userConsentDisplayName: registration.scope.name
        userConsentDescription: registration.scope.description
      }
    ]
    // Without this a token for the app is rejected: AADSTS65001, nobody has consented.
    preAuthorizedApplications: map(registration.clients, client => {
      appId: client.appId
      delegatedPermissionIds: [scopeId]
    })
  }
  appRoles: map(registration.roles, role => {
    id: guid(uniqueName, role.value)
    value: role.value
    displayName: reduce(words, role.name, (text, word) => replace(text, '{${word.key}}', word.value))
    description: reduce(words, role.description, (text, word) => replace(text, '{${word.key}}', word.value))
    allowedMemberTypes: ['User', 'Application']
    isEnabled: true
  })

  resource vouchedFor 'federatedIdentityCredentials@v1.0' = {
    name: '${uniqueName}/app'
    audiences: ['api://AzureADTokenExchange']
    issuer: '${environment().authentication.loginEndpoint}${tenant().tenantId}/v2.0'
    subject: appPrincipalId
  }
}

// Those without a role do not get in at all.
resource enterpriseApp 'Microsoft.Graph/servicePrincipals@v1.0' = {
  appId: app.appId
  appRoleAssignmentRequired: true
}

resource firstOperator 'Microsoft.Graph/appRoleAssignedTo@v1.0' = if (!empty(operatorPrincipalId)) {
  appRoleId: guid(uniqueName, 'Jobs.Operate')
  principalId: operatorPrincipalId
  resourceId: enterpriseApp.id
}

output clientId string = app.appId
output audience string = 'api://${tenant().tenantId}/${uniqueName}'
