// Public entry `local/cosmos`: the Cosmos DB server in this process.
export { type ContainerResource, type CosmosOptions, type RunningCosmos, startCosmos } from "./cosmos/start.ts";
