"""Calls every method of Python's ServiceBusAdministrationClient against the broker server, and exits with its verdict."""

import datetime
import os

from azure.core.exceptions import HttpResponseError, ResourceExistsError, ResourceNotFoundError
from azure.servicebus.management import (
    CorrelationRuleFilter,
    FalseRuleFilter,
    ServiceBusAdministrationClient,
    SqlRuleAction,
    SqlRuleFilter,
    TrueRuleFilter,
)


def expect(actual, expected):
    assert actual == expected, f"expected {expected!r}, got {actual!r}"


def refused(kind, call, *args):
    try:
        call(*args)
    except kind as error:
        return error
    raise AssertionError(f"{call.__name__}{args} was not refused")


def queues(client):
    minute = datetime.timedelta(minutes=1)
    queue = client.create_queue(
        "shop/orders", max_delivery_count=7, lock_duration=minute, requires_session=True, user_metadata="a<b>"
    )
    expect(
        (queue.name, queue.max_delivery_count, queue.lock_duration, queue.requires_session, queue.user_metadata),
        ("shop/orders", 7, minute, True, "a<b>"),
    )
    refused(ResourceExistsError, client.create_queue, "shop/orders")
    refused(ResourceNotFoundError, client.get_queue, "missing")
    expect(refused(HttpResponseError, client.create_queue, "bad name!").status_code, 400)
    queue.max_delivery_count = 3
    client.update_queue(queue)
    expect(client.get_queue("shop/orders").max_delivery_count, 3)
    runtime = client.get_queue_runtime_properties("shop/orders")
    expect((runtime.total_message_count, runtime.active_message_count, runtime.size_in_bytes), (0, 0, 0))
    client.create_queue("target")
    client.create_queue("forwarding", forward_to="target", forward_dead_lettered_messages_to="target")
    assert client.get_queue("forwarding").forward_to.endswith("/target")
    names = ["forwarding", "shop/orders", "target"]
    expect([queue.name for queue in client.list_queues() if queue.name in names], names)
    expect([queue.name for queue in client.list_queues_runtime_properties() if queue.name in names], names)
    for name in names:
        client.delete_queue(name)
    refused(ResourceNotFoundError, client.delete_queue, "target")


def topics(client):
    topic = client.create_topic("events")
    expect(topic.support_ordering, True)
    topic.user_metadata = "changed"
    client.update_topic(topic)
    expect(client.get_topic("events").user_metadata, "changed")
    subscription = client.create_subscription("events", "audit", max_delivery_count=4)
    subscription.max_delivery_count = 5
    client.update_subscription("events", subscription)
    expect(client.get_subscription("events", "audit").max_delivery_count, 5)
    expect(client.get_subscription_runtime_properties("events", "audit").active_message_count, 0)
    expect(client.get_topic_runtime_properties("events").subscription_count, 1)
    expect([one.name for one in client.list_subscriptions("events")], ["audit"])
    expect([one.name for one in client.list_subscriptions_runtime_properties("events")], ["audit"])
    assert "events" in [one.name for one in client.list_topics()]
    assert "events" in [one.name for one in client.list_topics_runtime_properties()]


def rules(client):
    where = ("events", "audit")
    properties = {"text": "1", "whole": 5, "real": 2.5, "flag": True}
    parameters = {"@p": 5}
    action = SqlRuleAction("SET b = 1")
    client.create_rule(*where, "sql", filter=SqlRuleFilter("a > @p", parameters=parameters), action=action)
    client.create_rule(*where, "correlation", filter=CorrelationRuleFilter(correlation_id="c", properties=properties))
    client.create_rule(*where, "nothing", filter=FalseRuleFilter())
    client.create_rule(*where, "everything", filter=TrueRuleFilter())
    found = {rule.name: rule for rule in client.list_rules(*where)}
    expect(sorted(found), ["$Default", "correlation", "everything", "nothing", "sql"])
    expect(dict(found["correlation"].filter.properties), properties)
    expect(dict(found["sql"].filter.parameters), parameters)
    expect(found["sql"].action.sql_expression, "SET b = 1")
    rule = client.get_rule(*where, "sql")
    rule.filter = SqlRuleFilter("a > 6")
    client.update_rule(*where, rule)
    expect(client.get_rule(*where, "sql").filter.sql_expression, "a > 6")
    client.delete_rule(*where, "sql")
    refused(ResourceNotFoundError, client.get_rule, *where, "sql")
    client.delete_subscription(*where)
    client.delete_topic("events")


with ServiceBusAdministrationClient.from_connection_string(os.environ["SERVICEBUS_CONNECTION_STRING"]) as admin:
    expect(admin.get_namespace_properties().name, "local")
    queues(admin)
    topics(admin)
    rules(admin)
print("the administration client: every method")
