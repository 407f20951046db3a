"""An agent in another language: checks orders for fraud, asked over its queue. docs/how-to/agents-elsewhere.md says how to run it."""
import json, os
from azure.servicebus import AutoLockRenewer, ServiceBusClient, ServiceBusMessage


def check(order, idempotency_key):
    return {"checkId": f"py-{idempotency_key}", "score": 0 if order["currency"] == "EUR" else 50}


def answer(request):
    try:
        return {"kind": "done", "result": check(request["job"], request["idempotencyKey"])}
    except Exception as error:  # It can't now: the app asks again, as long as the step has time.
        return {"kind": "unavailable", "message": repr(error)[:1000], "retryAfterMs": 5000}


with ServiceBusClient.from_connection_string(os.environ["ServiceBus"]) as bus, AutoLockRenewer() as renewer:
    with bus.get_queue_receiver("agent-requests-fraud", auto_lock_renewer=renewer) as requests:
        for message in requests:
            request = json.loads(str(message))
            reply = {"ticket": request["ticket"], **answer(request)}
            with bus.get_queue_sender(message.reply_to) as replies:
                replies.send_messages(ServiceBusMessage(json.dumps(reply), correlation_id=message.message_id))
            requests.complete_message(message)
