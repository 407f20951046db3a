// @azure/cosmos imports it at its start, and uses it only to encrypt on the client with keys of Key Vault.
export class KeyClient {
  constructor() {
    throw new Error("Key Vault's keys are of a package that this repository leaves out: see instead/README.md");
  }
}
