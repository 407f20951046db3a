"""Sends an order from Python by AMQP 1.0 (qpid-proton) and prints its statuses until its end: docs/how-to/submitting.md, "From .NET and Python"."""
import json, os, sys
from proton import Message, Timeout
from proton.utils import BlockingConnection

order = json.load(open(sys.argv[1]))
replies = "replies-shop"  # A queue of this application alone: it has no sessions.
# amqp://NAME:KEY@HOST of this machine, or amqps://NAME:KEY@NAMESPACE.servicebus.windows.net; the key's characters percent-encoded.
connection = BlockingConnection(os.environ["SERVICE_BUS_URL"], timeout=60, allowed_mechs="PLAIN", allow_insecure_mechs=True)
receiver = connection.create_receiver(replies)
ids = {"id": order["orderId"], "correlation_id": order["orderId"]}
body = json.dumps(order).encode()
connection.create_sender("jobs").send(Message(body=body, inferred=True, content_type="application/json", reply_to=replies, **ids))
seen, status = set(), None
while status not in ("Completed", "Failed", "Compensated", "Cancelled", "Rejected"):
    try:
        received = receiver.receive(timeout=60)
    except Timeout:
        sys.exit("No status for a minute. An order that was sent before reports to the address of its first submission: give it another orderId.")
    receiver.accept()
    if received.correlation_id != order["orderId"] or received.id in seen:  # Of an earlier order, or delivered again.
        continue
    seen.add(received.id)
    said = json.loads(bytes(received.body))
    status = said["status"]
    print(status, said.get("step") or said.get("detail") or "")
connection.close()
sys.exit(0 if status == "Completed" else 1)
