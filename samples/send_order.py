"""Sends an order from Python by AMQP 1.0 (qpid-proton) and prints its statuses until its end: docs/how-to/submitting.md, "From .NET and Python"."""
import json, os, sys, uuid
from proton import Described, Message, symbol
from proton.reactor import ReceiverOption
from proton.utils import BlockingConnection

FILTER = symbol("com.microsoft:session-filter")


class Session(ReceiverOption):
    def __init__(self, name):
        self.name = name

    def apply(self, receiver):
        receiver.source.filter.put_dict({FILTER: Described(FILTER, self.name)})


order = json.load(open(sys.argv[1]))
session, replies = str(uuid.uuid4()), "replies-shop-sessions"
# amqp://NAME:KEY@HOST of this machine, or amqps://NAME:KEY@NAMESPACE.servicebus.windows.net; the key's characters percent-encoded.
connection = BlockingConnection(os.environ["SERVICE_BUS_URL"], timeout=60, allowed_mechs="PLAIN", allow_insecure_mechs=True)
receiver = connection.create_receiver(replies, options=[Session(session)])  # Before it sends: no status comes too early.
body = json.dumps(order).encode()
ids = {"id": order["orderId"], "correlation_id": order["orderId"]}
message = Message(body=body, inferred=True, content_type="application/json", reply_to=replies, reply_to_group_id=session, **ids)
connection.create_sender("orders").send(message)
seen, status = set(), None
while status not in ("Completed", "Failed", "Compensated", "Cancelled", "Rejected"):
    received = receiver.receive(timeout=60)
    receiver.accept()
    if received.id in seen:  # Delivered again.
        continue
    seen.add(received.id)
    said = json.loads(bytes(received.body))
    status = said["status"]
    print(status, said.get("step") or said.get("detail") or "")
connection.close()
sys.exit(0 if status == "Completed" else 1)
