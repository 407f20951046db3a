# registration.json as Microsoft Graph takes it, in the words of infra/words.json. $clients: whether the pre-authorized clients are in it, which
# needs the scope to be there.
def spoken: reduce ($words[0] | to_entries[]) as $word (.; split("{\($word.key)}") | join($word.value));
{
  identifierUris: ["api://\($id)"],
  appRoles: [.roles[] | {
    id: { "Jobs.Read": $read, "Jobs.Operate": $operate, "Jobs.ReadData": $data, "Jobs.Submit": $submit }[.value],
    value, displayName: (.name | spoken), description: (.description | spoken), allowedMemberTypes: ["User", "Application"], isEnabled: true
  }],
  api: {
    requestedAccessTokenVersion: 2,
    oauth2PermissionScopes: [.scope | {
      id: $scope, value, type: "User", isEnabled: true,
      adminConsentDisplayName: .name, adminConsentDescription: .description,
      userConsentDisplayName: .name, userConsentDescription: .description
    }],
    preAuthorizedApplications: (if $clients == "yes" then [.clients[] | { appId, delegatedPermissionIds: [$scope] }] else [] end)
  }
}
