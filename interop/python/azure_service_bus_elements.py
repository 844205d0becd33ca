"""Sets each property of an entity with Python's ServiceBusAdministrationClient, and prints which ones came back as JSON.

The input is JSON: a list of kind, element, option, first and second value, whether it is fixed and whether None removes it.
"""

import json
import os
import re
import sys

import isodate
from azure.servicebus.management import AccessRights, AuthorizationRule, ServiceBusAdministrationClient


def snake(option):
    return re.sub(r"([A-Z])", lambda match: "_" + match.group(1).lower(), option)


def rules_of(names):
    return [
        AuthorizationRule(
            type="SharedAccessAuthorizationRule",
            claim_type="SharedAccessKey",
            claim_value="None",
            rights=[AccessRights.send],
            key_name=name,
            primary_key="cHJpbWFyeQ==",
            secondary_key="c2Vjb25kYXJ5",
        )
        for name in names
    ]


def plain(option, value):
    if option == "authorizationRules":
        return [rule if isinstance(rule, str) else rule.key_name for rule in value or []]
    if option.startswith("forward") and value is not None:
        return value.rsplit("/", 1)[-1]
    return isodate.parse_duration(value) if isinstance(value, str) and re.match(r"^P", value) else value


def calls(client, kind, name):
    if kind == "subscription":
        where = ("table", name)
        return (
            lambda **options: client.create_subscription(*where, **options),
            lambda: client.get_subscription(*where),
            lambda properties: client.update_subscription("table", properties),
        )
    create, get, update = (getattr(client, f"{verb}_{kind}") for verb in ("create", "get", "update"))
    return (lambda **options: create(name, **options), lambda: get(name), update)


def outcome(client, number, case):
    option = case["option"]
    create, get, update = calls(client, case["kind"], f"python-{number}")
    make = rules_of if option == "authorizationRules" else (lambda value: value)
    create(**{snake(option): make(case["first"])})
    if plain(option, getattr(get(), snake(option))) != plain(option, case["first"]):
        return "no"
    if not case["fixed"]:
        properties = get()
        setattr(properties, snake(option), make(case["second"]))
        update(properties)
        if plain(option, getattr(get(), snake(option))) != plain(option, case["second"]):
            return "no"
    if case["removable"]:
        properties = get()
        setattr(properties, snake(option), None)
        update(properties)
        if getattr(get(), snake(option)) is not None:
            return "no"
    return "yes"


with ServiceBusAdministrationClient.from_connection_string(os.environ["SERVICEBUS_CONNECTION_STRING"]) as admin:
    found = {}
    for index, one in enumerate(json.load(sys.stdin)):
        try:
            found[f"{one['kind']} {one['element']}"] = outcome(admin, index, one)
        except Exception as error:  # the table shows it
            found[f"{one['kind']} {one['element']}"] = f"no: {type(error).__name__}"
    print(json.dumps(found))
