// Public entry `testing/model`: the model checker's parts, for models of other worlds than an app's.
export { forgetWhatIsOver, LONG_AGO, TICK_MS } from "./model/abstract-time.ts";
export { Coverage } from "./model/coverage.ts";
export { exploreStates, type Finding } from "./model/explorer.ts";
export { Model } from "./model/model.ts";
export type { Move } from "./model/moves.ts";
export type { Mutant } from "./model/mutant.ts";
export { normalForm } from "./model/normal-form.ts";
export type { OperationName } from "./model/operation-name.ts";
export { LISTING } from "./model/service.ts";
export { type Bounds, HOSTS, type Host, NOTHING_GOES_WRONG, REQUESTS, type Setting } from "./model/setting.ts";
export { BOUNDS, FIRST_PIECE, isSame, PROMISES, pieceOf, RECORD, SERVICE_STATE, type State } from "./model/state.ts";
export { StateTable } from "./model/state-table.ts";
