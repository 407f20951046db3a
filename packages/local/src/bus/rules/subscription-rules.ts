// The rules of one subscription, and the copies of a message that they select together.
import { messageOf } from "../../thrown.ts";
import { type Incoming, reread } from "../encoded/encoded-message.ts";
import { MessageView } from "../encoded/message-view.ts";
import { onward, type Passing } from "../queue/passing.ts";
import { type FilterKind, filterKind, type Rule } from "./rule.ts";

export type Selection =
  | { readonly kind: "copies"; readonly copies: readonly Incoming[] }
  | { readonly kind: "fault"; readonly fault: string };

export class SubscriptionRules {
  readonly #rules = new Map<string, Rule>();

  /** By name, as the service lists them. */
  all(): Rule[] {
    return [...this.#rules.entries()].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, rule]) => rule);
  }

  /** Those whose filters count against the quotas of the topic. */
  countFilters(kind: FilterKind): number {
    let count = 0;
    for (const rule of this.#rules.values()) if (filterKind(rule) === kind) count += 1;
    return count;
  }

  get(name: string): Rule | undefined {
    return this.#rules.get(name.toLowerCase());
  }

  set(rule: Rule): void {
    this.#rules.set(rule.name.toLowerCase(), rule);
  }

  delete(name: string): boolean {
    return this.#rules.delete(name.toLowerCase());
  }

  /**
   * All rules without actions make one copy together; each rule with an action makes one of its own (Service Bus
   * documentation, "Topic filters and actions").
   */
  select(passing: Passing): Selection {
    const { incoming } = passing;
    let view: MessageView | undefined;
    const copies: Incoming[] = [];
    let hasPlainCopy = false;
    try {
      for (const rule of this.#rules.values()) {
        if (hasPlainCopy && !rule.act) continue;
        view ??= viewOf(passing);
        if (!rule.matches(view)) continue;
        if (rule.act) copies.push(reread(onward(passing), rule.act(incoming.bytes, view)));
        else hasPlainCopy = true;
      }
    } catch (cause) {
      // Whatever a rule stumbles over, it is not the sender's fault, nor another subscription's.
      return { kind: "fault", fault: messageOf(cause) };
    }
    if (hasPlainCopy) copies.unshift(onward(passing));
    return { kind: "copies", copies };
  }
}

function viewOf({ incoming, sequence, ttlMs, now }: Passing): MessageView {
  return new MessageView(incoming.bytes, {
    sequence,
    enqueuedAt: now,
    expiresAt: now + (ttlMs ?? Number.POSITIVE_INFINITY),
    deadLetterSource: incoming.deadLetterSource,
  });
}
