#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "worker/alerts/alert_message.hpp"

namespace waybill::worker {

/// The headline of an alert about a label, a sentence without its full stop.
std::string label_headline(const Alert& alert);

/// The meaning of the alert, and the requests to the API that answer it, in whole lines without the last line
/// end. Paths are relative if `public_url` is empty.
std::string label_text(const Alert& alert, std::string_view public_url);

/// The facts of the last purchase, one per line.
std::string label_facts(const Alert& alert);

/// The reason why an address gets the mail; nullopt if the settings of alerts alone are the reason.
std::optional<std::string> label_reason(const Alert& alert);

}  // namespace waybill::worker
