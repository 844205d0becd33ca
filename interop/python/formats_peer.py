"""Reads what waybill wrote and writes what waybill is to read: Avro, CBOR and MessagePack, by the libraries of Debian.

Each line of the input is {"format", "schema", "value", "bytes"}; each line of the output is {"read", "written"}: what the bytes are here, and
the value as it is written here. The first line of the output names the versions.
"""

import base64
import datetime
import io
import json
import subprocess
import sys

import avro.io
import avro.schema
import cbor2
import msgpack

EXACT = 2**53


def tagged(value):
    """The value in JSON that loses nothing, the same for both languages."""
    if isinstance(value, (bytes, bytearray)):
        return {"$bytes": bytes(value).hex()}
    if isinstance(value, datetime.datetime):
        return {"$ms": round(value.timestamp() * 1000)}
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return value
    if isinstance(value, int):
        return value if abs(value) < EXACT else {"$int": str(value)}
    if isinstance(value, float):
        return int(value) if value.is_integer() and abs(value) < EXACT else {"$float": repr_of(value)}
    if isinstance(value, dict):
        return {"$map": [[key, tagged(item)] for key, item in value.items()]}
    if isinstance(value, (list, tuple)):
        return [tagged(item) for item in value]
    raise TypeError(type(value).__name__)


def repr_of(value):
    return value.hex() if value == value else "nan"


def untagged(value):
    if isinstance(value, list):
        return [untagged(item) for item in value]
    if not isinstance(value, dict):
        return value
    (tag, content), = value.items()
    if tag == "$bytes":
        return bytes.fromhex(content)
    if tag == "$ms":
        epoch = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
        return epoch + datetime.timedelta(milliseconds=content)
    if tag == "$int":
        return int(content)
    if tag == "$float":
        return float.fromhex(content)
    return {key: untagged(item) for key, item in content}


def write_avro(value, schema):
    out = io.BytesIO()
    avro.io.DatumWriter(schema).write(value, avro.io.BinaryEncoder(out))
    return out.getvalue()


def read_avro(data, schema):
    return avro.io.DatumReader(schema, schema).read(avro.io.BinaryDecoder(io.BytesIO(data)))


FORMATS = {
    "avro": (read_avro, write_avro),
    "cbor": (lambda data, _: cbor2.loads(data), lambda value, _: cbor2.dumps(value)),
    "msgpack": (
        lambda data, _: msgpack.unpackb(data, timestamp=3),
        lambda value, _: msgpack.packb(value, datetime=True),
    ),
}


def version_of(package):
    return subprocess.run(
        ["dpkg-query", "-W", "-f", "${Version}", package], capture_output=True, text=True, check=True
    ).stdout


print(json.dumps({name: version_of(f"python3-{name.replace('cbor', 'cbor2')}") for name in FORMATS}), flush=True)
for line in sys.stdin:
    task = json.loads(line)
    read, write = FORMATS[task["format"]]
    schema = avro.schema.parse(json.dumps(task["schema"])) if "schema" in task else None
    answer = {}
    for key, work in (
        ("read", lambda: tagged(read(base64.b64decode(task["bytes"]), schema))),
        ("written", lambda: base64.b64encode(write(untagged(task["value"]), schema)).decode()),
    ):
        try:
            answer[key] = work()
        except Exception as error:  # The other side counts it as a difference.
            answer[key + "Error"] = f"{type(error).__name__}: {error}"
    print(json.dumps(answer), flush=True)
