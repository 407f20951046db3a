"""The basics of Python's azure-servicebus. Arguments: connection string (TLS), certificate file."""
import sys
from datetime import datetime, timedelta, timezone

from azure.servicebus import (
    NEXT_AVAILABLE_SESSION,
    ServiceBusClient,
    ServiceBusMessage,
    ServiceBusReceiveMode,
    ServiceBusSubQueue,
)
from azure.servicebus._version import VERSION
from azure.servicebus.exceptions import MessageSizeExceededError, ServiceBusError
from report import basic, raises, run

client = ServiceBusClient.from_connection_string(sys.argv[1], connection_verify=sys.argv[2], retry_total=1)


def send(queue, *bodies, **options):
    with client.get_queue_sender(queue) as sender:
        sender.send_messages([ServiceBusMessage(body, **options) for body in bodies])


def receive(receiver, count=1):
    return receiver.receive_messages(max_message_count=count, max_wait_time=3)


@basic
def settle():
    """send, receive, complete, abandon with a delivery count"""
    send("plain", "one", application_properties={"n": 1})
    with client.get_queue_receiver("plain") as receiver:
        [message] = receive(receiver)
        assert str(message) == "one" and message.application_properties[b"n"] == 1
        receiver.abandon_message(message)
        [again] = receive(receiver)
        assert again.delivery_count == 1
        receiver.complete_message(again)
        assert receiver.receive_messages(max_wait_time=0.3) == []


@basic
def batch():
    """batches, receive and delete"""
    with client.get_queue_sender("plain") as sender:
        messages = sender.create_message_batch()
        for i in range(20):
            messages.add_message(ServiceBusMessage(str(i)))
        sender.send_messages(messages)
        raises(MessageSizeExceededError, lambda: messages.add_message(ServiceBusMessage("x" * 300_000)))
    with client.get_queue_receiver("plain", receive_mode=ServiceBusReceiveMode.RECEIVE_AND_DELETE) as receiver:
        found = []
        while len(found) < 20:
            more = receive(receiver, 20)
            assert more
            found += more
        assert [str(message) for message in found] == [str(i) for i in range(20)]


@basic
def defer():
    """deferral, by sequence number"""
    send("plain", "later")
    with client.get_queue_receiver("plain") as receiver:
        [message] = receive(receiver)
        receiver.defer_message(message)
        [deferred] = receiver.receive_deferred_messages(message.sequence_number)
        assert str(deferred) == "later"
        receiver.complete_message(deferred)


@basic
def dead_letters():
    """dead letters, with a reason"""
    send("plain", "bad")
    with client.get_queue_receiver("plain") as receiver:
        [message] = receive(receiver)
        receiver.dead_letter_message(message, reason="spoilt", error_description="in the sun")
    with client.get_queue_receiver("plain", sub_queue=ServiceBusSubQueue.DEAD_LETTER) as receiver:
        [dead] = receive(receiver)
        assert (dead.dead_letter_reason, dead.dead_letter_error_description) == ("spoilt", "in the sun")
        receiver.complete_message(dead)


@basic
def peek():
    """peek and renew a lock"""
    send("plain", "a", "b")
    with client.get_queue_receiver("plain") as receiver:
        assert [str(message) for message in receiver.peek_messages(5)] == ["a", "b"]
        for message in receive(receiver, 2):
            assert receiver.renew_message_lock(message) > datetime.now(timezone.utc)
            receiver.complete_message(message)
        for message in receive(receiver, 2):
            receiver.complete_message(message)


@basic
def schedule():
    """schedule and cancel"""
    with client.get_queue_sender("plain") as sender:
        at = datetime.now(timezone.utc)
        [soon] = sender.schedule_messages(ServiceBusMessage("soon"), at + timedelta(seconds=0.5))
        late = sender.schedule_messages(ServiceBusMessage("late"), at + timedelta(hours=1))
        assert soon != late[0]
        sender.cancel_scheduled_messages(late)
    with client.get_queue_receiver("plain") as receiver:
        [message] = receive(receiver)
        assert str(message) == "soon"
        receiver.complete_message(message)


@basic
def sessions():
    """sessions: by name, the next free one, state, lock renewal"""
    send("sessions", "1", "2", session_id="s")
    with client.get_queue_receiver("sessions", session_id="s") as receiver:
        receiver.session.set_state("half")
        assert receiver.session.renew_lock() > datetime.now(timezone.utc)
        messages = receive(receiver, 2)
        assert [str(message) for message in messages] == ["1", "2"]
        receiver.complete_message(messages[0])
        receiver.abandon_message(messages[1])
    with client.get_queue_receiver("sessions", session_id=NEXT_AVAILABLE_SESSION) as receiver:
        assert receiver.session.session_id == "s" and receiver.session.get_state() == b"half"
        [message] = receive(receiver)
        receiver.complete_message(message)


@basic
def absent():
    """a queue that is not there"""
    def attach():
        with client.get_queue_sender("nowhere") as sender:
            sender.send_messages(ServiceBusMessage("x"))

    error = raises(ServiceBusError, attach)
    assert "nowhere" in str(error)


run(VERSION)
