// Public entry `local/limits`: what the parts refuse, and where they are stricter than Azure or differ, for the documentation.
export { BUS_LIMITS, BUS_NOT_KEPT, BUS_STRICTER } from "./bus/limits.ts";
export { BUS_REJECTIONS } from "./bus/rejections.ts";
export { COSMOS_LIMITS, COSMOS_NOT_KEPT, COSMOS_STRICTER } from "./cosmos/limits.ts";
export { COSMOS_REJECTIONS } from "./cosmos/rejections.ts";
export { HOST_LIMITS, HOST_NOT_KEPT } from "./host/limits.ts";
export { HOST_REJECTIONS } from "./host/rejections.ts";
export type { Limit, OtherLimit, Rejection } from "./limit.ts";
