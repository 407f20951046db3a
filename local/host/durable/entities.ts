// Durable entities (in work).
import type { EntityRequest } from "./scheduling.ts";

export class Entities {
  post(_entity: string, _request: EntityRequest, _parent: number): void {}
  wake(_entity: string): void {}
}
