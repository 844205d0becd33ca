"""Sends and receives with Microsoft's SDK for Python, first with the synchronous client, then with the asynchronous one, at last from the next available session.

SERVICEBUS_CONNECTION_STRING names the namespace. WAYBILL_CA names the file of the local authority, for brokers with TLS.
"""

import asyncio
import os

from azure.servicebus import NEXT_AVAILABLE_SESSION, ServiceBusClient, ServiceBusMessage
from azure.servicebus.aio import ServiceBusClient as AsyncServiceBusClient

CONNECTION_STRING = os.environ["SERVICEBUS_CONNECTION_STRING"]
OPTIONS = {"connection_verify": os.environ["WAYBILL_CA"]} if "WAYBILL_CA" in os.environ else {}


def place_order(text):
    with ServiceBusClient.from_connection_string(CONNECTION_STRING, **OPTIONS) as client:
        with client.get_queue_sender("orders") as sender:
            sender.send_messages(ServiceBusMessage(text, subject="order-placed", application_properties={"amount": 7}))
        with client.get_queue_receiver("orders", max_wait_time=10) as receiver:
            for message in receiver.receive_messages(max_message_count=1):
                print(message.subject, str(message))
                receiver.complete_message(message)


async def place_order_async(text):
    async with AsyncServiceBusClient.from_connection_string(CONNECTION_STRING, **OPTIONS) as client:
        async with client.get_queue_sender("orders") as sender:
            await sender.send_messages(ServiceBusMessage(text, subject="order-placed"))
        async with client.get_queue_receiver("orders", max_wait_time=10) as receiver:
            for message in await receiver.receive_messages(max_message_count=1):
                print(message.subject, str(message))
                await receiver.complete_message(message)


def visit(customer):
    with ServiceBusClient.from_connection_string(CONNECTION_STRING, **OPTIONS) as client:
        with client.get_queue_sender("visits") as sender:
            sender.send_messages(ServiceBusMessage("in a session", subject="visited", session_id=customer))
        with client.get_queue_receiver("visits", session_id=NEXT_AVAILABLE_SESSION, max_wait_time=10) as receiver:
            for message in receiver.receive_messages(max_message_count=1):
                print(message.subject, str(message), receiver.session.session_id)
                receiver.complete_message(message)
            receiver.session.set_state("greeted")


place_order("with the synchronous client")
asyncio.run(place_order_async("with the asynchronous client"))
visit("customer-7")
