"""A carrier integration like those of Karrio; its server is tests/carriers/karrio_carrier.cpp."""

import os
import urllib.parse

import attr
import karrio.api.mapper as mapper
import karrio.api.proxy as proxy
import karrio.core.models as models
import karrio.core.settings as settings
import karrio.lib as lib


class ShippingService(lib.StrEnum):
    testcarrier_standard = "testcarrier_standard"
    testcarrier_express = "testcarrier_express"


class ShippingOption(lib.Enum):
    pass


@attr.s(auto_attribs=True)
class Settings(settings.Settings):
    """One account with the carrier."""

    api_key: str
    account_number: str
    keeps_status: bool = False  # messages tell the HTTP status of the carrier's answer in `details`

    id: str = None
    test_mode: bool = False
    carrier_id: str = "testcarrier"
    account_country_code: str = None
    metadata: dict = {}
    config: dict = {}

    @property
    def carrier_name(self):
        return "testcarrier"

    @property
    def server_url(self):
        return os.environ["TESTCARRIER_URL"]


class Proxy(proxy.Proxy):
    """Calls the carrier. The public names are Karrio's list of what the carrier can do."""

    settings: Settings

    def get_rates(self, request):
        return self._send("POST", "/rates", request.serialize())

    def create_shipment(self, request):
        return self._send("POST", "/labels", request.serialize())

    def create_return_shipment(self, request):
        return self._send("POST", "/labels", request.serialize())

    def cancel_shipment(self, request):
        return self._send("POST", f"/labels/{quoted(request.serialize()['id'])}/void", {})

    def get_tracking(self, request):
        answers = [(number, self._send("GET", f"/tracking/{quoted(number)}")) for number in request.serialize()]
        return lib.Deserializable(answers, lambda list: [(number, answer.deserialize()) for number, answer in list])

    def _send(self, method, path, body=None):
        if self.settings.api_key == "no-token":  # as with FedEx and wrong credentials
            self.settings.connection_cache.thread_safe(refresh_func=dict, cache_key="no-token").get_token()
        call = {
            "url": self.settings.server_url + path,
            "method": method,
            "headers": {
                "Accept": "application/json",
                "Content-Type": "application/json",
                "Authorization": f"Bearer {self.settings.api_key}",
                "X-Account": self.settings.account_number,
                "X-Test": "true" if self.settings.test_mode else "false",
            },
            **({} if body is None else {"data": lib.to_json(body).encode()}),
        }
        text = lib.request(**call, trace=self.trace_as("json"), on_error=error_text)
        return lib.Deserializable(text, lib.to_dict)


class Mapper(mapper.Mapper):
    """Translates between Karrio and the carrier."""

    settings: Settings

    def create_rate_request(self, payload):
        return lib.Serializable(consignment(payload))

    def create_shipment_request(self, payload):
        return lib.Serializable(
            {**consignment(payload), "service": payload.service, "label_type": payload.label_type or "PDF"}
        )

    def create_return_shipment_request(self, payload):
        return lib.Serializable({**self.create_shipment_request(payload).serialize(), "is_return": True})

    def create_cancel_shipment_request(self, payload):
        return lib.Serializable({"id": payload.shipment_identifier})

    def create_tracking_request(self, payload):
        return lib.Serializable(payload.tracking_numbers)

    def parse_rate_response(self, response):
        answer = response.deserialize()
        rates = [
            models.RateDetails(
                carrier_id=self.settings.carrier_id,
                carrier_name=self.settings.carrier_name,
                service=offer["service"],
                total_charge=lib.to_money(offer["price"]),
                currency=offer["currency"],
                transit_days=offer.get("days"),
                extra_charges=[
                    models.ChargeDetails(
                        name=charge["name"], amount=lib.to_money(charge["amount"]), currency=offer["currency"]
                    )
                    for charge in offer.get("charges") or []
                ],
                meta={"service_name": offer["name"]},
            )
            for offer in answer.get("offers") or []
        ]
        return rates, self._messages(answer)

    def parse_shipment_response(self, response):
        answer = response.deserialize()
        messages = self._messages(answer)
        if "id" not in answer:
            return None, messages
        labels = answer["labels"]
        return (
            models.ShipmentDetails(
                carrier_id=self.settings.carrier_id,
                carrier_name=self.settings.carrier_name,
                tracking_number=answer["numbers"][0],
                shipment_identifier=answer["id"],
                label_type=answer["label_type"],
                docs=models.Documents(
                    label=labels[0] if len(labels) == 1 else lib.bundle_base64(labels, answer["label_type"])
                ),
                selected_rate=models.RateDetails(
                    carrier_id=self.settings.carrier_id,
                    carrier_name=self.settings.carrier_name,
                    service=answer["service"],
                    total_charge=lib.to_money(answer["price"]),
                    currency=answer["currency"],
                    meta={"service_name": answer["name"]},
                ),
                meta={
                    "service_name": answer["name"],
                    "tracking_numbers": answer["numbers"],
                    "carrier_tracking_link": answer["page"],
                },
            ),
            messages,
        )

    def parse_return_shipment_response(self, response):
        return self.parse_shipment_response(response)

    def parse_cancel_shipment_response(self, response):
        answer = response.deserialize()
        messages = self._messages(answer)
        if messages:
            return None, messages
        return (
            models.ConfirmationDetails(
                carrier_id=self.settings.carrier_id,
                carrier_name=self.settings.carrier_name,
                success=True,
                operation="Cancel Shipment",
            ),
            messages,
        )

    def parse_tracking_response(self, response):
        answers = response.deserialize()
        parcels = [self._parcel(number, answer) for number, answer in answers if "number" in answer]
        messages = [
            message for number, answer in answers for message in self._messages(answer, tracking_number=number)
        ]
        return parcels, messages

    def _parcel(self, number, answer):
        return models.TrackingDetails(
            carrier_id=self.settings.carrier_id,
            carrier_name=self.settings.carrier_name,
            tracking_number=number,
            events=[
                lib.to_object(
                    models.TrackingEvent,
                    {
                        field: scan.get(field)
                        for field in ("date", "time", "timestamp", "status", "code", "description", "location")
                        if scan.get(field) is not None
                    },
                )
                for scan in answer.get("scans") or []  # lib.to_dict leaves empty lists out
            ],
            estimated_delivery=answer.get("estimated_delivery"),
            delivered=answer["status"] == "delivered",
            status=answer["status"],
            info=models.TrackingInfo(carrier_tracking_link=answer["page"]),
        )

    def _messages(self, answer, **details):
        return [
            models.Message(
                carrier_id=self.settings.carrier_id,
                carrier_name=self.settings.carrier_name,
                code=error["code"],
                message=error["message"],
                details={
                    **details,
                    **({"status": answer.get("status")} if self.settings.keeps_status else {}),
                },
            )
            for error in answer.get("errors") or []
        ]


def quoted(text):
    return urllib.parse.quote(text, safe="")


def consignment(payload):
    """Returns the parties and parcels of a request in the carrier's terms."""
    return {
        "reference": payload.reference or "",
        "shipper": lib.to_dict(payload.shipper),
        "recipient": lib.to_dict(payload.recipient),
        "parcels": [lib.to_dict(parcel) for parcel in payload.parcels],
        "customs": lib.to_dict(getattr(payload, "customs", None)),
    }


def error_text(response):
    """The errors of an answer that is not a success. A page of HTML has the status as its code."""
    try:
        errors = lib.to_dict(lib.decode(response.read()))["errors"]
    except Exception:
        errors = [{"code": str(response.code), "message": response.reason}]
    return lib.to_json({"status": response.code, "errors": errors})
