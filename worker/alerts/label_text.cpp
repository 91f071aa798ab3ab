#include "worker/alerts/label_text.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace waybill::worker {
namespace {

/// A member of the last purchase that is a text or a number; empty if it is neither.
std::string fact(const Alert& alert, std::string_view name) {
  const json::value* const value = find_member(alert.purchase, name);
  if (value == nullptr) return {};
  if (value->is_number()) return to_json(*value);
  return value->is_string() ? std::string(value->get_string()) : std::string();
}

/// "12.50 EUR"; empty if the amount is not known.
std::string amount(const Alert& alert, std::string_view name, std::string_view currency) {
  constexpr std::size_t usual_decimals = 2;
  std::string text = fact(alert, name);
  if (text.empty()) return text;
  std::size_t point = text.find('.');
  if (point == std::string::npos) {
    point = text.size();
    text += '.';
  }
  text.resize(std::max(text.size(), point + 1 + usual_decimals), '0');
  return text + " " + fact(alert, currency);
}

bool is_about_void(const Alert& alert) {
  const std::string status = fact(alert, "status");
  return status == "voiding" || status == "voided" || !fact(alert, "voidState").empty();
}

bool has_price(const Alert& alert) { return !fact(alert, "price").empty(); }

/// A request to the API about the shipment of the last purchase, in lines of its own.
std::string request(const Alert& alert, std::string_view public_url, std::string_view method,
                    const std::string& rest, std::string_view body = {}) {
  std::string text = "\n\n";
  text.append(method).append(" ").append(public_url).append("/api/v1/shipments/");
  text.append(fact(alert, "shipmentId")).append(rest);
  if (!body.empty()) text.append("\n").append(body);
  return text;
}

std::string resolution(const Alert& alert, std::string_view public_url) {
  return request(alert, public_url, "POST", "/purchases/" + fact(alert, "guid") + "/resolve",
                 is_about_void(alert)
                     ? R"({"outcome": "bought"} or {"outcome": "not_bought"})"
                     : R"({"outcome": "bought", "carrierTrackingNumber": "…"} or {"outcome": "not_bought"})");
}

std::string since_then(const std::string& status) { return "Since then the label is " + status + "."; }

std::string unknown_text(const Alert& alert, std::string_view public_url) {
  const std::string status = fact(alert, "status");
  if (is_about_void(alert)) {
    if (status != "voiding") return since_then(status);
    return "The carrier has not said if the label is void. waybill asks again for 60 days.\nIf you know the "
           "outcome from the carrier, say so: \"not_bought\" if the label is void, \"bought\" if it is not." +
           resolution(alert, public_url);
  }
  if (status != "unknown") return since_then(status);
  return "The carrier may have charged for the label. waybill looks it up for an hour, and buys no other one "
         "for the shipment.\nIf the purchase stays unknown, look into your account at the carrier, and say "
         "what happened." +
         resolution(alert, public_url);
}

std::string doubled_text(const Alert& alert, std::string_view public_url) {
  const std::string status = fact(alert, "status");
  std::string text = "The carrier has charged for two labels of one shipment. ";
  if (status == "voided") {
    text += "The second one is voided. See that the carrier gives its price back.";
  } else if (status == "bought") {
    text += "It has refused to void the second one. Ask the carrier for its price.";
  } else {
    text += "waybill voids the second one.";
  }
  return text + "\nThe purchases of the shipment:" + request(alert, public_url, "GET", "/purchases");
}

/// The text for one purchase.
std::string text_of_last(const Alert& alert, std::string_view public_url) {
  const std::string status = fact(alert, "status");
  if (alert.cause == "label_unknown") return unknown_text(alert, public_url);
  if (alert.cause == "label_doubled") return doubled_text(alert, public_url);
  if (alert.cause == "label_failed")
    return "Nothing was bought. Correct what the message says, and buy the label again:" +
           request(alert, public_url, "POST", "/label");
  if (status != "bought") return since_then(status);
  const std::string call = request(alert, public_url, "POST", "/void");
  if (alert.cause == "label_dearer" && !has_price(alert))
    return "The label stays bought. Its price is in your account at the carrier. If the label is not used, "
           "it can be voided:" +
           call;
  if (alert.cause == "label_dearer")
    return "The label stays bought. If it is not used, it can be voided:" + call;
  return "The label stays paid until it is voided. If the parcel is not sent, void it:" + call;
}

/// The status by which a list has the purchases of an alert; empty if it has more than these.
std::string_view listed_status(const Alert& alert) {
  if (alert.cause == "label_failed") return "refused";
  if (alert.cause == "label_unknown") return is_about_void(alert) ? "voiding" : "unknown";
  return {};
}

}  // namespace

std::string label_headline(const Alert& alert) {
  const bool is_single = alert.count == 1;
  const std::string number = std::to_string(alert.count);
  const auto of = [&](std::string_view one, std::string_view several) {
    return is_single ? std::string(one) : number + std::string(several);
  };
  std::string text;
  if (alert.cause == "label_unknown") {
    text = is_single && is_about_void(alert)
               ? "The void of a label has no answer"
               : of("The purchase of a label has no answer", " purchases or voids of labels have no answer");
  } else if (alert.cause == "label_failed") {
    text = of("The purchase of a label was refused", " purchases of labels were refused");
  } else if (alert.cause == "label_doubled") {
    text = of("A shipment has a second label", " second labels of shipments were found");
  } else if (alert.cause == "label_dearer") {
    text = of(has_price(alert) || !alert.purchase.is_object() ? "A label cost more than its quote"
                                                              : "The price of a label is unknown",
              " labels cost more than their quotes, or their price is unknown");
  } else {
    text = of("An order was cancelled, but not its label", " orders were cancelled, but not their labels");
  }
  return alert.carrier_name ? text + " (carrier \"" + *alert.carrier_name + "\")" : text;
}

std::string label_text(const Alert& alert, std::string_view public_url) {
  if (!alert.purchase.is_object()) return "The shipment has been deleted since.";
  std::string text = text_of_last(alert, public_url);
  if (const auto status = listed_status(alert); alert.count > 1 && !status.empty()) {
    text.append("\n\nAll of them:\n\nGET ").append(public_url).append("/api/v1/purchases?status=");
    text.append(status);
  }
  if (!public_url.empty())
    text.append("\n\nThe requests are described at ").append(public_url).append("/docs.");
  return text;
}

std::string label_facts(const Alert& alert) {
  std::string text;
  const auto add = [&](std::string_view name, const std::string& value) {
    if (!value.empty()) text.append(name).append(": ").append(value).append("\n");
  };
  add("Shipment", fact(alert, "trackingNumber"));
  add("Order", fact(alert, "orderNumber"));
  add("Carrier", alert.carrier_name.value_or(""));
  add("Service", fact(alert, "serviceName"));
  add("Quote", amount(alert, "quote", "quoteCurrency"));
  add("Price",
      alert.cause == "label_dearer" && !has_price(alert) ? "unknown" : amount(alert, "price", "currency"));
  const json::value* const is_test = find_member(alert.purchase, "testMode");
  if (is_test != nullptr && is_test->is_bool() && is_test->get_bool()) add("Mode", "test: it costs nothing");
  add("Purchase", fact(alert, "guid"));
  add("Requested", fact(alert, "requestedAt"));
  add("Status", fact(alert, "status"));
  add("Code", fact(alert, "code"));
  add("Message", fact(alert, "error"));
  return text;
}

std::optional<std::string> label_reason(const Alert& alert) {
  if (alert.cause != "label_unknown" && alert.cause != "label_doubled") return std::nullopt;
  return "Owners and admins of " + alert.business_name +
         " get this mail whatever its settings of alerts are, because a label may have been paid for twice.";
}

}  // namespace waybill::worker
