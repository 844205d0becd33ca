"""Sends to and receives from a waybill broker server with Qpid Proton, and checks what comes back.

Usage: proton_service_bus.py HOST:PORT. The server has a queue "orders" and accepts anyone. Exits with 1 and says why when
anything differs.
"""

import sys
import uuid

from proton import Message, int32, symbol, ulong
from proton.reactor import AtMostOnce
from proton.utils import BlockingConnection, LinkDetached


def main(address):
    connection = BlockingConnection(address, timeout=20, allowed_mechs="ANONYMOUS")
    try:
        round_trip(connection)
        outcomes(connection)
        many_messages(connection)
        receive_and_delete(connection)
        management(connection)
        refusal(connection)
    finally:
        connection.close()


def sender_to(connection, address):
    # Proton names links by their address, and a name is good for one link at a time.
    return connection.create_sender(address, name=str(uuid.uuid4()))


def receiver_from(connection, address, **options):
    return connection.create_receiver(address, name=str(uuid.uuid4()), **options)


def round_trip(connection):
    """Every property keeps its value and its type, and the broker adds its annotations."""
    sent = Message(
        id=uuid.uuid4(),
        correlation_id=ulong(0),
        subject="subject",
        content_type="text/plain",
        properties={"long": 2**40, "int": int32(7), "id": uuid.uuid4()},
        annotations={symbol("x-opt-test"): symbol("value")},
        body={"text": "hello", "list": [1, None, True]},
    )
    sender_to(connection, "orders").send(sent)
    receiver = receiver_from(connection, "orders", credit=1)
    received = receiver.receive()
    receiver.accept()
    for name in ("id", "correlation_id", "subject", "content_type", "properties", "body"):
        check(name, getattr(received, name), getattr(sent, name))
    check("type of int", type(received.properties["int"]), int32)
    check("annotation", received.annotations[symbol("x-opt-test")], symbol("value"))
    check("delivery count", received.delivery_count, 0)
    for name in ("x-opt-sequence-number", "x-opt-enqueued-time", "x-opt-locked-until"):
        check(name, symbol(name) in received.annotations, True)
    receiver.close()


def outcomes(connection):
    """A released message comes back as it was, a modified one counts a delivery, a rejected one is dead-lettered."""
    sender_to(connection, "orders").send(Message(body="again"))
    receiver = receiver_from(connection, "orders", credit=1)
    check("first", receiver.receive().delivery_count, 0)
    receiver.release(delivered=False)
    receiver.flow(1)
    check("after release", receiver.receive().delivery_count, 0)
    receiver.release(delivered=True)
    receiver.flow(1)
    check("after modified", receiver.receive().delivery_count, 1)
    receiver.reject()
    receiver.close()
    dead = receiver_from(connection, "orders/$deadletterqueue", credit=1)
    check("dead-lettered", dead.receive().body, "again")
    dead.accept()
    dead.close()


def many_messages(connection):
    sender = sender_to(connection, "orders")
    for number in range(500):
        sender.send(Message(body=number))
    receiver = receiver_from(connection, "orders", credit=100)
    for number in range(500):
        check("number", receiver.receive().body, number)
        receiver.accept()
    receiver.close()


def receive_and_delete(connection):
    sender_to(connection, "orders").send(Message(body=b"0123456789abcdef" * 32768))
    receiver = receiver_from(connection, "orders", credit=1, options=AtMostOnce())
    check("512 KB body", len(receiver.receive().body), 524288)
    receiver.close()


def management(connection):
    """Requests with an integer id and no reply-to are answered on the session's link, with the id in its type."""
    sender_to(connection, "orders").send(Message(body="peeked"))
    replies = receiver_from(connection, "orders/$management", credit=1)
    request = Message(
        id=ulong(0),
        properties={"operation": "com.microsoft:peek-message"},
        body={"from-sequence-number": 0, "message-count": int32(1)},
    )
    sender_to(connection, "orders/$management").send(request)
    reply = replies.receive()
    check("correlation id", reply.correlation_id, 0)
    check("status", reply.properties["statusCode"], 200)
    peeked = Message()
    peeked.decode(bytes(reply.body["messages"][0]["message"]))
    check("peeked", peeked.body, "peeked")
    replies.close()


def refusal(connection):
    try:
        sender_to(connection, "absent")
        fail("a sender to a queue that does not exist was accepted")
    except LinkDetached as detached:
        check("condition", detached.condition, "amqp:not-found")


def check(what, actual, expected):
    if actual != expected:
        fail(f"{what}: {actual!r} instead of {expected!r}")


def fail(text):
    print(text, file=sys.stderr)
    sys.exit(1)


main(sys.argv[1])
print("Proton and the broker server agree")
