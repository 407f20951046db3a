// Public entry `core/contracts`: what clients may send (P1).
export type { BusinessKeys } from "./domain/business-keys.ts";
export { type Noun, ORDER } from "./domain/noun.ts";
export type { Order, Priority } from "./domain/order.ts";
export { type Contract, type Contracts, defineContract, orderId, orderMembers } from "./messaging/contract.ts";
