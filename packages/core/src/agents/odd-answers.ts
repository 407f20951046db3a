// Answers that may be about their request or about the endpoint (P31), such as 404: the endpoint's once several jobs in a row have got the same one.

/** One job alone, however often it asks, shows nothing about the endpoint. */
const SEVERAL = 3;

export class OddAnswers {
  #answer = "";
  readonly #keys = new Set<string>();

  /**
   * @param answer without any text of the service
   * @param key the request's idempotency key, which is the same for each of its tries
   */
  outcomeOf(answer: string, key: string): "failed" | "answered" {
    if (answer !== this.#answer) this.clear();
    this.#answer = answer;
    if (this.#keys.size < SEVERAL) this.#keys.add(key);
    return this.#keys.size < SEVERAL ? "answered" : "failed";
  }

  /** Another answer came in between. */
  clear(): void {
    this.#keys.clear();
  }
}
