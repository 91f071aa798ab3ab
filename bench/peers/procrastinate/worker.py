"""The peer of the worker in Python: Procrastinate, whose one task sends a signed webhook with aiohttp.

RECEIVER is the receiver's URL, BODY_SIZE the size of a body. TUNED=1 gives it 64 tasks at once and deletes finished jobs;
otherwise it has Procrastinate's defaults. libpq's environment variables name the PostgreSQL server.
"""

import asyncio
import base64
import datetime
import hashlib
import hmac
import json
import os

import aiohttp
import procrastinate

TUNED = os.environ.get("TUNED") == "1"
CONCURRENCY = 64 if TUNED else 1
KEY = b"k" * 32
FILLER = "x" * int(os.environ["BODY_SIZE"])
URL = os.environ["RECEIVER"] + "/hook"

pool = {"min_size": 4, "max_size": 16} if TUNED else {}
app = procrastinate.App(connector=procrastinate.PsycopgConnector(**pool))
http: aiohttp.ClientSession


@app.task(name="deliver")
async def deliver(order: str, number: str, status: str) -> None:
    """Sends one webhook. Standard Webhooks signs id.timestamp.body."""
    now = datetime.datetime.now(datetime.timezone.utc)
    data = {"order": order, "number": number, "status": status}
    head = json.dumps({"type": "order_status_changed", "timestamp": now.isoformat(), "data": data})
    body = f'{head[:-1]},"filler":"{FILLER[: max(0, len(FILLER) - len(head) - 12)]}"}}'
    identity = f"msg_{order}"
    timestamp = str(int(now.timestamp()))
    digest = hmac.new(KEY, f"{identity}.{timestamp}.{body}".encode(), hashlib.sha256).digest()
    headers = {
        "content-type": "application/json",
        "webhook-id": identity,
        "webhook-timestamp": timestamp,
        "webhook-signature": "v1," + base64.b64encode(digest).decode(),
    }
    async with http.post(URL, data=body, headers=headers) as answer:
        await answer.read()
        answer.raise_for_status()


async def main() -> None:
    global http
    async with app.open_async():
        if not await app.check_connection_async():
            await app.schema_manager.apply_schema_async()
        async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=CONCURRENCY)) as http:
            print("ready", flush=True)
            delete = procrastinate.jobs.DeleteJobCondition.SUCCESSFUL if TUNED else procrastinate.jobs.DeleteJobCondition.NEVER
            await app.run_worker_async(concurrency=CONCURRENCY, delete_jobs=delete)


asyncio.run(main())
