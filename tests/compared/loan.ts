// The loan that is written three times: what a client sends, and its limits, the same for each. They are those of tests/package/loan.
export { DECLINED_BELOW, SURE_FROM } from "../package/loan/shared/agents/decision.ts";
export { collateral, loanMembers } from "../package/loan/shared/contract.ts";
