// The archive's port: where orders that are over are written before their documents go (P29).
import type { Order } from "../domain/order.ts";
import type { StateRecord } from "../domain/state-record.ts";

export interface ArchivedOrder {
  readonly record: StateRecord;
  /** Every revision of the content, without its secrets. */
  readonly orders: readonly Order[];
}

export interface OrderArchive {
  /**
   * Adds orders, in the order in which they were over, each once: those that the last call before had added are not added again, whoever made
   * it. Throws where the archive can't be reached, or somebody else writes to it.
   */
  add(page: readonly ArchivedOrder[]): Promise<void>;
}
