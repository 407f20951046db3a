// The lives in which something is lost, waits or is given up, and the supervisor or the next message has to see to it.
import {
  BEFORE_SHIPPING,
  cardRejected,
  compensated,
  done,
  ended,
  failing,
  inHand,
  isDown,
  rejectsCard,
  retry,
  type Scenario,
} from "./scenario.ts";

export const recoveries: readonly Scenario[] = [
  {
    name: "waited for, then compensated",
    title:
      "[supervisor | every await of a pause, and of the compensation after the last | host killed] the order waits, and what was done is compensated once",
    async drive(hand) {
      await hand.fault("shipping", isDown);
      await hand.send({ workflow: "patient" });
    },
    end: compensated,
  },
  {
    name: "given up",
    title:
      "[supervisor | every await of moving an order to Error | host killed] Error, and Failed is published from the outbox message",
    async drive(hand) {
      await hand.fault("shipping", isDown);
      await hand.send({ workflow: "strict" });
    },
    end: { error: "expired", steps: BEFORE_SHIPPING },
  },
  {
    name: "its start message lost",
    title:
      "[supervisor | the start message could not be sent; every await of the next | host killed] the order is started when its claim is overdue; no failure is counted",
    arms: failing("supervisor:messenger.startAttempt#1:before"),
    drive: retry,
    end: done,
  },
  {
    name: "a step not published",
    title:
      "[agents | StepCompleted could not be sent; every await of publishing it later | host killed] it is published before the next status",
    arms: failing("inventoryAgent/reserveStock:messenger.publish(StepCompleted)#1:before"),
    drive: (hand) => hand.send(),
    end: done,
  },
  {
    name: "its end not published",
    title:
      "[agents, supervisor | Completed could not be sent; every await of publishing it later | host killed] the sweep publishes it from the outbox message",
    arms: failing("shippingAgent/arrangeShipping:messenger.publish(StepCompleted,Completed)#1:before"),
    async drive(hand) {
      await hand.send();
      await hand.until(ended);
      await hand.hurry();
    },
    end: done,
  },
  {
    name: "its end neither published nor in the outbox",
    title:
      "[scheduler | Completed could be neither sent nor left as an outbox message; every await of the attempt's last activity | host killed] it is published from the record",
    arms: failing(
      "shippingAgent/arrangeShipping:messenger.publish(StepCompleted,Completed)#1:before",
      "shippingAgent/arrangeShipping:store.change#2:before",
    ),
    drive: (hand) => hand.send(),
    end: done,
  },
  {
    name: "its failure not published",
    title:
      "[agents, supervisor | Failed could not be sent; every await of publishing it later | host killed] the sweep publishes it from the outbox message",
    arms: failing("paymentAgent/takePayment:messenger.publish(StepCompleted,StepCompleted,Failed)#1:before"),
    async drive(hand) {
      await hand.fault("payment", rejectsCard);
      await hand.fault("payment", { kind: "slow", delayMs: 400, calls: 1, path: "/charges" });
      await hand.send();
      await hand.until(ended);
      await hand.hurry();
    },
    end: cardRejected,
  },
  {
    name: "its orchestration lost",
    title:
      "[supervisor | the engine lost the attempt; every await of scheduling its step again | host killed] the next attempt continues from the record; no failure is counted",
    async drive(hand) {
      await hand.fault("shipping", { kind: "slow", delayMs: 3000, calls: 1 });
      await hand.send();
      await hand.until(inHand("arrangeShipping"));
      const path = `runtime/webhooks/durabletask/instances/${hand.orderId}-1/terminate?code=local&reason=test`;
      await hand.ask("POST", path, {}, 202, 410);
    },
    end: done,
  },
];
