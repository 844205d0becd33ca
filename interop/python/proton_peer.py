"""Sends to and receives from an AMQP server with Qpid Proton, and checks what comes back.

Usage: proton_peer.py HOST:PORT. Exits with 1 and says why when anything differs.
"""

import sys
import uuid

from proton import Data, Delivery, Message, int32, symbol, timestamp, ulong
from proton.handlers import MessagingHandler
from proton.reactor import Container, LinkOption
from proton.utils import BlockingConnection


def main(address):
    connection = BlockingConnection(address, timeout=20, allowed_mechs="ANONYMOUS")
    try:
        round_trip(connection)
        large_message(connection)
        many_messages(connection)
        outcomes(connection)
    finally:
        connection.close()
    drain(address)
    refusal(address)


def round_trip(connection):
    """Every property keeps its value and its type."""
    sent = Message(
        id=uuid.uuid4(),
        correlation_id=ulong(0),
        subject="subject",
        content_type="text/plain",
        group_id="",
        properties={"long": 2**40, "int": int32(7), "at": timestamp(1000), "id": uuid.uuid4()},
        annotations={symbol("x-opt-test"): symbol("value")},
        body={"text": "hello", "list": [1, None, True]},
    )
    connection.create_sender("proton-types").send(sent)
    receiver = connection.create_receiver("proton-types", credit=1)
    received = receiver.receive()
    receiver.accept()
    for name in ("id", "correlation_id", "subject", "content_type", "group_id", "properties", "annotations", "body"):
        check(name, getattr(received, name), getattr(sent, name))
    check("type of int", type(received.properties["int"]), int32)
    receiver.close()


def large_message(connection):
    body = b"0123456789abcdef" * 65536
    connection.create_sender("proton-large").send(Message(body=body))
    receiver = connection.create_receiver("proton-large", credit=1)
    check("1 MB body", bytes(receiver.receive().body) == body, True)
    receiver.accept()
    receiver.close()


def many_messages(connection):
    sender = connection.create_sender("proton-many")
    for number in range(500):
        sender.send(Message(body=number))
    receiver = connection.create_receiver("proton-many", credit=100)
    for number in range(500):
        check("order", receiver.receive().body, number)
        receiver.accept()
    receiver.close()


def outcomes(connection):
    """Each outcome is taken and answered."""
    sender = connection.create_sender("proton-outcomes")
    for number in range(3):
        check("state of a sent message", sender.send(Message(body=number)).remote_state, Delivery.ACCEPTED)
    receiver = connection.create_receiver("proton-outcomes", credit=3)
    for settle in (receiver.accept, receiver.reject, receiver.release):
        receiver.receive()
        settle()
    receiver.close()


class Drain(MessagingHandler):
    """Grants credit with drain on an empty queue and waits for it to come back."""

    def __init__(self, address):
        super().__init__(prefetch=0)
        self.address = address
        self.is_drained = False

    def on_start(self, event):
        connection = event.container.connect(self.address, allowed_mechs="ANONYMOUS")
        self.receiver = event.container.create_receiver(connection, "proton-empty")

    def on_link_opened(self, event):
        event.receiver.drain(10)

    def on_link_flow(self, event):
        if event.link.is_receiver and event.link.credit == 0:
            self.is_drained = True
            event.connection.close()


class Refusal(MessagingHandler):
    """Attaches without an address and waits to be told why that is refused."""

    class NoAddress(LinkOption):
        def apply(self, link):
            link.target.address = None

    def __init__(self, address):
        super().__init__()
        self.address = address
        self.condition = None

    def on_start(self, event):
        connection = event.container.connect(self.address, allowed_mechs="ANONYMOUS")
        event.container.create_sender(connection, None, name="nowhere", options=self.NoAddress())

    def on_link_error(self, event):
        self.condition = event.link.remote_condition.name
        event.connection.close()


def drain(address):
    handler = Drain(address)
    Container(handler).run()
    check("drain", handler.is_drained, True)


def refusal(address):
    handler = Refusal(address)
    Container(handler).run()
    check("refusal", handler.condition, "amqp:not-found")


def check(what, actual, expected):
    if actual != expected:
        sys.exit(f"{what}: expected {expected!r}, got {actual!r}")


if __name__ == "__main__":
    main(sys.argv[1])
    print("Proton agrees.")
