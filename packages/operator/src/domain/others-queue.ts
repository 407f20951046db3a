// A reply queue that another host on this bus and store owns.
export interface OthersQueue {
  readonly queue: string;
  /** Its owner was there a short while ago: then the queue has to be there too. */
  readonly isInUse: boolean;
}
