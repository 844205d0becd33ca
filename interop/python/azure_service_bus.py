"""Uses a waybill broker server with Microsoft's azure-servicebus, unchanged, and checks what comes back.

Usage: SERVICEBUS_CONNECTION_STRING=... azure_service_bus.py CERTIFICATE. The server has the queues "orders" and "visits", the latter
with sessions, and a topic "news" with a subscription "all". Exits with 1 and says why when anything differs.
"""

import datetime
import os
import sys

from azure.servicebus import (
    NEXT_AVAILABLE_SESSION,
    ServiceBusClient,
    ServiceBusMessage,
    ServiceBusReceiveMode,
    ServiceBusSubQueue,
)
from azure.servicebus.amqp import AmqpAnnotatedMessage, AmqpMessageHeader, AmqpMessageProperties
from azure.servicebus.exceptions import ServiceBusAuthenticationError


def main(certificate):
    client = ServiceBusClient.from_connection_string(
        os.environ["SERVICEBUS_CONNECTION_STRING"], connection_verify=certificate, retry_total=0
    )
    with client:
        for check_one in (
            properties, batches, sections, settlements, scheduling, peeking, receive_and_delete, sessions, topics, refusals,
        ):
            check_one(client)
            print(f"{check_one.__name__}: ok")


def properties(client):
    """Every property that the SDK shows comes back."""
    sent = dict(
        message_id="m", subject="subject", correlation_id="c", content_type="text/plain", to="to", reply_to="reply",
        partition_key="p", time_to_live=datetime.timedelta(minutes=5),
    )
    send(client, ServiceBusMessage(b"hello", application_properties={"n": 1, "text": "t", "flag": True}, **sent))
    with client.get_queue_receiver("orders", max_wait_time=5) as receiver:
        [message] = receiver.receive_messages(1)
        for name, value in sent.items():
            check(name, getattr(message, name), value)
        check("body", b"".join(message.body), b"hello")
        check("application properties", message.application_properties, {b"n": 1, b"text": b"t", b"flag": True})
        check("delivery count", message.delivery_count, 0)
        check("sequence number", message.sequence_number, 1)
        check("locked", message.locked_until_utc > message.enqueued_time_utc, True)
        check("renewed", receiver.renew_message_lock(message) > message.enqueued_time_utc, True)
        receiver.complete_message(message)
    check("left", bodies(client), [])


def batches(client):
    with client.get_queue_sender("orders") as sender:
        batch = sender.create_message_batch()
        for n in range(100):
            batch.add_message(ServiceBusMessage(str(n)))
        sender.send_messages(batch)
    check("batch", bodies(client), [str(n) for n in range(100)])
    # Larger than one frame of uAMQP.
    send(client, ServiceBusMessage("x" * 900_000))
    check("large", [len(body) for body in bodies(client)], [900_000])


def sections(client):
    """A message with every section that AMQP has."""
    send(client, AmqpAnnotatedMessage(
        data_body=[b"one", b"two"], header=AmqpMessageHeader(priority=7), delivery_annotations={"d": 1}, annotations={"m": 2},
        properties=AmqpMessageProperties(message_id="m"), application_properties={"p": 3}, footer={"f": 4},
    ))
    with client.get_queue_receiver("orders", max_wait_time=5) as receiver:
        [message] = receiver.receive_messages(1)
        raw = message.raw_amqp_message
        check("sections", [list(raw.body), raw.header.priority, raw.application_properties, raw.footer],
              [[b"one", b"two"], 7, {b"p": 3}, {b"f": 4}])
        check("annotations", [raw.delivery_annotations[b"d"], raw.annotations[b"m"]], [1, 2])
        receiver.complete_message(message)


def settlements(client):
    send(client, *[ServiceBusMessage(name) for name in ("abandon", "defer", "dead-letter", "complete")])
    with client.get_queue_receiver("orders", max_wait_time=5) as receiver:
        messages = {str(message): message for message in receive(receiver, 4)}
        receiver.complete_message(messages["complete"])
        receiver.dead_letter_message(messages["dead-letter"], reason="reason", error_description="description")
        receiver.defer_message(messages["defer"])
        receiver.abandon_message(messages["abandon"])
        [again] = receiver.receive_messages(1)
        check("abandoned", (str(again), again.delivery_count), ("abandon", 1))
        receiver.complete_message(again)
        [deferred] = receiver.receive_deferred_messages([messages["defer"].sequence_number])
        check("deferred", str(deferred), "defer")
        receiver.complete_message(deferred)
    with client.get_queue_receiver("orders", sub_queue=ServiceBusSubQueue.DEAD_LETTER, max_wait_time=5) as receiver:
        [dead] = receiver.receive_messages(1)
        found = (str(dead), dead.dead_letter_reason, dead.dead_letter_error_description)
        check("dead-lettered", found, ("dead-letter", "reason", "description"))
        receiver.complete_message(dead)
    check("left", bodies(client), [])


def scheduling(client):
    with client.get_queue_sender("orders") as sender:
        due = datetime.datetime.utcnow() + datetime.timedelta(hours=1)
        numbers = sender.schedule_messages([ServiceBusMessage("a"), ServiceBusMessage("b")], due)
        check("numbers", len(numbers), 2)
        sender.cancel_scheduled_messages(numbers)
        sender.schedule_messages(ServiceBusMessage("now"), datetime.datetime.utcnow() - datetime.timedelta(seconds=1))
    check("scheduled", bodies(client), ["now"])


def peeking(client):
    send(client, ServiceBusMessage("a"), ServiceBusMessage("b"))
    with client.get_queue_receiver("orders") as receiver:
        check("peeked", [str(message) for message in receiver.peek_messages(5)], ["a", "b"])
    check("left", bodies(client), ["a", "b"])


def receive_and_delete(client):
    send(client, ServiceBusMessage("a"))
    mode = ServiceBusReceiveMode.RECEIVE_AND_DELETE
    with client.get_queue_receiver("orders", receive_mode=mode, max_wait_time=5) as receiver:
        check("received", [str(message) for message in receiver.receive_messages(1)], ["a"])
    check("left", bodies(client), [])


def sessions(client):
    with client.get_queue_sender("visits") as sender:
        sender.send_messages([ServiceBusMessage(str(n), session_id=name) for n, name in enumerate("abab")])
    with client.get_queue_receiver("visits", session_id="b", max_wait_time=5) as receiver:
        check("session", receiver.session.session_id, "b")
        for message in receive(receiver, 2):
            receiver.complete_message(message)
        receiver.session.set_state("state")
        check("state", receiver.session.get_state(), b"state")
        check("renewed", receiver.session.renew_lock() is not None, True)
    with client.get_queue_receiver("visits", session_id=NEXT_AVAILABLE_SESSION, max_wait_time=5) as receiver:
        check("next session", receiver.session.session_id, "a")
        check("in order", [str(message) for message in receive(receiver, 2)], ["0", "2"])


def topics(client):
    with client.get_topic_sender("news") as sender:
        sender.send_messages(ServiceBusMessage("news"))
    with client.get_subscription_receiver("news", "all", max_wait_time=5) as receiver:
        [message] = receiver.receive_messages(1)
        check("news", str(message), "news")
        receiver.complete_message(message)


def refusals(client):
    try:
        with client.get_queue_sender("none") as sender:
            sender.send_messages(ServiceBusMessage("a"))
        raise SystemExit("a queue that does not exist was accepted")
    except ServiceBusAuthenticationError:
        pass  # as with the service, which answers the token for a missing entity with 404: this client shows neither status nor text


def send(client, *messages):
    with client.get_queue_sender("orders") as sender:
        sender.send_messages(list(messages))


def receive(receiver, count):
    messages = []
    while len(messages) < count:
        messages += receiver.receive_messages(count - len(messages))
    return messages


def bodies(client):
    """What is in the queue, taking it out."""
    with client.get_queue_receiver("orders", max_wait_time=1) as receiver:
        found = []
        for message in receiver:
            found.append(str(message))
            receiver.complete_message(message)
        return found


def check(what, actual, expected):
    if actual != expected:
        raise SystemExit(f"{what} is {actual!r}, not {expected!r}")


if __name__ == "__main__":
    main(sys.argv[1])
