"""The basics of qpid-proton, an AMQP 1.0 client that knows nothing of Service Bus. Argument: URL with user and password."""
import sys

from proton import VERSION_MAJOR, VERSION_MINOR, Delivery, Described, Message, symbol, ulong
from proton.reactor import Filter
from proton.utils import BlockingConnection, LinkDetached
from report import basic, raises, run

connection = BlockingConnection(sys.argv[1], timeout=5, allowed_mechs="PLAIN", allow_insecure_mechs=True)


@basic
def send():
    """send with properties, receive, accept"""
    sender = connection.create_sender("plain")
    delivery = sender.send(Message(id="m1", subject="s", body="one", properties={"n": 1}))
    assert delivery.remote_state == Delivery.ACCEPTED
    receiver = connection.create_receiver("plain")
    message = receiver.receive(timeout=3)
    assert (message.id, message.subject, message.body, message.properties["n"]) == ("m1", "s", "one", 1)
    assert message.annotations[symbol("x-opt-sequence-number")] > 0
    receiver.accept()
    receiver.close()
    sender.close()


@basic
def release():
    """release gives back, reject makes a dead letter"""
    sender = connection.create_sender("plain")
    sender.send(Message(body="again"))
    receiver = connection.create_receiver("plain")
    assert receiver.receive(timeout=3).body == "again"
    receiver.release()
    assert receiver.receive(timeout=3).body == "again"
    receiver.reject()
    receiver.close()
    dead = connection.create_receiver("plain/$DeadLetterQueue")
    assert dead.receive(timeout=3).body == "again"
    dead.accept()
    dead.close()
    sender.close()


@basic
def bodies():
    """bodies of every kind"""
    sender = connection.create_sender("plain")
    receiver = connection.create_receiver("plain", credit=10)
    for body in ["text", b"bytes", 42, 1.5, True, None, {"a": [1, "b"]}, [1, None]]:
        sender.send(Message(body=body, inferred=isinstance(body, bytes)))
        found = receiver.receive(timeout=3)
        assert found.body == body, f"{body!r} came as {found.body!r}"
        receiver.accept()
    receiver.close()
    sender.close()


@basic
def many():
    """a thousand messages in order"""
    sender = connection.create_sender("plain")
    receiver = connection.create_receiver("plain", credit=100)
    for n in range(1000):
        sender.send(Message(body=n))
    for n in range(1000):
        assert receiver.receive(timeout=3).body == n
        receiver.accept()
    receiver.close()
    sender.close()


@basic
def absent():
    """a queue that is not there detaches the link alone"""
    raises(LinkDetached, lambda: connection.create_sender("nowhere"))
    connection.create_sender("plain").close()


SESSION_FILTER = symbol("com.microsoft:session-filter")


@basic
def sessions():
    """a session by its filter: plain, or described as AMQP's filters are"""
    sender = connection.create_sender("sessions")
    forms = [lambda id: id, lambda id: Described(SESSION_FILTER, id), lambda id: Described(ulong(0x137000000C), id)]
    for n, form in enumerate(forms):
        sender.send(Message(body="other", group_id=f"{n}-a"))
        sender.send(Message(body="wanted", group_id=f"{n}-b"))
        receiver = connection.create_receiver("sessions", options=[Filter({SESSION_FILTER: form(f"{n}-b")})])
        message = receiver.receive(timeout=3)
        assert (message.body, message.group_id) == ("wanted", f"{n}-b"), f"form {n} got {message.group_id}"
        receiver.accept()
        receiver.close()
    sender.close()


@basic
def next_session():
    """the next session that is free, where the filter is null"""
    receiver = connection.create_receiver("sessions", options=[Filter({SESSION_FILTER: None})])
    assert receiver.receive(timeout=3).body == "other"
    receiver.accept()
    receiver.close()


run(f"{VERSION_MAJOR}.{VERSION_MINOR}")
