"""Makes a workflow with a webhook and an order, as docs/deployment.md does, and waits until the webhook arrives.

first_webhook.py API-URL TOKEN RECEIVER-ADDRESS

Prints nothing; ends with 1 after two minutes without a webhook."""

import http.server
import json
import sys
import threading
import urllib.error
import urllib.request

limit = 120
arrived = threading.Event()


class Receiver(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()
        if body["data"]["entity"]["items"][0]["description"] == "Desk" and self.headers["webhook-signature"]:
            arrived.set()

    def log_message(self, *_):
        pass


def post(api, token, path, body):
    request = urllib.request.Request(
        api + path, json.dumps(body).encode(), {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    )
    try:
        with urllib.request.urlopen(request, timeout=30) as response:
            return json.load(response)
    except urllib.error.HTTPError as error:
        sys.exit(f"{path}: {error.code} {error.read().decode()}")


def main():
    api, token, address = sys.argv[1:]
    receiver = http.server.ThreadingHTTPServer((address, 0), Receiver)
    threading.Thread(target=receiver.serve_forever, daemon=True).start()
    url = f"http://{address}:{receiver.server_port}/hooks"
    action = {"type": "webhook", "recipient": url}
    workflow = {"name": "Tell my ERP", "entityType": "Order", "triggers": ["order_created"], "action": action}
    post(api, token, "/api/workflows/configure", workflow)
    order = {
        "customer": {"name": "Ada Lovelace"},
        "items": [{"description": "Desk", "quantity": 1, "price": 120}],
        "deliveryAddress": {"street": "12 Crescent Road", "city": "London"},
    }
    post(api, token, "/api/v1/Orders", order)
    if not arrived.wait(limit):
        sys.exit("the webhook did not arrive")


main()
